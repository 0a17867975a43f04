"""The hook's whole process beside `python -c pass` of the same environment: `python -m tests.bench.bench_hook`.

Interleaved runs, medians. With a worker: at most 1.0; without one (the event stored by the hook's own child,
a worker's start held off by its lock): at most 4. Leaves with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tui_memory.engine import worker_client

ROOT = Path(__file__).resolve().parent.parent.parent
HOOK = [sys.executable, "-I", "-S", str(ROOT / "tui_memory" / "hook.py"), "claude-code"]
PASS = [sys.executable, "-c", "pass"]
BAR_WORKER, BAR_FALLBACK = 1.0, 4.0


def payloads(count: int) -> list[bytes]:
    """Real tool results, each with an id of its own."""
    folder = ROOT / "tests" / "fixtures" / "claude-code"
    files = sorted(folder.glob("PostToolUse.*.json"))
    values = [json.loads(file.read_text()) for file in files]
    picked = [values[n % len(values)] | {"tool_use_id": f"toolu_{n}"} for n in range(count)]
    return [json.dumps(value).encode() for value in picked]


def timed(command: list[str], home: Path, given: bytes) -> float:
    """Seconds from the start of a process to its end."""
    environment = os.environ | {"TUI_MEMORY_HOME": str(home)}
    began = time.perf_counter()
    subprocess.run(command, input=given, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def measure(home: Path, runs: int) -> tuple[float, float, float]:
    """Median seconds of the hook and of `pass`, and the median of the ratios of neighbouring runs."""
    hooks, bare = [], []
    for given in payloads(runs):
        bare.append(timed(PASS, home, given))
        hooks.append(timed(HOOK, home, given))
    ratios = [hook / base for hook, base in zip(hooks, bare, strict=True)]
    return statistics.median(hooks), statistics.median(bare), statistics.median(ratios)


@contextlib.contextmanager
def with_worker(home: Path) -> Iterator[None]:
    """A worker that is up, its model loaded."""
    worker_client.start(home)
    until = time.monotonic() + 30
    while not worker_client.status(home)["model"] and time.monotonic() < until:
        time.sleep(0.05)
    try:
        yield
    finally:
        worker_client.stop(home)


@contextlib.contextmanager
def without_worker(home: Path) -> Iterator[None]:
    """The worker's lock held, so that no hook starts one."""
    home.mkdir(mode=0o700, exist_ok=True)
    with open(home / "worker.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        timed(HOOK, home, payloads(1)[0])  # the schema is made once in a store's life
        yield


def main() -> int:
    """Print both ratios; 1 where one is over its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    missed = False
    for name, surroundings, bar in (("worker", with_worker, BAR_WORKER), ("no worker", without_worker, BAR_FALLBACK)):
        with tempfile.TemporaryDirectory() as folder, surroundings(Path(folder) / "store"):
            hook, bare, ratio = measure(Path(folder) / "store", runs)
        print(f"hook, {name}: {hook * 1000:.1f} ms, pass {bare * 1000:.1f} ms, ratio {ratio:.2f} (bar {bar})")
        missed = missed or ratio > bar
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
