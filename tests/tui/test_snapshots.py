"""Every screen and dialog as a picture, in each state, at three sizes, dark and light: a change is to be seen.

Pictures are of one Python and one Textual; `--snapshot-update` takes them anew.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.pilot import Pilot

from tests.tui.conftest import make, settle
from tests.tui.fake import NOW, FakeMemory, memory, observation
from tui_memory.clock import iso
from tui_memory.engine.auditing import Overview
from tui_memory.engine.demo import Progress, Watched
from tui_memory.engine.reaching import Reach
from tui_memory.errors import StoreError
from tui_memory.model import Filters, Grounding
from tui_memory.store.audit_cases import Row
from tui_memory.tui import describe, themes
from tui_memory.tui.rooms import ROOMS
from tui_memory.upkeep.audit.cases import Case

pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="pictures are taken with Python 3.11")
DAY = 86_400_000
SIZES = [(80, 24), (120, 40), (200, 60)]
THEMES = ["tui-memory-dark", "tui-memory-light"]


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


def abroad() -> FakeMemory:
    """A store that is backed up, synced and connected to a hub, two of them in trouble; memories live in each place."""
    fake = shown()
    places = (["here"], ["sync"], ["hub"], ["shared"], ["sync", "shared"])
    fake.rows = [
        replace(row, where=places[row.id % 5], shared_by="ana" if row.id % 5 == 2 else None,
                device="0a1b2c3d" if row.id % 10 == 1 else None)
        for row in fake.rows
    ]  # fmt: skip
    failed = "The folder cannot be written: no room. Nothing was changed here or there."
    fake.beyond = [
        Reach("backup", True, False, "the last back-up was made 40 days ago", "tui-memory backup URL",
              {"made": NOW - 40 * DAY}),
        Reach("sync", True, False, f"last synced 2 days ago; the one of today failed: {failed}", "tui-memory sync URL",
              {"synced": NOW - 2 * DAY}, NOW - 60_000, failed),
        Reach("hub", True, True, "team blue at hub.example/team: pushed and pulled today", "tui-memory hub status",
              {"pushed": NOW - 7_200_000, "pulled": NOW - 3_600_000}),
    ]  # fmt: skip
    fake.checks += [{"id": one.id, "ok": one.ok, "what": one.what, "fix": one.fix} for one in fake.beyond]
    return fake


def conflicting() -> FakeMemory:
    """A memory that was edited on two devices at once."""
    fake = audited()
    case = fake.auditing.case(4)
    first, second = (replace(case.rows[1], text=f"Calls time out after {n} seconds.") for n in ("twelve", "twenty"))
    says = [
        "The first text was written on this device 2 days ago, the second one on device 0a1b2c3d 1 day ago, later, and"
        " without knowing of it.",
        "The second is current; the first is in the memory's history, and stays there.",
    ]
    written = [
        {"device": name, "writer": "", "at": iso(NOW - n * DAY)} for name, n in (("4e5f6a7b", 2), ("0a1b2c3d", 1))
    ]
    evidence = {"question": "Edited in two places at once: which of these texts is to stay?", "says": says,
                "sides": [{"commit": ""}] * 2, "written": written}  # fmt: skip
    made = Case(4, "conflict", 0.65, [2, 2], evidence, "keep", ["keep", "take", "snooze"], "open", 0, 7,
                [first, second])  # fmt: skip
    row = Row(4, "conflict", 2, None, 1, 2, 0.65, 7, "open", 0, "", None)
    fake.auditing.case = lambda number: made
    fake.auditing.queue = lambda family, filters, limit=0: [row]
    fake.auditing.overview = lambda filters: Overview({"conflict": 1}, 5, NOW - 6 * DAY)
    return fake


def beginning() -> FakeMemory:
    """A demonstration whose sample is being read."""
    return FakeMemory(sample=Watched(Progress("capture", 120, 501, 4.0), True))


def locked() -> FakeMemory:
    """A store that cannot be read just now."""
    fake = shown()
    fake.failing = error = StoreError("Somebody holds the store for longer than 5 s. Nothing was changed; try again.")

    def refuse(_filters: Filters) -> Overview:
        raise error

    fake.auditing.overview = refuse
    return fake


def slow() -> FakeMemory:
    """A store that has not answered yet when it is looked at."""
    fake = shown()
    fake.gate = gate = threading.Event()
    seen = fake.auditing.overview

    def wait(filters: Filters) -> Overview:
        gate.wait()
        return cast(Overview, seen(filters))

    fake.auditing.overview = wait
    return fake


def settled() -> FakeMemory:
    """An audit without a case."""
    return shown()


State = tuple[Callable[[], FakeMemory], list[str]]
READY: dict[str, State] = {
    "live": (shown, []),
    "live-errors": (shown, ["e"]),
    "memories": (shown, ["2", "j", "space", "space"]),
    "audit": (audited, ["3"]),
    "playground": (shown, ["4", "slash", *"retries", "enter"]),
    "lab": (shown, ["5", "space"]),
    "health": (unwell, ["6"]),
    "held": (unwell, ["2", "H"]),
    "sample": (beginning, ["2"]),
    "memories-where": (abroad, ["2"]),
    "health-beyond": (abroad, ["6", *["right_square_bracket"] * 6]),
    "audit-conflict": (conflicting, ["3"]),
}
EMPTY: dict[str, State] = {
    "live-first": (FakeMemory, []),
    "live-empty": (FakeMemory, ["escape"]),
    "memories-empty": (FakeMemory, ["2"]),
    "memories-nothing": (shown, ["2", "slash", *"zebra", "enter"]),
    "audit-empty": (settled, ["3"]),
    "playground-empty": (shown, ["4"]),
    "lab-empty": (FakeMemory, ["5"]),
    "health-well": (shown, ["6"]),
}
FAILED: dict[str, State] = {f"{room}-failed": (locked, [number]) for number, room, _ in ROOMS}
LOADING: dict[str, State] = {f"{room}-loading": (slow, [number]) for number, room, _ in ROOMS}
DIALOGS: dict[str, State] = {
    "help": (shown, ["2", "question_mark"]),
    "merge": (shown, ["2", "space", "space", "m"]),
    "edit": (shown, ["2", "e"]),
    "export": (shown, ["2", "w"]),
    "confirm": (FakeMemory, ["s"]),
    "pick": (FakeMemory, ["i"]),
    "text": (shown, ["2", "enter"]),
    "configs": (shown, ["5", "c"]),
}
STATES = READY | EMPTY | FAILED | LOADING | DIALOGS


class Picture(SingleFileSnapshotExtension):
    """A picture is a file."""

    _file_extension = "svg"
    _write_mode = WriteMode.TEXT


async def quiet(pilot: Pilot[Any], fake: FakeMemory) -> None:
    """Until all is drawn; of what loads, for a moment."""
    if fake.gate is None:
        await settle(pilot)
    else:
        await pilot.pause(0.15)


@pytest.mark.parametrize("state", STATES)
async def test_looks(state: str, snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One application for all pictures of a state: another size, other colours."""
    monkeypatch.setenv("HOME", "/home/robin")
    build, pressed = STATES[state]
    fake = build()
    pictures = snapshot.use_extension(Picture)
    other = []
    app = make(fake, tmp_path, demo=state == "sample")
    for theme in THEMES:
        app.register_theme(themes.find(theme) or themes.default())
    async with app.run_test(size=SIZES[0]) as pilot:
        try:
            await quiet(pilot, fake)
            for key in pressed:
                await pilot.press(key)
                await quiet(pilot, fake)
            app.clear_notifications()
            for size in SIZES:
                await pilot.resize_terminal(*size)
                for theme in THEMES:
                    app.theme = theme
                    await quiet(pilot, fake)
                    name = f"{size[0]}x{size[1]}-{theme.rpartition('-')[2]}"
                    if app.export_screenshot(title=state) != pictures(name=name):
                        other.append(name)
        finally:
            if fake.gate is not None:
                fake.gate.set()
    assert not other
