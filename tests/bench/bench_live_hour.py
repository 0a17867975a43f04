"""Whether Live grows: an hour at fifty events a second, written as fast as this machine can, and the memory it leaves.

    python -m tests.bench.bench_live_hour [--events 180000]

A writer process, a real store, the application on Live as in its tests; meanwhile keys are pressed that fill what is
kept: lists, columns, filters, other screens. Memory is compared from the end of the first quarter, when every bounded
list and every connection's page cache is full, to the end, each the least of some readings. Leaves with 1 where it grew
by more than a twentieth, or where events are missing from the list.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import multiprocessing
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.bench.bench_live import Measured, _event, _Quiet, press, resident
from tui_memory.engine.memory import Memory
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.heap import GIVE_BACK_EVERY, give_back, hold_still
from tui_memory.tui.screens.live import LiveScreen

BAR = 0.05
READINGS = 5
FIRST = 5_000
REST = 0.5
"""Seconds after each key before the flood."""
KEYS = (*"kkkkf", "c", "l", *"kkkf", "c", "slash", *"make", "escape", "escape", "e", "e", "2", "j", "6", "j", "1", "f")


def write(home: str, events: int, done: Any, go_on: Any) -> None:
    """The writer: so many events of several sessions; `done` is how many there are by now.

    After the first of them it waits for `go_on`: at fifty a second the application would have moments of rest, in which
    it loads what it needs for them; at a thousand it has none until the end.
    """
    with Memory(home, embedding="none") as memory:
        for number in range(events):
            if number == FIRST:
                go_on.wait()
            memory.capture("claude-code", _event(number))
            if number % 100 == 99:
                done.value = number + 1
            if number % 2_000 == 1_999:  # as a worker does
                memory.store.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        done.value = events


async def steady() -> float:
    """Megabytes now: the least of some readings, with what the allocator keeps for later given back."""
    found = []
    for _ in range(READINGS):
        await asyncio.sleep(0.3)
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        found.append(resident())
    return min(found)


async def measure(home: Path, events: int, done: Any, go_on: Any) -> tuple[list[tuple[int, float]], int]:
    """(events so far, megabytes) after each eighth, and by how many events the list was behind at the end."""
    app, keys = TuiMemoryApp(lambda: _Quiet(home, embedding="none"), home), Measured()
    seen: list[tuple[int, float]] = []
    async with app.run_test(size=(140, 40)) as pilot:
        await asyncio.sleep(1.5)
        hold_still()  # as `run` does
        app.set_interval(GIVE_BACK_EVERY, give_back)
        for key in (*KEYS, *KEYS):
            await press(pilot, keys, key)
            await asyncio.sleep(REST)
        go_on.set()
        for key in cycle(KEYS):
            await press(pilot, keys, key)
            if done.value >= events * (len(seen) + 1) // 8:
                seen.append((done.value, await steady()))
                print(f"{seen[-1][0]:>8,} events   {seen[-1][1]:6.1f} MB", flush=True)
            if done.value >= events and app.current_mode == "live" and key == "f":
                break
        await asyncio.sleep(2)
        room = app.screen
        assert isinstance(room, LiveScreen)
        newest = app.opened.result().observations(limit=1)[0].id
        return seen, newest - room.stream.live.newest


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=180_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tui-memory-bench-hour-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "store"
        Memory(home, embedding="none").close()
        context = multiprocessing.get_context("spawn")
        done, go_on = context.Value("q", 0), context.Event()
        writer = context.Process(target=write, args=(str(home), given.events, done, go_on))
        writer.start()
        began = time.monotonic()
        seen, behind = asyncio.run(measure(home, given.events, done, go_on))
        took = time.monotonic() - began
        writer.join()
    first, last = seen[1][1], seen[-1][1]
    growth = last / first - 1
    print(f"{given.events:,} events in {took:.0f} s")
    print(f"memory {first:.1f} → {last:.1f} MB, {growth:+.1%} (at most {BAR:.0%})")
    print(f"{behind} events behind at the end")
    return int(growth > BAR or behind > 0)


if __name__ == "__main__":
    sys.exit(main())
