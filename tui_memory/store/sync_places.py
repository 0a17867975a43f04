"""Where this store is synced to: what was sent there, which segments are known. Numbers and names, no texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tui_memory.store import folders, marks
from tui_memory.store.db import Store
from tui_memory.store.erasing import ERASURES


@dataclass(slots=True)
class Mark:
    """How far a place was told: up to which change of memories (`sent`) and tombs, which observation, which erasure."""

    place: int
    sent: int = 0
    tombs: int = 0
    observations: int = 0
    erasures: int = 0
    encryption: str = ""
    """How it was encrypted when it was last seen; empty: it was never."""


def mark(store: Store, address: str) -> Mark:
    """How far the place of this address is; one that is new was told nothing."""
    with store.transaction() as connection:
        named = (folders.stored(connection, address),)
        connection.execute("INSERT OR IGNORE INTO sync_places (place) VALUES (?)", named)
        row = connection.execute(
            "SELECT id, sent, tombs, observations, erasures, encryption FROM sync_places WHERE place = ?", named
        ).fetchone()
    return Mark(*row)


def put(store: Store, far: Mark) -> None:
    """Keep how far it is."""
    with store.transaction() as connection:
        connection.execute(
            "UPDATE sync_places SET sent = ?, tombs = ?, observations = ?, erasures = ?, encryption = ? WHERE id = ?",
            (far.sent, far.tombs, far.observations, far.erasures, far.encryption, far.place),
        )


def erasures(store: Store) -> int:
    """How often something was to be forgotten in this store: since the last time, segments may still hold it."""
    return marks.get(store, ERASURES)


def segments(store: Store, place: int) -> set[str]:
    """The segments of a place that were read or written here."""
    return {row[0] for row in store.rows("SELECT name FROM sync_segments WHERE place_id = ?", (place,))}


def know(store: Store, place: int, names: Iterable[str], gone: Iterable[str] = ()) -> None:
    """Remember segments, and forget those that are gone."""
    with store.transaction() as connection:
        connection.executemany("INSERT OR IGNORE INTO sync_segments VALUES (?, ?)", [(place, name) for name in names])
        connection.executemany(
            "DELETE FROM sync_segments WHERE place_id = ? AND name = ?", [(place, name) for name in gone]
        )
