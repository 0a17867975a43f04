"""Counts that only grow: captured, stored, dropped.REASON, redacted.KIND, unscanned … Standard library only."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from tui_memory.light import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_memory.store.db import Store


def bump(connection: sqlite3.Connection, name: str, n: int = 1) -> None:
    """Raise one counter; inside the caller's transaction."""
    bump_many(connection, {name: n})


def bump_many(connection: sqlite3.Connection, counts: Mapping[str, int]) -> None:
    """Raise several counters; inside the caller's transaction."""
    connection.executemany(
        "INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
        counts.items(),
    )


def all(store: Store) -> dict[str, int]:  # noqa: A001 - `counters.all(store)` reads as what it is
    """Every counter by name."""
    return {row[0]: row[1] for row in store.rows("SELECT name, value FROM counters ORDER BY name")}
