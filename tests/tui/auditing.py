"""The audit over a real store with a case of every family, and what tests ask of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import settle
from tui_memory.clock import now_ms
from tui_memory.engine.memory import Memory
from tui_memory.tui import formats
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.screens import audit, audit_deeds
from tui_memory.tui.screens.audit import AuditScreen

Open = Callable[..., AbstractAsyncContextManager[Pilot[None]]]


class Quiet(Memory):
    """The engine as it is, without the background process."""

    def start_worker(self) -> dict[str, object]:
        """No process of ours outlives a test."""
        return {"running": False}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The store that the application is opened on, from beside it; the clock goes on."""
    monkeypatch.setattr(formats, "now", now_ms)
    monkeypatch.setattr(audit, "LOOK_AFTER", 0.02)
    monkeypatch.setattr(audit_deeds, "BRIEF", 60)
    with Quiet(tmp_path / "store", embedding="none") as made:
        yield made


@pytest.fixture
def opened(memory: Memory) -> Open:
    """Open the application on Audit, every case found: `async with opened(size, *keys) as pilot`."""

    @asynccontextmanager
    async def run(size: tuple[int, int] = (100, 30), *keys: str) -> AsyncIterator[Pilot[None]]:
        memory.auditing.look()  # what is found while keys are pressed comes above or below the case on show
        app = TuiMemoryApp(lambda: Quiet(memory.home, embedding="none"), memory.home)
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            await press(pilot, "3", *keys)
            yield pilot
            await settle(pilot)

    return run


async def press(pilot: Pilot[None], *keys: str) -> None:
    """One key after the other, each when the one before is done with."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def screen(pilot: Pilot[None]) -> AuditScreen:
    """The screen under whatever dialog."""
    return cast(AuditScreen, cast(TuiMemoryApp, pilot.app).room)


def family(pilot: Pilot[None]) -> str:
    """The family of the case on show; empty: none is."""
    drawn = screen(pilot).drawn
    return drawn.case.family if drawn is not None else ""


def states(memory: Memory, ids: list[int]) -> list[str]:
    return [row.state for row in memory.get(ids)]
