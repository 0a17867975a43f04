"""A throw-away store that fills with the sample while somebody watches.

The sample goes through the pipeline in a process of its own, so that the application stays as quick as ever;
how far it is stands in the store, where every process can read it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.engine import sample, worker_client
from tui_memory.store.connection import make_directory

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.db import Store

_KEY, _LOCK = "demo", "demo.lock"
_SAY_EVERY = 20  # events between two notes of how far it is: each is a commit


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the sample is: stage (capture, compress, embed, ready), of how many, and the seconds since it began."""

    stage: str
    done: int
    total: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Watched:
    """What somebody who watches the sample sees: how far it is (None: not begun), and whether somebody is at it."""

    progress: Progress | None
    alive: bool


@contextmanager
def store() -> Iterator[Path]:
    """A new store in a temporary directory, being filled; stopped and removed when done with."""
    with tempfile.TemporaryDirectory(prefix="tui-memory-demo-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "store"
        make_directory(home)
        (home / _LOCK).touch(0o600)  # from the first moment on it is known what this store is
        filling = subprocess.Popen(
            [sys.executable, "-m", "tui_memory.engine.demo", str(home)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _end_with_the_terminal(filling, Path(folder))
        try:
            yield home
        finally:
            filling.terminate()
            filling.wait(10)
            worker_client.stop(home)


def _end_with_the_terminal(filling: subprocess.Popen[bytes], folder: Path) -> None:
    """A closed terminal ends the process where it stands: take the store with it. Its worker leaves by itself."""

    def leave(number: int, _frame: object) -> None:
        filling.kill()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(128 + number)

    signal.signal(signal.SIGHUP, leave)


def progress(store: Store) -> Progress | None:
    """How far the sample is in this store; None where it is no demonstration."""
    row = store.connection.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return Progress(**json.loads(row["value"])) if row else None


def watch(store: Store) -> Watched | None:
    """How far the sample is, and whether its process lives; None where the store is no demonstration."""
    try:
        with open(store.home / _LOCK, "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Watched(progress(store), True)
    except OSError:
        return None
    return Watched(progress(store), False)


def _hold(home: Path) -> int:
    """The lock that says somebody fills this store: the system lets go of it however the process ends."""
    make_directory(home)
    descriptor = os.open(home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def fill(memory: Memory) -> Progress:
    """Run the sample through the whole pipeline, saying in the store how far it is; what was said last."""
    started = time.monotonic()
    now = Progress("capture", 0, 0, 0.0)

    def say(stage: str, done: int, total: int) -> None:
        nonlocal now
        now = Progress(stage, done, total, round(time.monotonic() - started, 1))
        if done % _SAY_EVERY == 0 or done == total:
            with memory.store.transaction() as connection:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, json.dumps(asdict(now))))

    sample.judge(memory, sample.build(memory, say))  # so that there is something to measure and tune by
    say("ready", 1, 1)
    return now


def main(home: str) -> None:
    """The process that fills a store. Routes are the rules alone: a demonstration needs no language model."""
    from dataclasses import replace

    from tui_memory import config
    from tui_memory.engine.memory import Memory

    defaults = config.Settings()
    held = _hold(Path(home))
    settings = replace(defaults, compress=replace(defaults.compress, routes=("extractive",)))
    with Memory(home, settings=settings) as memory:
        fill(memory)
    os.close(held)


if __name__ == "__main__":
    main(sys.argv[1])
