"""Boxes of the screens: who has the keys when one comes to a screen, and what `/` does with what stands in the box."""

from __future__ import annotations

from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.conftest import Drive, settle
from tests.tui.reading import screen_text
from tui_memory.tui import rooms
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.dialogs.help import Help
from tui_memory.tui.widgets.search_box import SearchBox

NUMBERS = {number: room for number, room, _ in rooms.ROOMS}
WITH_A_BOX = ["1", "2", "4"]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """One after the other, each when the one before is done with."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


@pytest.mark.parametrize("room", NUMBERS)
async def test_on_a_screen_just_come_to_every_number_is_a_screen_and_the_question_mark_is_help(
    drive: Drive, room: str
) -> None:
    async with drive((100, 30)) as pilot:
        for number in NUMBERS:
            await press(pilot, room, number)
            assert pilot.app.current_mode == NUMBERS[number]
        await press(pilot, room, "question_mark")
        assert isinstance(pilot.app.screen, Help)


@pytest.mark.parametrize("room", WITH_A_BOX)
async def test_a_word_behind_the_slash_takes_the_place_of_what_stood_there(drive: Drive, room: str) -> None:
    async with drive((100, 30), room, "slash", *"first", "enter") as pilot:
        await press(pilot, "slash", *"second", "enter")
        box = pilot.app.screen.query_one("#box", SearchBox)
        assert box.value == "second"
        await press(pilot, "slash", "end", *"ly", "enter")
        assert box.value == "secondly"
        await press(pilot, "slash", "backspace")
        assert box.value == ""


@pytest.mark.parametrize("room", WITH_A_BOX)
async def test_the_place_that_was_clicked_in_a_box_is_where_one_writes(drive: Drive, room: str) -> None:
    async with drive((100, 30), room, "slash", *"first", "enter") as pilot:
        await pilot.click("#box", offset=(1, 0))
        await press(pilot, "x")
        assert pilot.app.screen.query_one("#box", SearchBox).value == "xfirst"


@pytest.mark.parametrize("room", WITH_A_BOX)
async def test_a_box_that_was_left_by_the_mouse_or_the_palette_has_no_keys_when_one_comes_back(
    drive: Drive, room: str
) -> None:
    async with drive((100, 30), room, "slash", "x") as pilot:
        app = cast(TuiMemoryApp, pilot.app)
        assert isinstance(app.focused, Input)
        app.action_room("health")
        await settle(pilot)
        await press(pilot, room, "5")
        assert app.current_mode == "lab" and app.screen_stack[0].is_current


async def test_help_from_a_box_and_back_leaves_it_as_it_was(drive: Drive) -> None:
    async with drive((100, 30), "2", "slash", *"first") as pilot:
        await press(pilot, "f1", "escape", *"ly")
        assert pilot.app.screen.query_one("#box", SearchBox).value == "firstly"
        assert "“firstly”" in screen_text(pilot)
