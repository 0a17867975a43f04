"""What is done to memories: deleted, pinned, merged, edited, exported, replaced, and taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import Exporting, FakeMemory, Merging
from tests.tui.reading import detail, screen_text, state_of, toasts
from tui_memory.engine.exporting import Wanted


async def test_d_deletes_at_once_and_u_takes_it_back(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "2", "d") as pilot:
        assert state_of(fake, 1) == "trash"
        assert "Deleted 1 · u undoes" in toasts(pilot)
        assert "29 memories" in screen_text(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert state_of(fake, 1) == "active"
        assert "Took back: deletion of “Memory number 1” · ctrl+r does it again" in toasts(pilot)
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert state_of(fake, 1) == "trash"


async def test_keys_pressed_in_a_hurry_are_done_in_their_order(drive: Drive, fake: FakeMemory) -> None:
    fake.slow = 0.01
    async with drive((100, 30), "2") as pilot:
        await pilot.press("d", "u", "d", "u", "d")
        await settle(pilot)
        assert [what for what in fake.asked if what in ("delete", "undo")] == ["delete", "undo"] * 2 + ["delete"]


async def test_marked_rows_are_deleted_together(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "2", "space", "j", "space", "d") as pilot:
        assert [row.id for row in fake.rows if row.state == "trash"] == [1, 3]
        assert "Deleted 2 · u undoes" in toasts(pilot)


async def test_star_marks_all_and_bulk_deletion_asks_first(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "2", "asterisk") as pilot:
        assert "30 marked" in screen_text(pilot)
        await pilot.press("d")
        await settle(pilot)
        assert "Delete 30 memories?" in screen_text(pilot)
        await pilot.press("enter")  # the safe button has the focus
        await settle(pilot)
        assert {row.state for row in fake.rows} == {"active"}
        await pilot.press("d")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert {row.state for row in fake.rows} == {"trash"}


async def test_p_pins_with_a_glyph_and_a_word_and_unpins(drive: Drive, fake: FakeMemory) -> None:
    async with drive((160, 30), "2", "p") as pilot:
        assert fake.rows[0].pinned
        assert "▲" in screen_text(pilot)
        assert "pinned" in detail(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert not fake.rows[0].pinned


async def test_merge_is_shown_first_and_its_title_can_be_edited(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "space", "space", "m") as pilot:
        shown = screen_text(pilot)
        assert "Merge 2 memories into one" in shown
        assert "The text of memory 2." in shown
        assert "alike 0.87 (meaning 0.91, words 0.78) · keeps 2 facts, 2 files, 1 label, 5 sources" in shown
        await pilot.press("end", "!", "enter")
        await settle(pilot)
        assert "Merged 2 → 1 · u undoes" in toasts(pilot)
        assert fake.rows[0].title == "Memory number 1!"
        assert state_of(fake, 2) == "merged"


async def test_after_a_merge_the_cursor_is_on_what_it_made(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "j", "j", "space", "space", "m", "end", *" of two", "enter") as pilot:
        assert "Merged 2 → 1 · u undoes" in toasts(pilot)
        assert detail(pilot).startswith("Memory number 3 of two")


async def test_a_merge_of_what_was_edited_since_it_was_shown_is_refused(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "space", "space", "m") as pilot:
        fake.rows[0] = replace(fake.rows[0], version=7)
        await pilot.press("enter")
        await settle(pilot)
        assert "has been edited since" in toasts(pilot)
        assert {row.state for row in fake.rows} == {"active"}


async def test_esc_in_the_merge_changes_nothing(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "space", "space", "m", "escape"):
        assert {row.state for row in fake.rows} == {"active"}


async def test_merging_one_says_how_to_mark(drive: Drive) -> None:
    async with drive((100, 30), "2", "m") as pilot:
        assert "Mark two or more with space" in toasts(pilot)


async def test_merging_across_projects_asks(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[1].project = "another"
    async with drive((120, 40), "2", "space", "space", "m") as pilot:
        assert "Merge across 2 projects?" in screen_text(pilot)
        assert "another" in screen_text(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert {row.state for row in fake.rows} == {"active"}
        await pilot.press("m", "y")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "Merged 2 → 1 · u undoes" in toasts(pilot)


async def test_what_a_merge_would_say_can_be_edited(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "space", "space", "m", "tab", "X", "tab", "Y", "ctrl+s") as pilot:
        assert "Merged 2 → 1" in toasts(pilot)
        assert fake.rows[0].text.startswith("XThe text of memory 1.")
        assert fake.rows[0].facts[0] == "Y`thing_1` was found"


async def test_a_model_can_word_a_merge_and_where_none_can_that_is_said(
    drive: Drive, fake: FakeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with drive((120, 40), "2", "space", "space", "m", "ctrl+g") as pilot:
        assert "No model could word it: no model answers. The merge by rule stays." in toasts(pilot)
        monkeypatch.setattr(Merging, "note", "")
        await pilot.press("ctrl+g")
        await settle(pilot)
        assert "worded by small" in screen_text(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert (fake.rows[0].title, fake.rows[0].text) == ("In other words", "Worded.")


async def test_e_edits_in_place_and_writes_only_what_was_changed(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[0].text = "odd \x1b[31mcolours\x07"
    async with drive((120, 40), "2", "e", "end", "!", "ctrl+s") as pilot:
        assert "Changed title · u undoes" in toasts(pilot)
        assert fake.rows[0].title == "Memory number 1!"
        assert fake.rows[0].text == "odd \x1b[31mcolours\x07"
        await pilot.press("e", "ctrl+s")
        await settle(pilot)
        assert "Nothing was changed." in toasts(pilot)
        await pilot.press("e", "escape")
        await settle(pilot)
        assert fake.rows[0].title == "Memory number 1!" and "Edit #1" not in screen_text(pilot)


@pytest.mark.parametrize("opening", [["e"], ["space", "space", "m"]], ids=["edit", "merge"])
async def test_esc_asks_before_it_throws_away_what_was_written(
    drive: Drive, fake: FakeMemory, opening: list[str]
) -> None:
    before = [(row.title, row.state) for row in fake.rows]
    async with drive((120, 40), "2", *opening, "end", *"worked out", "escape") as pilot:
        assert "Throw away what you wrote?" in screen_text(pilot)
        await pilot.press("escape", "!")
        await settle(pilot)
        assert "worked out!" in screen_text(pilot) and "Throw away" not in screen_text(pilot)
        await pilot.press("escape", "y")
        await settle(pilot)
        assert "worked out" not in screen_text(pilot)
        assert [(row.title, row.state) for row in fake.rows] == before


async def test_every_field_can_be_edited(drive: Drive, fake: FakeMemory) -> None:
    keys = ["2", "e", "tab", "A", "tab", "enter", "home", "enter", "tab", "tab", "B", ",", "tab", "C", "tab", "D",
            "enter", "tab", "E", "ctrl+s"]  # fmt: skip
    async with drive((120, 40), *keys) as pilot:
        row = fake.rows[0]
        assert row.summary == "What it is about.A", toasts(pilot)
        assert (row.kind, row.labels) == ("decision", ["apiB"])
        assert row.text.startswith("CThe text") and row.facts == ["D", "`thing_1` was found"]
        assert row.files == ["Eapi/part_1.py"]


async def test_an_edit_that_came_too_late_is_said_and_not_lost(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "e", "end", "!") as pilot:
        fake.rows[0] = replace(fake.rows[0], version=7)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert "has been edited since" in toasts(pilot)
        assert "Memory number 1!" in screen_text(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert fake.rows[0].title == "Memory number 1!"


async def test_w_exports_what_is_marked_or_all_that_is_listed(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(Exporting, "wanted", asked)
    async with drive((120, 40), "2", "space", "space", "w") as pilot:
        assert "Export 2 memories that are marked" in screen_text(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "Exported 2 to" in toasts(pilot)
        assert asked == [Wanted(ids=(1, 2))]
        await pilot.press("escape", "w")
        await settle(pilot)
        assert "Export 30 memories listed" in screen_text(pilot)
        await pilot.press("tab", "enter", "down", "enter", "shift+tab", "enter")
        await settle(pilot)
        assert asked[1:] == [Wanted(state="active")]


async def test_a_file_in_the_way_is_written_over_only_when_asked(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(Exporting, "wanted", asked)
    async with drive((120, 40), "2", "w", "home", *"taken", "enter") as pilot:
        assert "Write over it?" in screen_text(pilot) and not asked
        await pilot.press("y")
        await settle(pilot)
        assert len(asked) == 1


async def test_N_lets_the_newer_of_two_replace_the_older(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "N") as pilot:
        assert "Mark the older and the newer" in toasts(pilot)
        await pilot.press("space", "space", "N")
        await settle(pilot)
        assert "“Memory number 1” replaces “Memory number 2”" in screen_text(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert (fake.rows[1].state, fake.rows[1].superseded_by) == ("superseded", 1)


async def test_M_takes_a_merge_apart(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[0].merged_from = [2, 3]
    fake.rows[1].state = fake.rows[2].state = "merged"
    async with drive((120, 40), "2", "M") as pilot:
        assert "Took the merge apart, back are 2 · u undoes" in toasts(pilot)
        assert state_of(fake, 2) == "active"
        await pilot.press("j", "M")
        await settle(pilot)
        assert "This was not made by a merge" in toasts(pilot)
