"""How far a part of the program has come: numbers in `meta`, by name."""

from __future__ import annotations

from collections.abc import Mapping

from tui_memory.store.db import Store


def get(store: Store, name: str) -> int:
    """The number of this name; 0 where there is none."""
    row = store.rows("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (name,))
    return int(row[0][0]) if row else 0


def has(store: Store, name: str) -> bool:
    """Whether there is a number of this name."""
    return bool(store.rows("SELECT 1 FROM meta WHERE key = ?", (name,)))


def put(store: Store, values: Mapping[str, int]) -> None:
    """Remember numbers, all or none. One that is the same as before changes nothing, and wakes nobody who watches."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            " WHERE value <> excluded.value",
            ((name, str(value)) for name, value in values.items()),
        )
