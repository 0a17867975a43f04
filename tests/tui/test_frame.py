"""The lines around every screen: tabs that all fit, hints at keys that work."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text
from tui_memory.tui import rooms
from tui_memory.tui.widgets.hint_bar import HintBar
from tui_memory.tui.widgets.tab_bar import TabBar

DIALOGS = [("1", "D"), ("1", "enter"), ("2", "e"), ("2", "w"), ("2", "P"), ("4", "o"), ("5", "c")]
"""A screen, and a key that opens a dialog on it."""


@pytest.mark.parametrize(("room", "key"), DIALOGS)
async def test_the_hints_are_the_dialogs_alone_while_one_is_open(drive: Drive, room: str, key: str) -> None:
    async with drive((120, 30), room) as pilot:
        bar = pilot.app.screen.query_one(HintBar)
        before = bar.hints()
        await pilot.press(key)
        await settle(pilot)
        assert pilot.app.screen.is_modal
        allowed = {item.binding.action for item in pilot.app.screen.active_bindings.values()}
        assert {action for _, _, action in bar.hints()} <= allowed
        assert str(bar.render()).endswith("f1 help")
        await pilot.press("escape")
        await settle(pilot)
        assert bar.hints() == before and str(bar.render()).endswith("? help")


@pytest.mark.parametrize("width", [60, 67, 68, 80, 200])
@pytest.mark.parametrize("cases", [0, 12, 1_234])
async def test_all_six_tabs_are_seen_and_clicked_at_every_width(
    drive: Drive, fake: FakeMemory, width: int, cases: int
) -> None:
    async with drive((width, 24), "5") as pilot:
        tabs = pilot.app.screen.query_one(TabBar)
        tabs.waiting = {"audit": cases}
        await settle(pilot)
        line = screen_text(pilot).splitlines()[1]
        for number, room, title in rooms.ROOMS:
            assert f" {number} " in line and (title in line or (width < 80 and title[:3] in line)), room
        assert width < 80 or "Playground" in line
        await pilot.click(TabBar, offset=(line.index("Health") + 1, 0))
        await settle(pilot)
        assert pilot.app.current_mode == "health"
