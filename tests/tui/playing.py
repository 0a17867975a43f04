"""The Playground over a real store with ten subjects, and what tests ask of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import settle
from tests.tui.test_engine import Quiet
from tui_memory.engine.memory import Memory
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.screens.playground import PlaygroundScreen
from tui_memory.tui.screens.playground_rows import Ranked
from tui_memory.tui.widgets.search_box import SearchBox

SUBJECTS = ("retry", "websocket", "lint", "cache", "login", "export", "invoice", "search", "upload", "report",
            "webhook", "schema")  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Notes that answer in their text, and others whose titles mislead."""
    with Memory(tmp_path / "store", embedding="none") as memory:
        for subject in SUBJECTS:
            memory.add(title=f"A note on {subject}", text=f"{subject} waits for the deadline and stops", kind="bugfix")
            memory.add(title=f"{subject} deadline stops", text="unrelated", kind="decision")
    return tmp_path / "store"


def judge_all(home: Path) -> None:
    """Each subject's question is answered by its note."""
    with Memory(home, embedding="none") as memory:
        for at, subject in enumerate(SUBJECTS):
            memory.evaluating.judge(f"{subject} waits deadline stops", 2 * at + 1, relevant=True)


@asynccontextmanager
async def opened(home: Path, *keys: str, size: tuple[int, int] = (140, 40)) -> AsyncIterator[Pilot[None]]:
    """The application on the store, on the Playground, these keys pressed one by one."""
    app = TuiMemoryApp(lambda: Quiet(home, embedding="none"), home)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "4", *keys)
        yield pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Each key, and what follows."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def ask(pilot: Pilot[None], query: str = "retry deadline stops") -> None:
    """Ask, and go to the results."""
    pilot.app.screen.query_one("#box", SearchBox).value = query
    await pilot.press("enter")
    await settle(pilot)


def room(pilot: Pilot[None]) -> PlaygroundScreen:
    """The screen itself."""
    return cast(PlaygroundScreen, pilot.app.screen_stack[0])


def rows(pilot: Pilot[None]) -> list[object]:
    """Every row of the list."""
    return list(room(pilot).listing.source.rows)  # type: ignore[union-attr]


def hits(pilot: Pilot[None]) -> list[int]:
    """The ids that have a place, best first."""
    return [row.hit.id for row in rows(pilot) if isinstance(row, Ranked)]


def value(pilot: Pilot[None], name: str) -> float:
    """A weight as the sliders have it."""
    return cast(float, room(pilot).weights.values[name])
