"""The application over the real engine: what is done on screen is in the store, and the other way round."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.conftest import settle
from tests.tui.reading import detail, screen_text, toasts
from tui_memory.engine.memory import Memory
from tui_memory.tui.app import TuiMemoryApp


class Quiet(Memory):
    """The engine as it is, without the background process: words alone find."""

    def start_worker(self) -> dict[str, object]:
        """No process of ours outlives a test."""
        return {"running": False}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store with three memories and one captured prompt."""
    with Memory(tmp_path / "store", embedding="none") as memory:
        memory.add_many(
            [
                {"title": "Retries stop at the deadline", "text": "A retry never outlives its request.", "created": 3},
                {"title": "Payment timeout is eight seconds", "text": "The gateway answers late.", "created": 2},
                {"title": "Sockets are closed with await", "text": "Else the reader leaks.", "created": 1},
            ],
            embed=False,
        )
        memory.capture("claude-code", prompt("first question"))
    return tmp_path / "store"


def prompt(text: str) -> dict[str, object]:
    """What Claude Code's hook hands over for a prompt."""
    return {"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "cwd": "/nowhere", "prompt": text}


def app_on(home: Path) -> TuiMemoryApp:
    """The application on a store."""
    return TuiMemoryApp(lambda: Quiet(home, embedding="none"), home)


async def test_delete_and_undo_reach_the_store(home: Path) -> None:
    async with app_on(home).run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("2", "d")
        await settle(pilot)
        assert "Deleted 1 · u undoes" in toasts(pilot)
        with Memory(home, embedding="none") as other:
            assert other.count(state="trash") == 1
        await pilot.press("u")
        await settle(pilot)
        with Memory(home, embedding="none") as other:
            assert other.count(state="trash") == 0


async def test_merge_makes_one_and_undo_two_again(home: Path) -> None:
    async with app_on(home).run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        await pilot.press("space", "space", "m")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "Merged 2 → 1 · u undoes" in toasts(pilot)
        assert "2 memories" in screen_text(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert "3 memories" in screen_text(pilot)


async def test_words_find_and_the_sum_is_written(home: Path) -> None:
    async with app_on(home).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("4", "slash", *"gateway", "enter")
        await settle(pilot)
        assert "Payment timeout is eight seconds" in screen_text(pilot)
        assert "words only: the model is not ready" in screen_text(pilot)
        assert "The gateway answers late." in detail(pilot)


async def test_what_another_process_captures_appears_on_live(home: Path) -> None:
    async with app_on(home).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "first question" in screen_text(pilot)
        with Memory(home, embedding="none") as other:
            other.capture("claude-code", prompt("second question"))
        await pilot.pause(0.2)
        await settle(pilot)
        assert "second question" in detail(pilot)
