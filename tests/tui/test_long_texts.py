"""A text of any length opens at once, in any place that shows it, and a key is answered while it is there."""

from __future__ import annotations

from time import monotonic

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory, memory, observation
from tests.tui.reading import screen_text, state_of, toasts
from tui_memory.tui.widgets.boxes import MOST, Lines
from tui_memory.tui.widgets.line_view import LineView
from tui_memory.tui.widgets.rows import fit, wrap

SIZE = 1_000_000
LONG = {"one line": "x" * SIZE, "words": "word " * (SIZE // 5), "wide": "記憶é " * (SIZE // 4),
        "marks": "e\u0301" * (SIZE // 2), "joined": "\u200d" * SIZE, "empty lines": "\n" * SIZE}  # fmt: skip
JOINED = ["\u200d\u200d a", "\u200dab👨", "✔\ufe0f✔\ufe0f", "👩\u200d\u200d👨\u200d", "a\u0301" * 30]
"""What Rich's own cutting divides by zero on, or leaves its list of."""


@pytest.mark.parametrize("name", LONG)
def test_a_long_line_is_wrapped_in_a_time_that_grows_with_it_and_no_faster(name: str) -> None:
    began = monotonic()
    assert len(wrap(LONG[name], 100)) > 1_000
    assert monotonic() - began < 10, "as its square it takes minutes"


@pytest.mark.parametrize("text", JOINED)
@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_joined_and_marked_characters_are_cut_without_a_crash(text: str, width: int) -> None:
    assert "".join(wrap(text * 5, width)).replace(" ", "") == (text * 5).replace(" ", "")
    assert fit(text * 5, width)


async def test_the_first_lines_are_drawn_before_the_last_are_wrapped_and_esc_closes(
    drive: Drive, fake: FakeMemory
) -> None:
    fake.rows[0] = memory(1, text=LONG["empty lines"] + "the end")
    async with drive((100, 30), "2") as pilot:
        await pilot.press("enter")
        view = pilot.app.screen.query_one(LineView)
        assert view._lines and "Memory number 1" in screen_text(pilot)
        await pilot.press("G")
        await pilot.app.workers.wait_for_complete()
        while view._left is not None:
            await pilot.pause(0.02)
        assert "the end" in screen_text(pilot)
        await pilot.press("g", "enter", "escape")
        await settle(pilot)
        assert not pilot.app.screen.query(LineView)


@pytest.mark.parametrize(("screen", "row"), [("1", "Live"), ("2", "Memories"), ("5", "Lab")])
async def test_enter_opens_it_at_once_wherever_it_is_listed(
    screen: str, row: str, drive: Drive, fake: FakeMemory
) -> None:
    fake.rows[0] = memory(1, text=LONG["words"])
    fake.seen[-1] = observation(60, LONG["words"])
    fake.seen[-2:] = [fake.seen[-1]]
    async with drive((100, 30), screen) as pilot:
        began = monotonic()
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.screen.query(LineView), row
        await pilot.press("escape")
        await settle(pilot)
        assert monotonic() - began < 10
        assert not pilot.app.screen.query(LineView)


async def test_a_text_too_long_to_write_in_is_shown_by_its_beginning_and_kept_whole(
    drive: Drive, fake: FakeMemory
) -> None:
    fake.rows[0] = memory(1, text=LONG["words"])
    async with drive((120, 40), "2", "e") as pilot:
        said = "too long to change here: 4,000 of 1,000,000 characters · o on Memories opens your editor"
        assert said in screen_text(pilot)
        await pilot.press("!", "ctrl+s")
        await settle(pilot)
        assert "Changed title · u undoes" in toasts(pilot)
        assert (fake.rows[0].title, fake.rows[0].text) == ("Memory number 1!", LONG["words"])


async def test_a_merge_of_long_texts_keeps_all_of_them(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[0] = memory(1, text=LONG["words"])
    async with drive((120, 40), "2", "space", "space", "m") as pilot:
        assert "too long to change here" in screen_text(pilot)
        await pilot.press("end", "!", "enter")
        await settle(pilot)
        assert state_of(fake, 2) == "merged"
        assert fake.rows[0].text.startswith(LONG["words"].rstrip())


async def test_a_text_up_to_the_limit_is_written_in(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[0] = memory(1, text="x" * MOST)
    async with drive((120, 40), "2", "e") as pilot:
        assert not pilot.app.screen.query_one("#text", Lines).read_only
