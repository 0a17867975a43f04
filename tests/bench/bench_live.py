"""Whether Live stays quick while agents write as fast as they can: a writer process, a real store, every key timed.

    python -m tests.bench.bench_live [--rate 500] [--seconds 60]

The application runs without a terminal, as in its tests; keys are pressed as a person would, four a second: moving,
typing a filter, changing screens, agents side by
side and one list again. A key is answered once it went through every queue and was drawn. Prints the
slowest key, the 95th percentile, keys that were lost, how far the list is behind, and how memory grew after the first
quarter: the page caches of the threads' connections fill, two megabytes each, and then it stands. Leaves with 1 where
a key was lost, one took over 100 ms, or memory grew by more than those caches.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual import events
from textual.pilot import Pilot

from tui_memory.engine.memory import Memory
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.heap import GIVE_BACK_EVERY, give_back, hold_still
from tui_memory.tui.screens.live import LiveScreen
from tui_memory.tui.screens.live_rows import key as row_key

BAR_KEY_MS, BAR_GROWTH = 100.0, 20.0
BETWEEN = 0.25
"""Seconds between two keys."""
WORD = "retryafterdeadline"
SESSIONS = 6
CHARACTERS = {"slash": "/"}


def write(home: str, rate: int, seconds: float) -> None:
    """The writer: so many events a second of several sessions, in its own process."""
    with Memory(home, embedding="none") as memory:
        began, number = time.monotonic(), 0
        while (now := time.monotonic() - began) < seconds:
            while number < now * rate:
                memory.capture("claude-code", _event(number))
                number += 1
            time.sleep(0.002)
        print(f"{number / seconds:.0f} events a second were written", flush=True)


def _event(number: int) -> dict[str, Any]:
    session = {"session_id": f"{number % SESSIONS:04d}-flood", "cwd": "/nowhere"}
    if number // SESSIONS % 12 == 0:
        return session | {"hook_event_name": "UserPromptSubmit", "prompt": f"Question {number} about the retry budget"}
    code = {"stdout": f"line {number}\n" * 12, "stderr": "", "interrupted": False}
    return session | {
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": f"t{number}",
        "tool_input": {"command": f"make check-{number}"}, "tool_response": code,
    }  # fmt: skip


def idle(seconds: float, told: Any) -> None:
    """The control: how long this machine holds up a program that only sleeps; milliseconds, the worst and 95 %."""
    late, until = [0.0], time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        time.sleep(0.02)
        late.append((time.perf_counter() - began - 0.02) * 1000)
    told.put((max(late), statistics.quantiles(late, n=20)[-1]))


@dataclass
class Measured:
    """What was seen."""

    took: list[tuple[float, str]] = field(default_factory=list)
    lost: int = 0
    rss: list[tuple[float, float]] = field(default_factory=list)
    """(seconds since the start, megabytes)."""


def resident() -> float:
    """Megabytes of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def press(pilot: Pilot[None], seen: Measured, name: str) -> None:
    """One key, timed; then a person's pause."""
    app, done = pilot.app, asyncio.Event()
    began = time.perf_counter()
    app.post_message(events.Key(name, CHARACTERS.get(name, name if len(name) == 1 else None)))

    def drawn() -> None:
        (app.focused or app.screen).call_later(lambda: app.screen.call_after_refresh(done.set))

    app.call_later(drawn)  # behind the key in every queue that it goes through, and behind what it makes to be drawn
    await done.wait()
    seen.took.append(((time.perf_counter() - began) * 1000, name))
    await asyncio.sleep(BETWEEN)


async def rounds(pilot: Pilot[None], seen: Measured, seconds: float) -> None:
    """Until the time is over: move, filter, look at another screen, follow again."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        room = pilot.app.screen
        assert isinstance(room, LiveScreen)
        if room.following:
            await press(pilot, seen, "f")
        here, rows = room.listing.record, 5
        for _ in range(rows):
            await press(pilot, seen, "k")
        there = room.listing.record
        keys = [row_key(row) for row in room.live.rows]
        if here and there and row_key(here) in keys and keys.index(row_key(here)) - keys.index(row_key(there)) != rows:
            seen.lost += 1
        await press(pilot, seen, "slash")
        for letter in WORD:
            await press(pilot, seen, letter)
        seen.lost += room.box.value != WORD
        for name in ("escape", "escape", "e", "e", "c", "2", "6", "1", "c", "l", "h", "f"):
            await press(pilot, seen, name)
        seen.rss.append((time.monotonic() - began, resident()))


async def measure(home: Path, seconds: float) -> tuple[Measured, int]:
    """What was seen, and by how many events the list was behind at the end."""
    app, seen = TuiMemoryApp(lambda: _Quiet(home, embedding="none"), home), Measured()
    async with app.run_test(size=(140, 40)) as pilot:
        await asyncio.sleep(1.5)
        hold_still()  # as `run` does
        app.set_interval(GIVE_BACK_EVERY, give_back)
        await rounds(pilot, seen, seconds)
        newest = app.opened.result().observations(limit=1)[0].id
        room = app.screen
        assert isinstance(room, LiveScreen)
        return seen, newest - room.stream.live.newest


class _Quiet(Memory):
    """The engine without the background process: it is the screen that is measured."""

    def start_worker(self) -> dict[str, Any]:
        """None comes."""
        return {"running": False}


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tui-memory-bench-live-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "store"
        Memory(home, embedding="none").close()
        context = multiprocessing.get_context("spawn")
        writer = context.Process(target=write, args=(str(home), given.rate, given.seconds + 4))
        told = context.Queue()
        control = context.Process(target=idle, args=(given.seconds, told))
        writer.start()
        control.start()
        seen, behind = asyncio.run(measure(home, given.seconds))
        writer.join()
        worst, most = told.get()
        control.join()
    print(f"a program that only sleeps was held up by {worst:.0f} ms at the worst, 95 % within {most:.0f} ms")
    return judge(seen, behind, given.seconds)


def judge(seen: Measured, behind: int, seconds: float) -> int:
    """Print what was seen; 1 where a bar is missed."""
    slowest = sorted(seen.took, reverse=True)[:5]
    p95 = statistics.quantiles([took for took, _ in seen.took], n=20)[-1]
    settled = [mb for at, mb in seen.rss if at >= seconds / 4] or [seen.rss[-1][1]]
    growth = settled[-1] - settled[0]
    print(f"{len(seen.took)} keys, {seen.lost} lost   slowest {slowest[0][0]:.0f} ms (at most {BAR_KEY_MS:.0f})"
          f"   95 % within {p95:.0f} ms")  # fmt: skip
    print(f"the slowest: {', '.join(f'{name} {took:.0f}' for took, name in slowest)} ms")
    grew = f"memory {settled[0]:.0f} → {settled[-1]:.0f} MB, {growth:+.0f} (at most {BAR_GROWTH:.0f})"
    print(f"{behind} events behind at the end   {grew}")
    return int(bool(seen.lost) or slowest[0][0] > BAR_KEY_MS or growth > BAR_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
