"""Checks that are not well, and how a test finds their rows on Health."""

from __future__ import annotations

from textual.pilot import Pilot

from tests.tui.conftest import settle
from tests.tui.reading import screen_text
from tui_memory.tui.screens import health

WRONG = {"id": "store", "ok": False, "what": "the store is damaged: page 7", "fix": "restore a back-up"}
PAUSED = {"id": "capture", "ok": False, "what": "capture is paused", "fix": "tui-memory resume"}
NO_AGENT = {"id": "agents", "ok": False, "what": "no agent has spoken yet", "fix": "tui-memory install claude-code"}


def line(text: str, drawn: str) -> int:
    """On which line of the screen a text stands."""
    return next(number for number, row in enumerate(drawn.splitlines()) if text in row)


async def go_to(pilot: Pilot[None], label: str) -> None:
    """Put the cursor on a row."""
    screen = pilot.app.screen
    assert isinstance(screen, health.HealthScreen)
    screen.listing.go(next(index for index, row in enumerate(screen.rows) if row.label == label))
    await settle(pilot)


async def until(pilot: Pilot[None], text: str) -> None:
    """Wait until a text is on the screen."""
    for _ in range(400):
        if text in screen_text(pilot):
            return
        await pilot.pause(0.03)
    raise AssertionError(screen_text(pilot))
