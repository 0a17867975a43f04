"""What this store knows of its team's hub: the change of a memory it saw last, texts that stand beside each other."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui_memory.store import joining

_IN = "IN (SELECT value FROM json_each(?))"


class Beside(NamedTuple):
    """A text that is not current, beside the one that is; writers are logins of the hub, empty for this store's own."""

    other: int
    """Its version."""
    current: int
    writer: str
    current_writer: str


def seen(connection: sqlite3.Connection, moments: Iterable[tuple[int, int]]) -> None:
    """Remember which change of a memory the hub has, and this store knows: (memory, ms)."""
    connection.executemany(
        "INSERT INTO hub_memories VALUES (?, ?) ON CONFLICT (memory_id) DO UPDATE SET changed = excluded.changed"
        " WHERE changed <> excluded.changed",
        moments,
    )


def beside(connection: sqlite3.Connection, found: Iterable[Beside]) -> None:
    """Note texts whose writers did not know of each other."""
    connection.executemany("INSERT OR REPLACE INTO hub_texts VALUES (?, ?, ?, ?)", found)


def follow(connection: sqlite3.Connection, version: int, now: int, writer: str) -> None:
    """Somebody else's text took the place of the current one: what stood beside that stands beside the new one."""
    connection.execute(
        "UPDATE hub_texts SET current = ?2, current_writer = ?3 WHERE current = ?1 AND ?1 <> ?2", (version, now, writer)
    )


def current(connection: sqlite3.Connection, uids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """(memory, its current version) of each that has one, by uid."""
    found = connection.execute(
        f"SELECT uid, id, version_id FROM memories WHERE version_id > 0 AND uid {_IN}", (json.dumps(list(uids)),)
    )
    return {row[0]: (row[1], row[2]) for row in found}


def differ(connection: sqlite3.Connection, one: int, other: int) -> bool:
    """Whether two versions say anything else; not where one of them was purged meanwhile."""
    said = f"SELECT DISTINCT {', '.join(joining.BODY)} FROM versions WHERE id IN (?, ?)"
    return len(connection.execute(said, (one, other)).fetchall()) > 1
