"""`python -m tui_memory.surfaces.worker --home PATH [--idle SECONDS]`: become the store's worker, or leave at once."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

IDLE = 600.0


def main(arguments: list[str] | None = None) -> int:
    """Run the worker; 0 also where another one has the store. The heavy imports come after the lock."""
    parser = argparse.ArgumentParser(prog="tui-memory-worker")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--idle", type=float, default=IDLE, help="leave after so many seconds without work")
    chosen = parser.parse_args(arguments)
    home: Path = chosen.home.absolute()

    from tui_memory.surfaces.worker import standing

    lock = standing.take_lock(home)
    if lock is None:
        return 0
    detach()
    return serve(home, chosen.idle, lock)


def detach() -> None:
    """A session of our own: what ends the agent's process group must not end the worker."""
    if os.getpid() != os.getsid(0):
        try:
            os.setsid()
        except PermissionError:
            return  # already the leader of a group: nobody's group but our own
    sys.setswitchinterval(0.001)  # an event's thread must not wait long for one that computes


def serve(home: Path, idle: float, lock: int) -> int:
    """Serve the store until it is time to leave; `lock` is the descriptor of its lock, held."""
    import asyncio

    from tui_memory.errors import TuiMemoryError
    from tui_memory.surfaces.worker import standing
    from tui_memory.surfaces.worker.logs import open_log, what
    from tui_memory.surfaces.worker.server import Server

    log = open_log(home)
    try:
        server = Server(home, idle, log, lock)
        listening, path = standing.bind(home)
        standing.write_note(home, path)
    except (TuiMemoryError, OSError) as error:
        log.error("cannot start: %s", what(error))
        return 5
    log.info("serves, idle time %.0f s", idle)
    try:
        asyncio.run(server.run(listening))
    except Exception as error:
        log.error("ended: unexpected %s", what(error))  # nobody else hears of it; the next event starts a new one
    finally:
        if standing.holds(lock, home):
            standing.leave(home, path)
    # A model call may still run on its thread; its turn is leased and comes again.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
