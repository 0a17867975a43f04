"""The worker's work between events: projects, closed turns, compression, vectors, the start index, the WAL."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from logging import Logger
from pathlib import Path

import tui_memory
from tui_memory import places
from tui_memory.errors import TuiMemoryError
from tui_memory.store import projects, queue, search_text
from tui_memory.store.db import Store
from tui_memory.surfaces.worker.auditing import Auditing
from tui_memory.surfaces.worker.context import Context
from tui_memory.surfaces.worker.logs import what
from tui_memory.surfaces.worker.model import Model
from tui_memory.surfaces.worker.settings import Watched
from tui_memory.surfaces.worker.tidying import Tidying

SILENCE_MS = 30 * 60_000  # a turn nobody has heard of for so long is over: the agent was killed
WAL_LIMIT = 8 << 20  # bytes; from here on readers get slower
ROUTINE = 60.0  # seconds between looks at what changes rarely
HOLDER = "worker-"  # how the names of workers begin in the queue's leases
REINDEXED = 5  # steps of rewriting search text between looks at what else there is to do
INDEX_AGE = 3600.0  # seconds a start index is good for


_STATE = """
SELECT (SELECT max(id) FROM journal), (SELECT max(id) FROM versions),
    (SELECT max(found) FROM upkeep_gone), (SELECT count(*) FROM upkeep_gone)
"""


class Chores:
    """Each public method runs on the one thread its name says in `server`, and returns whether it changed anything."""

    def __init__(self, store: Store, settings: Watched, model: Model, context: Context, log: Logger) -> None:
        self._store = store
        self._settings = settings
        self._model = model
        self._context = context
        self._log = log
        self._housed: tuple[int, ...] | None = None
        self._embedded: tuple[str, int] | None = None
        self._routine_at = -ROUTINE
        self._package = _package_stamp()
        self._tidying = Tidying(store, settings, log)
        self._tidying.watch()
        self._auditing = Auditing(store, settings, log)
        self.stopping = threading.Event()
        self.outdated = False
        """Set when the program on disk is another one than this process runs."""

    def house(self) -> bool:
        """Resolve new observations' projects, now and then the routine, and the start index where memories changed."""
        projects.assign(self._store)
        if time.monotonic() - self._routine_at > ROUTINE:
            self._routine_at = time.monotonic()
            self._routine()
        if more := self._tidying.scrub_some():
            self._embedded = None  # what it rewrites has no vectors
        more = self._reindex_some() or more
        more = self._auditing.look_some() or more
        state = self._state()
        if state == self._housed:
            return more
        self._context.build_recent()
        self._housed = state
        return True

    def _state(self) -> tuple[int, ...]:
        """What differs once memories have changed, names in them are gone, or an hour has passed: it says ages."""
        row = self._store.rows(_STATE)[0]
        return row[0] or 0, row[1] or 0, row[2] or 0, row[3], int(time.monotonic() // INDEX_AGE)

    def begin(self) -> bool:
        """Take over from the last worker: this one has the store's lock, so that one's leases are nobody's."""
        queue.release(self._store, HOLDER)
        return False

    def _reindex_some(self) -> bool:
        """Rewrite some search text where an earlier program's analyser made it; whether more is left."""
        done = search_text.reindex(self._store, most=REINDEXED)
        if done and not search_text.outdated(self._store):
            self._log.info("search text: made anew")
        return bool(done)

    def look_again(self) -> None:
        """Have the routine run at the next occasion: somebody says that something changed."""
        self._routine_at = -ROUTINE
        self._housed = self._embedded = None

    def _routine(self) -> None:
        queue.close_idle_turns(self._store, SILENCE_MS)
        self._settings.refresh()
        self._tidying.finish()
        self._context.look()
        self._context.count()
        self.outdated = self.outdated or _package_stamp() != self._package
        self.checkpoint(WAL_LIMIT)

    def checkpoint(self, least: int = 0) -> None:
        """Move the WAL into the database once it is larger than `least` bytes."""
        wal = Path(f"{places.database(self._store.home)}-wal")
        if wal.exists() and wal.stat().st_size > least:
            self._store.connection.execute(
                "PRAGMA wal_checkpoint(TRUNCATE)" if not least else "PRAGMA wal_checkpoint(PASSIVE)"
            )

    def drain(self) -> bool:
        """Compress what waits, turn by turn, until nothing does or the worker is to leave."""
        from tui_memory.compress.queue import drain
        from tui_memory.compress.router import Router

        if not queue.waiting(self._store):
            return False  # looked at after every event: leasing would take the write lock each time
        router = Router(self._settings.all)
        name = f"{HOLDER}{os.getpid()}"
        turns = memories = failed = 0
        while not self.stopping.is_set():
            done = drain(self._store, router, worker=name, limit=1)
            turns, memories, failed = turns + done.turns, memories + done.memories, failed + done.failed
            if not done.turns and not done.failed:
                break
        if turns or failed:
            self._log.info("drained: %d turns, %d memories, %d failed", turns, memories, failed)
        return bool(turns)

    def embed(self) -> bool:
        """Load the model if need be and embed what has no vectors yet."""
        from tui_memory.index.work import embed_missing, save_index

        embedder = self._model.load()
        if embedder is None or self.stopping.is_set():
            return False
        newest = embedder.name, self._state()[1]  # another model's vectors are to be made of all there is
        if newest == self._embedded:
            return False
        done = embed_missing(self._store, embedder)
        self._embedded = newest
        if done:
            self._log.info("embedded: %d", done)
        if save_index(self._store):
            self._log.info("vector index: written anew")
        return bool(done)

    def guarded(self, chore: Callable[[], bool]) -> Callable[[], bool]:
        """A chore whose failure is logged and tried again at the next occasion: one bad row must not end the worker."""

        def run() -> bool:
            try:
                return chore()
            except (TuiMemoryError, OSError) as error:
                self._log.error("%s: %s", chore.__name__, what(error))
            except Exception as error:
                self._log.error("%s: unexpected %s", chore.__name__, what(error))
            return False

        return run


def _package_stamp() -> tuple[int, int]:
    """What changes when the program is upgraded or removed."""
    try:
        found = os.stat(tui_memory.__file__)
    except OSError:
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)
