"""What was forgotten for good, by name alone: the other devices are told of it, and nothing brings it back here."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from tui_memory.store import joining, journal, sync_scan
from tui_memory.store.purge_plan import Plan

MEMORY, TEXT, OBSERVATION = "memory", "text", "observation"
KINDS = (MEMORY, TEXT, OBSERVATION)
Tomb = tuple[str, str]
"""(kind, name): a uid; of a text `UID STAMP`."""
SAID, BACKUP_SAID = "sync_said", "backup_said"
"""The meta rows of what the last sync and the last back-up that failed said: they may name what is to be forgotten."""

_IN = "IN (SELECT value FROM json_each(?))"
_NAMES = {
    MEMORY: (f"SELECT uid FROM memories WHERE id {_IN}", "memories"),
    TEXT: (f"SELECT uid || ' ' || stamp FROM sync_texts WHERE version_id {_IN}", "versions"),
    OBSERVATION: (
        f"SELECT o.uid FROM observations o JOIN sync_observations USING (uid) WHERE o.id {_IN}", "observations",
    ),
}  # fmt: skip


def remember(connection: sqlite3.Connection, found: Plan) -> None:
    """Keep the names of what a purge is about to delete, in its transaction."""
    for kind, (sql, what) in _NAMES.items():
        names = [row[0] for row in connection.execute(sql, (json.dumps(sorted(getattr(found, what))),))]
        put(connection, [(kind, name) for name in names])
    connection.execute("DELETE FROM meta WHERE key IN (?, ?)", (SAID, BACKUP_SAID))


def put(connection: sqlite3.Connection, tombs: Iterable[Tomb], via: int = 0) -> None:
    """Keep names; those that are known stay as they are."""
    for kind, name in tombs:
        known = connection.execute("SELECT 1 FROM sync_tombs WHERE kind = ? AND name = ?", (kind, name)).fetchone()
        if known is None:
            values = (kind, name, sync_scan.next_seq(connection), via)
            connection.execute("INSERT INTO sync_tombs VALUES (?, ?, ?, ?)", values)
        if kind == MEMORY:
            connection.execute("DELETE FROM sync_memories WHERE uid = ?", (name,))


def masked(connection: sqlite3.Connection, device: str, versions: Iterable[int]) -> None:
    """Versions whose text was masked in place, in the caller's transaction: to the others that is a new text, and the
    old one is to be forgotten. Nothing, where the store was never synced.
    """
    if connection.execute("SELECT 1 FROM sync_places LIMIT 1").fetchone() is None:
        return
    while not sync_scan.scan(connection):
        continue
    found = connection.execute(
        f"SELECT uid, stamp, version_id, over, head FROM sync_texts WHERE version_id {_IN} ORDER BY stamp",
        (json.dumps(sorted(versions)),),
    ).fetchall()
    for row in found:
        put(connection, [(TEXT, f"{row['uid']} {row['stamp']}")])
        known = sync_scan.load(connection, row["uid"])
        connection.execute("DELETE FROM sync_texts WHERE uid = ? AND stamp = ?", (row["uid"], row["stamp"]))
        if row["head"]:  # the later of several stays the later
            old = known.heads.pop(row["stamp"])
            name = joining.stamp(journal.tick(connection), device)
            known.heads[name] = sync_scan.Head(old.version, {*old.over, row["stamp"]})
            known.stamps["text"] = max(known.heads)
            sync_scan.save(connection, row["uid"], known, via=0)


def names(connection: sqlite3.Connection, kind: str) -> set[str]:
    """All names of a kind."""
    return {row[0] for row in connection.execute("SELECT name FROM sync_tombs WHERE kind = ?", (kind,))}


def texts(connection: sqlite3.Connection) -> set[str]:
    """The stamps of the texts that were purged."""
    return {name.partition(" ")[2] for name in names(connection, TEXT)}


def due(connection: sqlite3.Connection) -> Plan:
    """What is to be forgotten and is still here: another device said so, and a sync was ended before it was done."""
    found = Plan()
    found.memories = _ids(connection, "SELECT id FROM memories m JOIN sync_tombs t ON t.name = m.uid", MEMORY)
    found.observations = _ids(
        connection, "SELECT id FROM observations o JOIN sync_tombs t ON t.name = o.uid", OBSERVATION
    )
    found.versions = _ids(
        connection,
        "SELECT version_id FROM sync_texts s JOIN sync_tombs t ON t.name = s.uid || ' ' || s.stamp",
        TEXT,
    )
    present = f"SELECT id FROM memories WHERE version_id {_IN}"
    found.memories |= {row[0] for row in connection.execute(present, (json.dumps(sorted(found.versions)),))}
    owned = f"SELECT id FROM versions WHERE memory_id {_IN}"
    found.versions -= {row[0] for row in connection.execute(owned, (json.dumps(sorted(found.memories)),))}
    return found


def _ids(connection: sqlite3.Connection, sql: str, kind: str) -> set[int]:
    return {row[0] for row in connection.execute(f"{sql} WHERE t.kind = ?", (kind,))}
