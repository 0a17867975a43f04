"""Every screen as a picture, at the smallest usual size and at a large one: a change of looks is a change to be seen.

Pictures are of one Python and one Textual; `--snapshot-update` takes them anew.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import make, settle
from tests.tui.fake import NOW, FakeMemory, memory, observation
from tui_memory.engine.auditing import Overview
from tui_memory.engine.demo import Progress, Watched
from tui_memory.model import Grounding
from tui_memory.store.audit_cases import Row
from tui_memory.tui import describe
from tui_memory.upkeep.audit.cases import Case

pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="pictures are taken with Python 3.11")
DAY = 86_400_000
SIZES = [(80, 24), (200, 60)]


def shown() -> FakeMemory:
    """A store that looks like one in use."""
    titles = ["Retries stop at the deadline", "Payment timeout raised to 8 s", "Socket leak came from un-awaited close"]
    rows = [
        memory(number, titles[number % 3], kind=("decision", "convention", "bugfix")[number % 3], pinned=number == 2)
        for number in range(1, 90)
    ]
    seen = [observation(number, redactions={"token": 1} if number % 11 == 0 else {}) for number in range(1, 80)]
    return FakeMemory(rows, seen)


def unwell() -> FakeMemory:
    """A store with something to mend."""
    fake = shown()
    fake.rows[0] = memory(
        1, "What a web page told the agent", state="held", grounding=Grounding(1.0, [describe.ORDERS])
    )
    fake.worker = {"running": False}
    fake.checks += [
        {"id": "worker", "ok": True, "what": "no worker runs; the next event or search starts one", "fix": ""},
        {"id": "agents", "ok": False, "what": "no agent has spoken yet", "fix": "tui-memory install claude-code"},
        {"id": "store", "ok": False, "what": "the store is damaged: page 7", "fix": "restore a back-up"},
    ]
    return fake


def audited(text: str = "Outgoing calls go through httpx now.") -> FakeMemory:
    """A week's audit that has begun: a contradiction, and what is still to come."""
    fake = shown()
    rows = [
        memory(1, "Use requests for outgoing calls", text="Outgoing calls go through requests.", uses=11,
               created=NOW - 120 * DAY),
        memory(2, "Outgoing calls go through httpx", text=text, uses=3,
               created=NOW - 6 * DAY),
    ]  # fmt: skip
    sides = [{"commit": "77ab0d1e"}, {"commit": "0d1e77ab"}]
    says = ["“Outgoing calls go through requests.” against “Outgoing calls go through httpx now.”: another value"]
    evidence = {"question": "Which of these holds?", "says": says, "sides": sides}
    actions = ["supersede", "reverse", "keep", "snooze"]
    case = Case(4, "contradiction", 0.781, [1, 2], evidence, "supersede", actions, "open", 0, 7, rows)
    queue = [Row(4, "contradiction", 1, 2, 1, 2, 0.781, 7, "open", 0, "", None)]
    queue += [Row(n, "duplicate", n, n + 1, n, n, 0.69 - n / 1000, n, "open", 0, "", None) for n in range(5, 14)]
    fake.auditing = SimpleNamespace(
        overview=lambda filters: Overview({"contradiction": 1, "duplicate": 9}, 5, NOW - 6 * DAY),
        queue=lambda family, filters, limit=0: queue,
        case=lambda number: case,
        titles=lambda asked: {row.low: f"Payments are retried, as noted {row.low} times" for row in asked},
        keep_up=lambda seconds: True,
    )
    return fake


def beginning() -> FakeMemory:
    """A demonstration whose sample is being read."""
    return FakeMemory(sample=Watched(Progress("capture", 120, 501, 4.0), True))


STATES: dict[str, tuple[Callable[[], FakeMemory], list[str]]] = {
    "live": (shown, []),
    "errors": (shown, ["e"]),
    "health": (unwell, ["6"]),
    "held": (unwell, ["2", "H"]),
    "audit": (audited, ["3"]),
    "sample": (beginning, ["2"]),
    "memories": (shown, ["2", "j", "space", "space"]),
    "playground": (shown, ["4", *"retries", "enter"]),
    "merge": (shown, ["2", "space", "space", "m"]),
    "help": (shown, ["2", "question_mark"]),
    "empty": (FakeMemory, ["2"]),
}


def keys(pressed: list[str]) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Press them once everything is there, and wait for what follows."""

    async def run(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for key in pressed:
            await pilot.press(key)
            await settle(pilot)

    return run


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("state", STATES)
def test_looks(state: str, size: tuple[int, int], snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    build, pressed = STATES[state]
    assert snap_compare(make(build(), tmp_path, demo=state == "sample"), terminal_size=size, run_before=keys(pressed))
