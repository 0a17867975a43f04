"""What the application costs while nobody does anything, on each screen, in a real terminal.

    python -m tests.bench.bench_idle [--seconds 20]

The store is quiet and no worker runs. Processor time of the process, beside an empty Textual application's of the
same run: time that is used, not time that goes by, so that a busy machine changes little. Leaves with 1 where a screen
uses more than a hundredth of one processor.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from tests.bench.bench_tui import EMPTY, MARK, Terminal, store
from tui_memory.tui.rooms import ROOMS

BAR = 0.01
"""Of one processor."""
WARM_UP, WINDOW, MOST = 4.0, 2.0, 60.0
"""Seconds not counted: at least; until two such windows were quiet (Audit looks through the store); at most."""
OURS = """
import sys; from pathlib import Path
from tui_memory.engine.memory import Memory
Memory.start_worker = lambda self: {"running": False}
from tui_memory.tui.app import run; run(Path(sys.argv[1]))
"""


def used(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rest(terminal: Terminal, seconds: float) -> float:
    """Processor seconds that a program uses while it is left alone; what it draws is read, as a terminal does."""
    began, until = used(terminal.pid), time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        terminal._read(left)
    return used(terminal.pid) - began


def calm(terminal: Terminal) -> None:
    """Wait until all that follows a key is done."""
    rest(terminal, WARM_UP)
    until, quiet = time.monotonic() + MOST, 0
    while quiet < 2 and time.monotonic() < until:
        quiet = quiet + 1 if rest(terminal, WINDOW) <= BAR * WINDOW * 2 else 0


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    empty = Terminal(EMPTY)
    empty.until(MARK)
    rest(empty, 2.0)
    print(f"{'an empty application':<22}{rest(empty, given.seconds):6.2f} s of {given.seconds:.0f}", flush=True)
    empty.close()
    ours, worst = Terminal(OURS, str(store(2_000))), 0.0
    ours.until("Playground")
    for key, _, name in ROOMS:
        ours.press(key)
        calm(ours)
        took = rest(ours, given.seconds)
        worst = max(worst, took / given.seconds)
        print(f"{name:<22}{took:6.2f} s of {given.seconds:.0f}", flush=True)
    ours.close()
    print(f"the most {worst:.2%} of a processor (at most {BAR:.0%})")
    return int(worst > BAR)


if __name__ == "__main__":
    sys.exit(main())
