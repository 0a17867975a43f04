"""Every screen at every size a terminal can have."""

from __future__ import annotations

import re

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text
from tui_memory.tui import formats, rooms
from tui_memory.tui.widgets.detail import Detail

ROOMS = [number for number, _, _ in rooms.ROOMS]
SIZES = [(1, 1), (1, 40), (40, 1), (4, 4), (20, 5), (60, 16), (80, 24), (120, 40), (250, 60), (400, 100)]


@pytest.mark.parametrize("room", ROOMS)
async def test_nothing_breaks_and_keys_still_work(drive: Drive, room: str) -> None:
    async with drive((100, 30), room) as pilot:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.press("j", "enter", "escape", "question_mark", "escape", "ctrl+p", "escape", "escape")
            await settle(pilot)
            assert pilot.app.is_running, size
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert "tui-memory" in screen_text(pilot)


@pytest.mark.parametrize("room", ROOMS)
async def test_it_starts_in_one_cell(drive: Drive, room: str) -> None:
    async with drive((1, 1), room, "j", "enter") as pilot:
        assert pilot.app.is_running


@pytest.mark.parametrize("size", [(59, 30), (100, 15), (20, 5)])
async def test_below_the_floor_it_says_what_it_needs(drive: Drive, size: tuple[int, int]) -> None:
    async with drive(size) as pilot:
        assert "needs 60×16" in screen_text(pilot)


@pytest.mark.parametrize(
    ("width", "detail", "third"), [(60, False, False), (79, False, False), (80, True, False), (119, True, False),
                                   (120, True, True)],
)  # fmt: skip
async def test_list_then_detail_then_third_pane(drive: Drive, width: int, detail: bool, third: bool) -> None:
    async with drive((width, 24), "2") as pilot:
        assert bool(pilot.app.screen.query_one(Detail).region.width) is detail
        assert bool(pilot.app.screen.query_one("#facets").region.width) is third


@pytest.mark.parametrize("room", ROOMS)
async def test_no_more_than_seven_hints_and_help_is_always_among_them(drive: Drive, room: str) -> None:
    from tui_memory.tui.widgets.hint_bar import HintBar

    for width in (60, 80, 200):
        async with drive((width, 24), room) as pilot:
            assert len(pilot.app.screen.query_one(HintBar).hints()) <= 7
            assert "? help" in screen_text(pilot).splitlines()[-1]


UNSEEN = ["d", "p", "3", "space", "asterisk", "e", "y", "enter", "escape", "u", "ctrl+p", "ctrl+s", "w", "slash", "x"]
"""Keys that would change something, go somewhere or end a dialog."""
OPEN = {
    "no dialog": ["2"], "boxes": ["2", "e"], "a question": ["2", "asterisk", "d"], "a picker": ["P"],
    "a box": ["2", "slash", "a"], "the palette": ["ctrl+p"], "weights": ["4", "p"], "a case": ["3"],
}  # fmt: skip


def without_bars(pilot: Pilot[None]) -> str:
    """What is on the screen, but for how far a list is scrolled."""
    return re.sub("[▁▂▃▄▅▆▇█]", " ", screen_text(pilot))


@pytest.mark.parametrize("what", OPEN)
@pytest.mark.parametrize("size", [(59, 30), (100, 15)])
async def test_below_the_floor_no_key_acts_on_what_nobody_sees(
    drive: Drive, fake: FakeMemory, size: tuple[int, int], what: str
) -> None:
    async with drive((100, 30)) as pilot:
        for key in OPEN[what]:
            await pilot.press(key)
            await settle(pilot)
        before, drawn, focused = list(pilot.app.screen_stack), without_bars(pilot), pilot.app.focused
        mode = pilot.app.current_mode
        await pilot.resize_terminal(*size)
        await settle(pilot)
        for key in UNSEEN:
            await pilot.press(key)
            await settle(pilot)
        assert not fake.undoable and pilot.app.current_mode == mode and list(pilot.app.screen_stack) == before
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert pilot.app.focused is focused, "what had the keys has them again"
        assert without_bars(pilot) == drawn


async def test_below_the_floor_help_is_there_and_q_leaves(drive: Drive) -> None:
    async with drive((50, 12), "2") as pilot:
        assert "q leaves · ? helps" in screen_text(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        assert "esc closes" in screen_text(pilot)
        await pilot.press("j", "escape")
        await settle(pilot)
        assert "needs 60×16" in screen_text(pilot)
        await pilot.press("q")
        await pilot.pause()
    assert not pilot.app.is_running


async def test_where_the_pane_that_had_the_keys_goes_the_list_has_them(drive: Drive) -> None:
    async with drive((140, 30), "2", "tab", "tab") as pilot:
        for _ in range(3):
            if pilot.app.focused is not pilot.app.screen.query_one("#facets"):
                await pilot.press("tab")
        assert pilot.app.focused is pilot.app.screen.query_one("#facets")
        await pilot.resize_terminal(90, 30)
        await settle(pilot)
        assert pilot.app.focused is pilot.app.screen.query_one("#list")


@pytest.mark.parametrize("room", ROOMS)
async def test_what_began_in_one_cell_has_the_keys_once_there_is_room(drive: Drive, room: str) -> None:
    async with drive((1, 1)) as pilot:
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert pilot.app.focused is not None
        await pilot.press(room)
        await settle(pilot)
        assert pilot.app.focused is not None


@pytest.mark.parametrize("value", [0, 1, 9_999, 10_000, 99_949, 99_950, 105_512, 1_234_567, 9_999_499])
def test_a_count_of_tokens_fits_the_column_that_lists_have_for_it(value: int) -> None:
    said = formats.tokens(value)
    assert len(said) <= 7 and said.endswith(("t", "–"))


@pytest.mark.parametrize("room", ROOMS)
async def test_a_pane_that_comes_into_view_with_more_room_is_filled(drive: Drive, room: str) -> None:
    async with drive((100, 30), room) as pilot:
        for size in ((160, 50), (70, 20), (200, 60)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            await pilot.pause(0.3)
            assert "◌ Reading" not in screen_text(pilot), size


async def test_facets_that_come_into_view_count_what_changed_while_they_were_out_of_it(drive: Drive) -> None:
    async with drive((140, 40), "2") as pilot:
        await pilot.pause(0.5)
        assert "active           30" in screen_text(pilot)
        await pilot.resize_terminal(100, 30)
        await pilot.press("d")
        await settle(pilot)
        await pilot.pause(0.5)
        await pilot.resize_terminal(140, 40)
        await settle(pilot)
        await pilot.pause(0.3)
        assert "active           29" in screen_text(pilot)
