"""The application over a fake memory, with the clock stopped and nothing of this machine in it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.worker import WorkerState

from tests.tui.fake import DAY, NOW, FakeMemory, memory, observation
from tui_memory.engine.memory import Memory
from tui_memory.tui import feed, first_run, formats, store_app
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.screens import health, live, live_detail, memories
from tui_memory.tui.widgets import search_box

FOUND = first_run.Found(
    ("claude-code", "codex"),
    frozenset({"codex"}),
    True,
    {"claude-code": 380, "codex": 32},
    384_000_000,
    NOW - 270 * DAY,
)
"""What is on the machine of these tests."""
Drive = Callable[..., AbstractAsyncContextManager[Pilot[None]]]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The clock stands, in UTC; settings, themes and stores of this machine are out of reach."""
    monkeypatch.setattr(formats, "now", lambda: NOW)
    monkeypatch.setattr(formats, "monotonic", lambda: 100.0)
    monkeypatch.setattr(search_box, "PAUSE", 0.02)
    monkeypatch.setattr(store_app, "STATUS_AFTER", 0.01)
    monkeypatch.setattr(store_app, "STATUS_FIRST", 0.01)
    monkeypatch.setattr(store_app, "WORKER_AFTER", 0.01)
    monkeypatch.setattr(memories, "FACETS_AFTER", 0.02)
    monkeypatch.setattr(feed, "BEAT", 0.02)
    monkeypatch.setattr(live, "SETTLE_EVERY", 0.02)
    monkeypatch.setattr(live, "SESSIONS_EVERY", 0.02)
    monkeypatch.setattr(live_detail, "FLOOD", 0.02)
    monkeypatch.setattr(health, "_find_installed", lambda: [])
    monkeypatch.setattr(first_run, "look", lambda memory: FOUND)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "none" / "config.yaml"))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@pytest.fixture
def fake() -> FakeMemory:
    """Thirty memories and sixty observations."""
    return FakeMemory([memory(n) for n in range(1, 31)], [observation(n) for n in range(1, 61)])


def make(fake: FakeMemory, home: Path, **options: object) -> TuiMemoryApp:
    """The application over a fake."""
    return TuiMemoryApp(lambda: cast(Memory, fake), home, store_name="a test", **options)  # type: ignore[arg-type]


async def settle(pilot: Pilot[None]) -> None:
    """Wait until every question is answered, every change made, and what follows is drawn."""
    app = cast(TuiMemoryApp, pilot.app)
    quiet = 0
    while quiet < 3:
        await pilot.pause(0.03)
        app.changes.submit(lambda: None).result()
        busy = any(worker.state in (WorkerState.PENDING, WorkerState.RUNNING) for worker in app.workers)
        quiet = 0 if busy else quiet + 1


@pytest.fixture
def drive(fake: FakeMemory, tmp_path: Path) -> Drive:
    """Open the application on the fake: `async with drive(size) as pilot`."""

    @asynccontextmanager
    async def opened(size: tuple[int, int] = (100, 30), *keys: str, **options: object) -> AsyncIterator[Pilot[None]]:
        app = make(fake, tmp_path, **options)
        async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
            await settle(pilot)
            if keys:
                await pilot.press(*keys)
                await settle(pilot)
            yield pilot

    return opened
