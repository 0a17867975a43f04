"""Where a screen was sent from, esc goes back to, as it was left; and a project or a store without rows is said."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import NOW, FakeMemory, memory, observation
from tests.tui.reading import screen_text
from tests.tui.test_snapshots import audited
from tui_memory.engine.auditing import Overview
from tui_memory.errors import StoreError
from tui_memory.model import Filters
from tui_memory.store.ui_state import Kept
from tui_memory.tui import rooms
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.screens.audit import AuditScreen

ROOMS = [number for number, _, _ in rooms.ROOMS]


def mode(pilot: Pilot[Any]) -> str:
    """The screen on show."""
    return str(pilot.app.current_mode)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """One after the other, each when the one before is done with."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def test_from_memories_back_to_the_case_they_belong_to(tmp_path: Any) -> None:
    async with make(audited(), tmp_path).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "m")
        assert mode(pilot) == "memories" and "from case 4 · esc goes back" in screen_text(pilot)
        await press(pilot, "escape")
        assert mode(pilot) == "audit" and "Which of these holds?" in screen_text(pilot)
        await press(pilot, "escape", "escape")
        assert mode(pilot) == "audit", "there is nothing further back"


async def test_from_memories_back_to_the_event_that_became_them(drive: Drive) -> None:
    async with drive((120, 40), "g", "j", "m") as pilot:
        assert mode(pilot) == "memories"
        await press(pilot, "space", "escape", "escape")
        assert mode(pilot) == "live" and pilot.app.screen.listing.cursor == 1  # type: ignore[attr-defined]


async def test_from_what_is_held_back_to_health_whatever_was_sought_before(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[0] = memory(1, state="held")
    async with drive((120, 40), "2", "slash", *"zebra", "enter", "6") as pilot:
        app = cast(TuiMemoryApp, pilot.app)
        app.show_memories(state="held")
        await settle(pilot)
        assert "1 memory · held" in screen_text(pilot)
        await press(pilot, "escape")
        assert mode(pilot) == "health"


async def test_a_click_on_a_sign_and_back_and_through_two_screens(drive: Drive) -> None:
    async with drive((120, 40), "1", "g", "m") as pilot:
        await pilot.click("HeaderBar", offset=(110, 0))
        await settle(pilot)
        assert mode(pilot) == "health"
        await press(pilot, "escape")
        assert mode(pilot) == "memories"
        await press(pilot, "escape")
        assert mode(pilot) == "live"


async def test_a_number_key_is_a_way_of_ones_own_and_ends_the_trail(drive: Drive) -> None:
    async with drive((120, 40), "1", "g", "m", "6", "escape") as pilot:
        assert mode(pilot) == "health"


async def test_the_family_of_the_audit_is_there_in_the_next_run(tmp_path: Any) -> None:
    fake = audited()
    async with make(fake, tmp_path).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "right_square_bracket", "q")
    assert fake.kept.plain["audit"] == {"family": "contradiction"}
    async with make(fake, tmp_path, kept=fake.kept).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert mode(pilot) == "audit" and cast(AuditScreen, pilot.app.screen).family == "contradiction"
    wild = Kept({"app": {"screen": "audit"}, "audit": {"family": "no such"}})
    async with make(fake, tmp_path, kept=wild).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert cast(AuditScreen, pilot.app.screen).family == ""


@pytest.mark.parametrize("query", [(), ("slash", *"memory", "enter")], ids=["listed", "sought"])
async def test_no_row_of_another_project_is_shown_under_a_header_of_this_one(
    drive: Drive, fake: FakeMemory, query: tuple[str, ...]
) -> None:
    fake.rows[:] = [memory(1, "Of the other", project="other"), memory(2, "Of this one", project="orderly")]
    fake.search_result_ignores_words = True
    async with drive((120, 40), "2", *query) as pilot:
        assert "Of the other" in screen_text(pilot)
        await press(pilot, "6")
        fake.gate = threading.Event()
        cast(TuiMemoryApp, pilot.app).choose_project("orderly")
        await pilot.press("2")
        await pilot.pause(0.05)
        drawn = screen_text(pilot)
        fake.gate.set()
        assert "orderly" in drawn.splitlines()[0] and "Of the other" not in drawn
        await settle(pilot)
        assert "Of this one" in screen_text(pilot)


@pytest.mark.parametrize("room", ["1", "2", "4", "5"])
async def test_a_project_that_holds_nothing_is_no_empty_store(drive: Drive, fake: FakeMemory, room: str) -> None:
    fake.rows[:], fake.seen[:] = [memory(1, project="other")], []
    async with drive((120, 40), "1", room) as pilot:
        cast(TuiMemoryApp, pilot.app).choose_project("orderly")
        await settle(pilot)
        drawn = screen_text(pilot)
        assert "Nothing of orderly is here yet." in drawn and "P chooses another project" in drawn
        assert "install" not in drawn


@pytest.mark.parametrize("room", ROOMS)
async def test_what_fails_is_said_and_ctrl_l_tries_again(drive: Drive, fake: FakeMemory, room: str) -> None:
    def overview(_filters: Filters) -> Overview:
        if fake.failing is not None:
            raise fake.failing
        return Overview({}, 0, NOW)

    fake.auditing.overview = overview
    async with drive((120, 40)) as pilot:
        fake.failing = StoreError("Somebody holds the store. Nothing was changed; try again.")
        await press(pilot, room, "ctrl+l")
        assert "Somebody holds the store." in " ".join(screen_text(pilot).replace("│", " ").split()), room
        fake.failing = None
        await press(pilot, "ctrl+l")
        pilot.app.clear_notifications()
        await settle(pilot)
        assert "Somebody holds" not in screen_text(pilot), room


@pytest.mark.parametrize("room", ROOMS)
async def test_every_screen_has_help_of_its_own_and_commands_of_its_own(drive: Drive, room: str) -> None:
    async with drive((120, 50), room, "escape") as pilot:
        screen = pilot.app.screen
        names = [command.name for command in screen.commands()]  # type: ignore[attr-defined]
        title = next(title for number, _, title in rooms.ROOMS if number == room)
        assert screen.HELP and len(names) == len(set(names)) >= 2, names
        await press(pilot, "question_mark")
        drawn = screen_text(pilot)
        assert f"\n{title}" in drawn.replace("│ │", "\n").replace("│", "").replace("\n ", "\n") or title in drawn


async def test_the_project_picker_is_there_on_every_screen(drive: Drive, fake: FakeMemory) -> None:
    fake.seen.append(observation(61))
    async with drive((120, 40)) as pilot:
        for room in ROOMS:
            await press(pilot, room, "P")
            assert "Show the project" in screen_text(pilot), room
            await press(pilot, "escape")


async def test_a_case_that_cannot_be_shown_is_said_and_not_asked_for_over_and_over(tmp_path: Any) -> None:
    fake, asked = audited(), []

    def broken(number: int) -> None:
        asked.append(number)
        raise StoreError("The case cannot be read. Nothing was changed.")

    fake.auditing.case = broken
    async with make(fake, tmp_path).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        assert "The case cannot be read." in screen_text(pilot) and len(asked) <= 2
