"""Keys that come in one go, as over a slow line, do what they do when they are pressed one by one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.conftest import Drive, settle
from tui_memory.tui import in_turn
from tui_memory.tui.widgets.mark_list import MarkList

CHARACTERS = {"slash": "/", "space": " ", "question_mark": "?"}


def type_ahead(pilot: Pilot[Any], *names: str) -> None:
    """All of them at once, before the application has seen the first."""
    for name in names:
        pilot.app.post_message(events.Key(name, CHARACTERS.get(name, name if len(name) == 1 else None)))


async def done(pilot: Pilot[Any]) -> None:
    """Until no key waits for its turn."""
    await pilot.pause()
    while pilot.app._under_way is not None:  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)
    await settle(pilot)


@pytest.mark.parametrize("room", ["1", "2", "4"], ids=["live", "memories", "playground"])
async def test_a_word_behind_the_key_that_opens_a_box_is_in_the_box(drive: Drive, room: str) -> None:
    async with drive() as pilot:
        await pilot.press("3")
        await settle(pilot)
        type_ahead(pilot, room, "slash", *"may", "space", *"ed")
        await done(pilot)
        focused = pilot.app.focused
        assert isinstance(focused, Input)
        assert focused.value == "may ed"
        assert len(pilot.app.screen_stack) == 1


async def test_a_key_behind_enter_is_the_lists_and_not_the_boxs(drive: Drive) -> None:
    async with drive() as pilot:
        await pilot.press("2")
        await settle(pilot)
        type_ahead(pilot, "slash", *"memory", "enter", "space", "down", "space")
        await done(pilot)
        box = pilot.app.screen.query_one(Input)
        assert box.value == "memory" and not box.has_focus
        assert pilot.app.screen.query_one(MarkList).marked == 2


async def test_a_key_behind_one_that_opens_a_dialog_is_the_dialogs(drive: Drive) -> None:
    async with drive() as pilot:
        type_ahead(pilot, "2", "question_mark", "escape", "3")
        await done(pilot)
        assert pilot.app.current_mode == "audit"


async def test_what_holds_one_up_holds_up_no_other_for_long(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_turn, "PATIENCE", 0.05)
    async with drive() as pilot:
        held = asyncio.Event()

        async def hold(_event: events.Key) -> None:
            await held.wait()

        focused = pilot.app.focused
        assert focused is not None
        monkeypatch.setattr(focused, "_on_key", hold)
        type_ahead(pilot, "x", "2")
        await asyncio.sleep(0.3)
        held.set()
        await done(pilot)
        assert pilot.app.current_mode == "memories"
