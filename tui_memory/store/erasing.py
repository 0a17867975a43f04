"""Deleted text made unreadable in every file of the store: search segments, freed pages, the log, snapshots, copies.

Deleting rows is one transaction; what follows here can be held up by a reader, or by a kill. A row in `meta` says
that it is not done, from that same transaction on: whoever comes next (a purge, the worker) finishes it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from tui_memory import places
from tui_memory.clock import now_ms
from tui_memory.errors import StoreError, UnfinishedError
from tui_memory.store import filelock
from tui_memory.store.db import Store
from tui_memory.store.faults import explained

PENDING = "erasing"
"""The meta row of what is not finished: JSON, the copies inside the store that hold deleted text."""
EPOCH = "erased"
"""The meta row that counts erasures: an index that was made before the last one may hold what is gone."""
ERASURES = "erasures"
"""The meta row that counts what was to be forgotten, without what upkeep deletes for room: segments may hold it."""
PATIENCE = 10.0
"""Seconds to wait for readers."""

_STEP = 0.05  # seconds between attempts: never the write lock while waiting, or a hook's event would wait as well


def begin(connection: sqlite3.Connection, copies: Iterable[str] = ()) -> None:
    """Remember, inside the transaction that deletes, what is to be finished; `copies`: paths within the store."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (PENDING,)).fetchone()
    before = json.loads(row[0])["copies"] if row else []
    value = json.dumps({"since": now_ms(), "copies": sorted({*before, *copies})})
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (PENDING, value))
    connection.execute(_COUNT, (ERASURES,))
    count(connection)


_COUNT = "INSERT INTO meta VALUES (?, '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"


def count(connection: sqlite3.Connection) -> None:
    """Say that texts are gone: vectors of them that a process holds are to be left out."""
    connection.execute(_COUNT, (EPOCH,))


def pending(store: Store) -> bool:
    """Whether text that was deleted may still be in a file."""
    return bool(store.rows("SELECT 1 FROM meta WHERE key = ?", (PENDING,)))


def epoch(store: Store) -> int:
    """How often something was erased from this store."""
    row = store.rows("SELECT value FROM meta WHERE key = ?", (EPOCH,))
    return int(row[0][0]) if row else 0


def finish(store: Store, *, patience: float | None = None, on_step: Callable[[str], None] | None = None) -> None:
    """Take deleted text out of every file of the store; nothing to do where nothing is pending.

    UnfinishedError where a reader does not let go within `patience` seconds (None: PATIENCE), or the disk is too full
    to rewrite the file: it stays remembered, and can be called again.
    """
    patience = PATIENCE if patience is None else patience
    tell = on_step or (lambda _step: None)
    row = store.rows("SELECT value FROM meta WHERE key = ?", (PENDING,))
    if not row:
        return
    until = time.monotonic() + patience
    tell("waiting for readers")
    _empty_log(store, until)  # before the costly steps: where somebody reads, they would be for nothing
    _rewrite(store, tell)
    _empty_log(store, until + patience)
    tell("removing copies")
    for left in store.home.glob("edit-*"):  # what an application that was killed had lent to an editor
        _unlink(left)
    _drop_snapshots(store.home, until + patience)
    for report in places.reports_dir(store.home).glob("*"):  # titles are in them; they can be made again
        _unlink(report)
    for name in json.loads(row[0][0])["copies"]:
        _unlink(store.home / name)
    with store.transaction() as connection:
        connection.execute("DELETE FROM meta WHERE key = ? AND value = ?", (PENDING, row[0][0]))
    if pending(store):  # another deletion came in between
        finish(store, patience=patience, on_step=on_step)


def _rewrite(store: Store, tell: Callable[[str], None]) -> None:
    """Drop what the search index still has of deleted rows (it knows no secure deletion), then every old page."""
    try:
        with explained(store.home):
            tell("rewriting the search index")
            store.connection.execute("INSERT INTO search_text (search_text) VALUES ('optimize')")
            tell("rewriting the file")
            store.connection.execute("VACUUM")
    except StoreError as error:
        raise UnfinishedError(_held(f"the store's file could not be rewritten ({error.__cause__})")) from error


def copies_with(home: Path, uids: Iterable[str]) -> list[str]:
    """The back-ups inside the store, as paths within it, that hold one of these rows; one that cannot be read does."""
    folder = home / "backups"
    listed = json.dumps(list(uids))
    found = sorted(folder.rglob("*.db*")) if folder.is_dir() else []
    return [str(path.relative_to(home)) for path in found if _holds(path, listed)]


def _holds(path: Path, uids: str) -> bool:
    sql = "SELECT EXISTS (SELECT 1 FROM {} WHERE uid IN (SELECT value FROM json_each(?)))"
    try:
        with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as copy:
            return any(copy.execute(sql.format(table), (uids,)).fetchone()[0] for table in ("memories", "observations"))
    except sqlite3.Error:
        return True


def _empty_log(store: Store, until: float) -> None:
    """Copy the log into the database and cut it to nothing, as soon as nobody reads an older state."""
    connection = store.connection
    usual = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    connection.execute("PRAGMA busy_timeout = 20")
    try:
        while True:
            with explained(store.home):
                if not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                    return
            if time.monotonic() >= until:
                raise UnfinishedError(_held("a program still reads the store as it was before"))
            time.sleep(_STEP)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {usual:d}")


def _held(why: str) -> str:
    return (
        f"What was to be forgotten is deleted and in no list or search, but {why}, so its bytes may still be in the"
        " store's files. It is not finished: end that program (the application, an agent's memory server) and give the"
        " same command again; the worker tries again as well."
    )


def _drop_snapshots(home: Path, until: float) -> None:
    """Remove the vector index's files: whoever writes one holds the lock, and knows of the deletion after it."""
    folder = places.vectors_dir(home)
    if not folder.is_dir():
        return
    while (descriptor := filelock.take(folder / "lock")) is None:
        if time.monotonic() >= until:
            raise UnfinishedError(_held("the vector index is being written"))
        time.sleep(_STEP)
    try:
        for path in folder.iterdir():
            if path.name != "lock":
                _unlink(path)
    finally:
        os.close(descriptor)


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UnfinishedError(_held(f"{path} cannot be removed ({error.strerror})")) from error
