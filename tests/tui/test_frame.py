"""The lines around every screen: tabs that all fit, hints at keys that work."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text
from tui_memory.tui import keymap, rooms
from tui_memory.tui.dialogs.confirm import Confirm
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


@pytest.mark.parametrize("before", [[], ["question_mark"], ["2", "e"], ["2", "w"]])
async def test_one_key_leaves_from_anywhere(drive: Drive, before: list[str]) -> None:
    async with drive((120, 30), *before, "ctrl+q") as pilot:
        assert pilot.app.return_code == 0


async def test_it_asks_before_it_throws_away_what_was_written(drive: Drive) -> None:
    async with drive((120, 30), "2", "e", "end", "x", "ctrl+q") as pilot:
        assert pilot.app.return_code is None and isinstance(pilot.app.screen, Confirm)
        assert "Throw away what you wrote?" in screen_text(pilot)
        await pilot.press("ctrl+q", "n")
        await settle(pilot)
        assert pilot.app.return_code is None and not isinstance(pilot.app.screen, Confirm)
        await pilot.press("ctrl+q", "y")
        await settle(pilot)
        assert pilot.app.return_code == 0


def test_the_key_that_leaves_can_be_another_and_is_taken_from_no_dialog() -> None:
    assert keymap.check({"anywhere.quit": "ctrl+x"}) == ({"anywhere.quit": "ctrl+x"}, [])
    for clash in ({"anywhere.quit": "ctrl+s"}, {"edit.save": "ctrl+q"}, {"live.follow": "ctrl+q"}):
        good, wrong = keymap.check(clash)
        assert not good and "is taken by" in wrong[0]


async def test_another_key_leaves_instead(drive: Drive) -> None:
    async with drive((120, 30), "question_mark", "ctrl+q", keys={"anywhere.quit": "f9"}) as pilot:
        assert pilot.app.return_code is None
        await pilot.press("f9")
        await settle(pilot)
        assert pilot.app.return_code == 0
