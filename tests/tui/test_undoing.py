"""Undo and redo beside others on the same store: what was done here at once, what was done elsewhere on a yes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text, state_of, toasts
from tests.tui.test_engine import Quiet
from tui_memory.engine.memory import Memory
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.dialogs.confirm import Confirm

TITLE = "Retries stop at the deadline"


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """One after the other, each when the one before is done with."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two memories."""
    with Memory(tmp_path / "store", embedding="none") as memory:
        memory.add(title="Payments time out after eight seconds", text="by the gateway", kind="decision")
        memory.add(title=TITLE, text="and not before", kind="decision")
    return tmp_path / "store"


def app_on(home: Path) -> TuiMemoryApp:
    """The application on a store."""
    return TuiMemoryApp(lambda: Quiet(home, embedding="none"), home)


def states(home: Path) -> dict[str, str]:
    """Each memory's state, as another process sees it."""
    with Memory(home, embedding="none") as memory:
        return {row.title: row.state for row in memory.memories(state="all")}


async def test_what_was_done_here_is_taken_back_at_once_and_named(home: Path) -> None:
    async with app_on(home).run_test(size=(120, 40), notifications=True) as pilot:
        await press(pilot, "2", "d", "u")
        assert f"Took back: deletion of “{TITLE}” · ctrl+r does it again" in toasts(pilot)
        await press(pilot, "ctrl+r")
        assert f"Brought back: deletion of “{TITLE}” · u undoes" in toasts(pilot)
    assert states(home)[TITLE] == "trash"


async def test_a_merge_is_named_by_how_many_it_made_one_of(home: Path) -> None:
    async with app_on(home).run_test(size=(120, 40), notifications=True) as pilot:
        await press(pilot, "2", "space", "space", "m", "enter")
        assert "Merged 2 → 1 · u undoes" in toasts(pilot)
        await press(pilot, "u")
        assert f"Took back: merge of 2 memories into “{TITLE}” · ctrl+r does it again" in toasts(pilot)
        await press(pilot, "ctrl+r")
        assert f"Brought back: merge of 2 memories into “{TITLE}” · u undoes" in toasts(pilot)
        await press(pilot, "M", "u")
        assert f"Took back: splitting of “{TITLE}” into 2 memories" in toasts(pilot)


async def test_what_another_window_did_is_named_and_left_where_nobody_says_yes(home: Path) -> None:
    async with app_on(home).run_test(size=(120, 40), notifications=True) as pilot:
        await press(pilot, "2")
        with Memory(home, embedding="none") as other:
            other.delete([2])
        await press(pilot, "u")
        assert isinstance(pilot.app.screen, Confirm)
        drawn = " ".join(screen_text(pilot).replace("│", " ").split())
        assert f"Take back the deletion of “{TITLE}”?" in drawn
        assert "not here: in another window, by a command, or before this one was opened." in drawn
        await press(pilot, "enter")
        assert states(home)[TITLE] == "trash", "the safe answer has the focus"
        await press(pilot, "u", "y")
        assert states(home)[TITLE] == "active" and f"Took back: deletion of “{TITLE}”" in toasts(pilot)


async def test_a_yes_is_to_what_was_named_whatever_came_after_it(home: Path) -> None:
    with Memory(home, embedding="none") as other:
        other.delete([2])
        async with app_on(home).run_test(size=(120, 40), notifications=True) as pilot:
            await press(pilot, "2", "u")
            other.pin([1])
            await press(pilot, "y")
            assert f"Took back: deletion of “{TITLE}”" in toasts(pilot)
        assert other.get(1)[0].pinned


async def test_what_another_window_took_back_comes_again_only_on_a_yes(home: Path) -> None:
    with Memory(home, embedding="none") as other:
        async with app_on(home).run_test(size=(120, 40), notifications=True) as pilot:
            await press(pilot, "2", "d")
            other.undo()
            await press(pilot, "ctrl+r")
            assert f"Bring back the deletion of “{TITLE}”?" in screen_text(pilot)
            await press(pilot, "n")
            assert states(home)[TITLE] == "active"
            await press(pilot, "ctrl+r", "y")
        assert states(home)[TITLE] == "trash"


async def test_what_was_done_before_this_run_is_asked_for(home: Path) -> None:
    async with app_on(home).run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "d")
    async with app_on(home).run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "u")
        assert isinstance(pilot.app.screen, Confirm)
        await press(pilot, "y")
    assert states(home)[TITLE] == "active"


@pytest.mark.parametrize("room", ["1", "2", "3", "4", "5", "6"])
async def test_it_is_asked_on_every_screen_and_keys_behind_it_are_the_questions(
    drive: Drive, fake: FakeMemory, room: str
) -> None:
    async with drive((120, 40), "2", "d", "d") as pilot:
        fake.elsewhere = True
        await press(pilot, room, "u")
        assert isinstance(pilot.app.screen, Confirm)
        await press(pilot, "n")
        assert state_of(fake, 2) == "trash"
        await press(pilot, "u", "y")
        assert state_of(fake, 2) == "active"
