"""The open store that every module of this package takes: one connection a thread, transactions, identity."""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from tui_memory.store.connection import connect, immediate, narrow_all, refuse_network
from tui_memory.store.faults import explained

if TYPE_CHECKING:
    from sqlite_utils import Database

    from tui_memory.store.rules import Mask

_CACHE_KB = 16_000  # SQLite's own 2 MB read large lists from the file again and again

_ALL_CACHES = 4_000_000  # bytes, of all connections of this process: each thread's would grow with the store

_LOOK_UP = 20_000  # steps of SQLite's machine, about a millisecond's


class Store:
    """A store's directory, open. Safe to share between threads; every process opens its own. Raises StoreError."""

    def __init__(self, home: Path, *, worker: bool = False, create: bool = True, timeout: float = 5.0) -> None:
        self.home = Path(home)
        self._worker, self._create, self._timeout = worker, create, timeout
        self._local = threading.local()
        self._lock = threading.Lock()
        self._all: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self.mask: Mask | None = None
        self.narrowed: list[Path] = []
        """What others could read until it was opened."""
        if sys.platform != "linux":  # there every connection looks
            refuse_network(self.home)
        self._narrow()  # first, so that it can be said what was open to others
        _ = self.connection
        self._narrow()

    def _narrow(self) -> None:
        with suppress(OSError):  # a file that came or went meanwhile, or a read-only disk: doctor looks again
            self.narrowed += narrow_all(self.home)

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection (rows by name, no implicit transactions)."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = connect(self.home, create=self._create, timeout=self._timeout, worker=self._worker)
            found.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            found.execute(f"PRAGMA soft_heap_limit = {_ALL_CACHES}")
            self._keep(found)
            self._local.connection = found
        return found

    def _keep(self, opened: sqlite3.Connection) -> None:
        """Remember a connection until the store is closed, or its thread has ended."""
        with self._lock:
            for thread, connection in self._all:
                if not thread.is_alive():
                    connection.close()
            self._all = [pair for pair in self._all if pair[0].is_alive()]
            self._all.append((threading.current_thread(), opened))

    @property
    def db(self) -> Database:
        """This thread's connection as sqlite-utils sees it."""
        found: Database | None = getattr(self._local, "db", None)
        if found is None:
            from sqlite_utils import Database

            found = self._local.db = Database(self.connection)
        return found

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection inside BEGIN IMMEDIATE; inside another transaction, a part of that one."""
        connection = self.connection
        with immediate(connection):
            yield connection

    def rows(self, sql: str, values: object = ()) -> list[sqlite3.Row]:
        """All rows of a query with bound values; StoreError where the store cannot be read."""
        with explained(self.home):
            return self.connection.execute(sql, values).fetchall()  # type: ignore[arg-type]

    @contextmanager
    def cancelling(self, is_stale: Callable[[], bool]) -> Iterator[None]:
        """Queries of this thread inside are broken off (StoreError) once `is_stale` says that nobody waits for them."""
        connection = self.connection
        connection.set_progress_handler(is_stale, _LOOK_UP)
        try:
            yield
        finally:
            connection.set_progress_handler(None, 0)

    def data_version(self) -> int:
        """A number that differs whenever the store has changed. Compare only values taken in one thread."""
        with explained(self.home):
            others: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        return (others << 40) + self.connection.total_changes  # data_version leaves out what this connection wrote

    @cached_property
    def groups_made(self) -> set[int]:
        """The journal's groups that were made through this object: what others did is told from them."""
        return set()

    @cached_property
    def device(self) -> str:
        """The identity of this copy of the store, in the journal."""
        return str(self.rows("SELECT value FROM meta WHERE key = 'device'")[0][0])

    def close(self) -> None:
        """Close every thread's connection; the store cannot be used after it.

        One that another thread may be in the middle of is broken off, and closed by the last to let go of it: closing
        it here would take the statement away from under that thread, which ends the process.
        """
        with self._lock:
            for thread, connection in self._all:
                if thread is threading.current_thread() or not thread.is_alive():
                    connection.close()
                else:
                    connection.interrupt()
            self._all.clear()
        self._local = threading.local()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
