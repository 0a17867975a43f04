"""Every screen at every size a terminal can have."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.reading import screen_text
from tui_memory.tui import rooms
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
