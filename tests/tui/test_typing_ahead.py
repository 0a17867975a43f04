"""Keys that come in one go, as over a slow line, do what they do when they are pressed one by one."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text, toasts
from tui_memory.errors import StoreError
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
    while pilot.app._under_way is not None or pilot.app._expected is not None:  # type: ignore[attr-defined]
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


LEADS = {
    "a merge": (["2", "g", "space", "space"], "m", "Merge"),
    "a memory's boxes": (["2"], "e", "Edit"),
    "a memory's text": (["2"], "enter", "WholeText"),
    "an event's text": (["1"], "enter", "WholeText"),
    "what was dropped": (["1"], "D", "WholeText"),
    "a file to write": (["2"], "w", "Export"),
    "the older and the newer": (["2", "g", "space", "space"], "N", "Confirm"),
    "a large deletion": (["2", "asterisk"], "d", "Confirm"),
    "a range to delete": (["2", "v", "G"], "d", "Confirm"),
    "projects": (["2"], "P", "Pick"),
    "profiles": (["4"], "o", "Pick"),
    "what an agent is given": (["4"], "v", "Given"),
    "a profile's name": (["4"], "s", "Naming"),
    "configurations": (["5"], "c", "Configs"),
    "hooks to install": (["1"], "ctrl+p", "CommandPalette"),
    "help": (["1"], "question_mark", "Help"),
}
"""Keys that lead to where one is, the key that opens a dialog, and the dialog."""


@pytest.mark.parametrize("slow", [0.0, 0.8], ids=["at once", "slow"])
@pytest.mark.parametrize("what", LEADS)
async def test_keys_behind_the_one_that_opens_a_dialog_are_the_dialogs(
    drive: Drive, fake: FakeMemory, what: str, slow: float
) -> None:
    """`d` and `p` would delete and pin in the list below; the number would go to another screen."""
    way, key, dialog = LEADS[what]
    async with drive((120, 40)) as pilot:
        for one in way:
            await pilot.press(one)
            await settle(pilot)
        depth, mode, changed = len(pilot.app.screen_stack), pilot.app.current_mode, list(fake.undoable)
        fake.slow = slow
        type_ahead(pilot, key, "d", "p", "3")
        await asyncio.sleep(slow)
        await done(pilot)
        assert type(pilot.app.screen).__name__ == dialog and len(pilot.app.screen_stack) == depth + 1
        assert pilot.app.current_mode == mode and fake.undoable == changed
        assert "One moment" not in toasts(pilot)


async def test_what_takes_long_is_said_and_esc_calls_it_off(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "space", "space") as pilot:
        fake.gate = gate = threading.Event()
        type_ahead(pilot, "m", "d", "p")
        await asyncio.sleep(0.9)
        assert "One moment… esc calls it off." in toasts(pilot)
        type_ahead(pilot, "escape")
        await asyncio.sleep(0.1)
        fake.gate = None
        gate.set()
        await done(pilot)
        assert len(pilot.app.screen_stack) == 1 and not fake.undoable and "One moment" not in toasts(pilot)
        type_ahead(pilot, "p")
        await done(pilot)
        assert fake.undoable, "keys are the list's again"


async def test_where_a_dialog_cannot_come_its_keys_are_nobodys(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2", "space", "space") as pilot:
        fake.failing = StoreError("Somebody holds the store. Nothing was changed; try again.")
        type_ahead(pilot, "m", "d", "enter")
        await done(pilot)
        fake.failing = None
        assert not fake.undoable and "Somebody holds" in toasts(pilot)


async def test_a_key_behind_a_query_is_for_what_it_finds(drive: Drive, fake: FakeMemory) -> None:
    """The rows on show until then are those of before: `d` would delete one that nobody sought."""
    async with drive((120, 40), "2") as pilot:
        fake.slow = 0.8
        type_ahead(pilot, "slash", *"number", "space", "7", "enter", "d")
        await asyncio.sleep(0.4)
        assert "looking for “number 7”" in screen_text(pilot)
        await asyncio.sleep(0.8)
        await done(pilot)
        assert [row.id for row in fake.rows if row.state == "trash"] == [7]


async def test_a_query_that_fails_or_is_called_off_has_no_keys_behind_it(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "2") as pilot:
        fake.slow = 0.8
        type_ahead(pilot, "slash", *"number", "enter", "d")
        await asyncio.sleep(0.4)
        type_ahead(pilot, "escape")
        await asyncio.sleep(0.6)
        await done(pilot)
        fake.failing = StoreError("Somebody holds the store. Nothing was changed; try again.")
        type_ahead(pilot, "slash", *"other", "enter", "d")
        await asyncio.sleep(1.2)
        await done(pilot)
        assert not fake.undoable and "Somebody holds" in toasts(pilot)
