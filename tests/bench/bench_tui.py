"""How soon the application is there, beside an empty Textual application of the same environment, in a real terminal.

    python -m tests.bench.bench_tui [--memories 100000] [--runs 5]

Process start to first paint: at most 1.5; to the first page of rows, opened on Live and opened on Memories: at
most 2. Then ten keys while the worker loads its model, each answered within 100 ms. The store is made
once a size and kept in the temporary directory. Leaves with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import random
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from contextlib import suppress
from pathlib import Path

from tui_memory.engine.memory import Memory

ROOT = Path(__file__).resolve().parent.parent.parent
BAR_PAINT, BAR_ROWS, BAR_KEY_MS = 1.5, 2.0, 100.0
MARK = "empty-and-ready"
EMPTY = f"""
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static({MARK!r})
Empty().run()
"""
OURS = "import sys; from pathlib import Path; from tui_memory.tui.app import run; run(Path(sys.argv[1]))"
ON = "from tui_memory.store import ui_state as ui; ui.read = lambda home: ui.Kept({{'app': {{'screen': {!r}}}}}); "
ON_LIVE, ON_MEMORIES = (ON.format(room) + OURS for room in ("live", "memories"))
WORDS = ["retry", "timeout", "payment", "cache", "index", "order", "token", "session", "socket", "migration", "deploy"]


def store(size: int) -> Path:
    """A store of so many memories and two thousand observations, made once."""
    home = Path(tempfile.gettempdir()) / f"tui-memory-bench-tui-{size}"
    memory, rand = Memory(home, embedding="none"), random.Random(7)
    for at in range(memory.count(), size, 5_000):
        memory.add_many([_memory(number, rand) for number in range(at, min(at + 5_000, size))], embed=False)
    for number in range(len(memory.observations(limit=2_000)), 2_000):
        memory.capture("claude-code", _event(number))
    memory.close()
    return home


def _memory(number: int, rand: random.Random) -> dict[str, object]:
    return {
        "title": f"Row {number} {' '.join(rand.sample(WORDS, 4))}",
        "text": " ".join(rand.choices(WORDS, k=60)),
        "kind": rand.choice(("decision", "bugfix", "feature", "discovery")),
        "files": [f"src/{rand.choice(WORDS)}/{rand.choice(WORDS)}.py"],
    }


def _event(number: int) -> dict[str, object]:
    return {
        "session_id": f"bench-{number // 50}", "hook_event_name": "UserPromptSubmit", "cwd": "/nowhere",
        "prompt": f"Prompted {number} about {WORDS[number % len(WORDS)]}",
    }  # fmt: skip


class Terminal:
    """A program in a pseudo-terminal of 100×30, and the time since it was started."""

    def __init__(self, code: str, *arguments: str) -> None:
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", TUI_MEMORY_CONFIG="/nowhere/config.yaml")
            os.execv(sys.executable, [sys.executable, "-c", code, *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.seen = b""

    def until(self, mark: str, limit: float = 30.0) -> float:
        """Seconds from the start until the text was written; TimeoutError."""
        while mark.encode() not in self.seen:
            if not self._read(limit):
                raise TimeoutError(f"{mark!r} did not appear in {limit} s; the end of what did: {self.seen[-300:]!r}")
        return time.perf_counter() - self.started

    def _read(self, wait: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], wait)
        if ready:
            self.seen += os.read(self.fd, 65_536)
        return bool(ready)

    def press(self, key: str) -> None:
        """Send a key."""
        os.write(self.fd, key.encode())

    def answer(self, key: str, limit: float = 5.0) -> float:
        """Milliseconds from a key to the next thing that is drawn."""
        while self._read(0.02):
            self.seen = b""
        sent = time.perf_counter()
        self.press(key)
        if not self._read(limit):
            raise TimeoutError(f"nothing was drawn in {limit} s after {key!r}")
        return (time.perf_counter() - sent) * 1000

    def close(self) -> None:
        """End the program that was started here."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def once(home: Path, last: int) -> tuple[float, float, float, float]:
    """Seconds to: the empty application's paint, ours, the first rows of Live, the first rows of Memories."""
    empty = Terminal(EMPTY)
    baseline = empty.until(MARK)
    empty.close()
    ours = Terminal(ON_LIVE, str(home))
    paint, live = ours.until("Playground"), ours.until("Prompted 1999")
    ours.close()
    ours = Terminal(ON_MEMORIES, str(home))
    rows = ours.until(f"Row {last} ")
    ours.close()
    return baseline, paint, live, rows


def keys(home: Path, last: int) -> list[float]:
    """Milliseconds until each of ten keys was answered, the worker being started by the application meanwhile."""
    with Memory(home, embedding="none") as memory:
        memory.stop_worker()
    ours = Terminal(ON_LIVE, str(home))
    ours.until("Playground")
    ours.press("2")
    ours.until(f"Row {last} ")
    took = [ours.answer("j") for _ in range(10)]
    ours.close()
    return took


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    home, last = store(given.memories), given.memories - 1
    once(home, last)  # files and bytecode in the system's cache for all alike
    runs = [once(home, last) for _ in range(given.runs)]
    empty, paint, live, rows = (statistics.median(values) for values in zip(*runs, strict=True))
    slowest = max(keys(home, last))
    print(f"empty Textual application   {empty * 1000:6.0f} ms")
    bars = [
        ("first paint", paint, BAR_PAINT),
        ("first rows, Live", live, BAR_ROWS),
        ("first rows, Memories", rows, BAR_ROWS),
    ]
    for name, value, bar in bars:
        print(f"{name:<27} {value * 1000:6.0f} ms   ratio {value / empty:.2f}   (at most {bar})")
    print(f"slowest of ten keys         {slowest:6.0f} ms              (at most {BAR_KEY_MS:.0f})")
    with Memory(home, embedding="none") as memory:
        memory.stop_worker()
    return int(any(value / empty > bar for _, value, bar in bars) or slowest > BAR_KEY_MS)


if __name__ == "__main__":
    sys.exit(main())
