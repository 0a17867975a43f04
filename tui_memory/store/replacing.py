"""A whole store's content exchanged for another database's: in one transaction of SQLite's, while nobody has it open.

The file itself is never exchanged: whoever opened the old one a moment before would go on with its log beside the
new one, which breaks both (https://sqlite.org/howtocorrupt.html, section 2.4).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tui_memory import places
from tui_memory.clock import now_ms
from tui_memory.errors import StoreError
from tui_memory.store import erasing, forgotten, purging, whereabouts
from tui_memory.store.connection import make_directory
from tui_memory.store.db import Store
from tui_memory.store.faults import explained

PATIENCE = 3.0
"""Seconds to wait until whoever has the store open lets go of it."""

_STAYS = f"key IN ('device', '{whereabouts.SHARES}') OR key LIKE 'copy:%' OR key LIKE 'forgotten:%'"
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


@dataclass(frozen=True, slots=True)
class Standing:
    """What a store knows that no older copy of it does, and that is to hold for the copy as well."""

    is_empty: bool = True
    """Whether nothing was ever captured or remembered in it."""
    meta: Mapping[str, str] = field(default_factory=dict)
    """Which device it is, where copies of it lie, which sessions were forgotten, what is shared."""
    purged: frozenset[str] = frozenset()
    """The uids of memories that were purged."""
    epoch: int = 0
    """How often something was erased from it."""


def standing(store: Store) -> Standing:
    """What of this store is to outlive its content. StoreError where it cannot be read."""
    full = store.rows("SELECT EXISTS (SELECT 1 FROM observations) OR EXISTS (SELECT 1 FROM memories)")[0][0]
    purged = store.rows(
        "SELECT j.before ->> 'uid' FROM journal j JOIN journal_groups g ON g.id = j.group_id"
        " WHERE g.action = ? AND j.after IS NULL",
        (purging.ACTION,),
    )
    meta = {row[0]: row[1] for row in store.rows(f"SELECT key, value FROM meta WHERE {_STAYS}")}
    return Standing(not full, meta, frozenset(row[0] for row in purged), erasing.epoch(store))


def carry(copy: Store, known: Standing) -> int:
    """Give a copy that is to become the store what the store knows; what was purged is purged again: how much."""
    with copy.transaction() as connection:
        connection.execute("DELETE FROM meta WHERE key = ?", (whereabouts.SHARES,))  # a link is this machine's
        connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", known.meta.items())
        epoch = max(known.epoch, erasing.epoch(copy)) + 1  # whatever index is in anybody's memory is not of this
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (erasing.EPOCH, str(epoch)))
    gone = 0
    for scope in _forgotten(copy, known):
        found = purging.plan(copy.connection, scope)
        gone += purging.purge(copy, scope, found, "person", lambda _counts: None)[0].count
    if gone:
        erasing.finish(copy)
    return gone


def _forgotten(copy: Store, known: Standing) -> list[purging.Scope]:
    ids = [row[0] for row in copy.rows("SELECT id, uid FROM memories") if row[1] in known.purged]
    sessions = [
        row["session"]
        for row in copy.rows("SELECT agent, session, last_seen FROM sessions")
        if forgotten.holds(copy.connection, row["agent"], row["session"], row["last_seen"])
    ]
    scopes = [purging.Scope(ids=tuple(ids))] if ids else []
    return scopes + [purging.Scope(session=session) for session in sessions]


def replace(home: Path, source: Path, *, keep: bool) -> Path | None:
    """Make the content of the store that of the database `source`; with `keep`, where the old content lies now.

    StoreError where somebody has the store open, or there is no room: then it is as it was.
    """
    path = places.database(home)
    with explained(path), closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as mine:
        _take(mine, path)
        aside = _keep(mine, home) if keep else None
        try:
            with closing(sqlite3.connect(source)) as other:
                other.backup(mine)
        except BaseException:
            if aside:
                aside.unlink()
            raise
        mine.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for file in places.vectors_dir(home).glob("*"):
        if file.name != "lock":
            file.unlink(missing_ok=True)  # a copy of vectors that are no longer there
    return aside


def _take(mine: sqlite3.Connection, path: Path) -> None:
    """Have the store alone, until the connection is closed."""
    mine.execute("PRAGMA locking_mode = EXCLUSIVE")
    try:
        mine.execute("BEGIN IMMEDIATE")
        mine.execute("COMMIT")  # the lock stays: that is what the mode is for
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
        raise StoreError(
            f"A program has the store at {path.parent} open (the application, an agent's memory server, another"
            " command). Nothing was changed; close it and give the same command again."
        ) from error


def _keep(mine: sqlite3.Connection, home: Path) -> Path:
    """A copy of what the store holds, where a purge finds it as it finds every back-up in the store."""
    aside = _aside(home, mine.execute("PRAGMA user_version").fetchone()[0])
    os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        with closing(sqlite3.connect(aside, isolation_level=None)) as copy:
            mine.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except BaseException:
        aside.unlink()
        raise
    return aside


def _aside(home: Path, version: int) -> Path:
    folder = home / "backups"
    make_directory(folder)
    return folder / f"memory-v{version}-{now_ms()}.db"


def is_broken(error: StoreError) -> bool:
    """Whether a store cannot be used because its file is damaged, or no database at all."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF in _CORRUPT


def set_aside(home: Path) -> Path:
    """Move a database that SQLite cannot read out of the way, with its log: where it lies now."""
    aside = _aside(home, 0)
    for ending in ("", "-wal", "-shm"):
        file = Path(f"{places.database(home)}{ending}")
        if file.exists():
            file.replace(f"{aside}{ending}")
    return aside
