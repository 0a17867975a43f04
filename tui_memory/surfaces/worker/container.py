"""What a container starts: `python -m tui_memory.surfaces.worker.container [health | COMMAND…]`.

Without a word it is the store's worker in the foreground, which never leaves for being idle; `health` says whether that
worker answers; anything else is a command of the program, on the same store.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tui_memory import places
from tui_memory.errors import TuiMemoryError

BUSY = 5


def main(arguments: Sequence[str]) -> int:
    """Do what is asked; the exit code, as the contract numbers them."""
    if not arguments:
        return work(places.home())
    if list(arguments) == ["health"]:
        return health(places.home())
    from tui_memory.surfaces.cli.main import run

    return run(arguments)


def work(home: Path) -> int:
    """Serve the store until told to stop. What keeps it from that is a sentence on stderr: nobody reads its log."""
    from tui_memory.store.connection import connect
    from tui_memory.surfaces.worker import __main__ as worker
    from tui_memory.surfaces.worker import standing

    try:
        connect(home).close()
        lock = standing.take_lock(home)
    except TuiMemoryError as error:
        return _told(error.message, error.exit_code)
    except OSError as error:
        return _told(_unwritable(home, error), BUSY)
    if lock is None:
        return _told(
            f"Another worker serves the store at {home} already, so this one leaves. Nothing was changed.", BUSY
        )
    worker.detach()
    print(f"tui-memory: serves the store at {home}", file=sys.stderr, flush=True)
    return worker.serve(home, math.inf, lock)


def health(home: Path) -> int:
    """Whether the worker answers, which it does by reading the store."""
    from tui_memory.engine import worker_client

    found = worker_client.status(home)
    if not found["running"]:
        return _told("The worker does not answer.", 1)
    print(f"The worker answers; {found['queue']} turns wait")
    return 0


def _unwritable(home: Path, error: OSError) -> str:
    return (
        f"The store at {home} cannot be written by user {os.geteuid()}: {error.strerror}. Nothing was changed; give the"
        f" volume to that user (chown -R {os.geteuid()}:{os.getegid()} on its folder)."
    )


def _told(sentence: str, code: int) -> int:
    print(f"tui-memory: {sentence}", file=sys.stderr, flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
