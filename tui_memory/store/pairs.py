"""Pairs of memories that upkeep proposes: numbers alone, for their evidence is in the versions that were compared."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui_memory.clock import now_ms
from tui_memory.model import EVERYTHING, Filters
from tui_memory.store.db import Store
from tui_memory.store.filters import where


class PairRow(NamedTuple):
    """One proposal. `cosine`: None where it was found by words alone."""

    contradicts: bool
    low: int
    high: int
    low_version: int
    high_version: int
    score: float
    cosine: float | None


_STANDING = """
SELECT p.contradicts, p.low, p.high, p.low_version, p.high_version, p.score, p.cosine FROM upkeep_pairs p
    JOIN memories m ON m.id = p.low JOIN memories h ON h.id = p.high
WHERE p.contradicts = ? AND m.state = 'active' AND h.state = 'active'
    AND m.version_id = p.low_version AND h.version_id = p.high_version AND {low} AND {high}
ORDER BY p.score DESC, p.low, p.high
"""


def standing(store: Store, filters: Filters = EVERYTHING, *, contradicts: bool) -> list[PairRow]:
    """Proposals of which both memories are active and still say what was compared, surest first.

    `filters`: both memories are among them.
    """
    low, values = where(filters)
    high = low.replace("m.", "h.")
    rows = store.rows(_STANDING.format(low=low, high=high), (contradicts, *values, *values))
    return [PairRow(bool(row[0]), *tuple(row)[1:]) for row in rows]


def of(store: Store, wanted: Iterable[tuple[bool, int, int]]) -> list[PairRow]:
    """The proposals of these: whether they contradict, low and high; those that were withdrawn are left out."""
    sql = (
        "SELECT contradicts, low, high, low_version, high_version, score, cosine FROM upkeep_pairs"
        " WHERE contradicts = ? AND low = ? AND high = ?"
    )
    rows = [row for one in wanted for row in store.rows(sql, one)]
    return [PairRow(bool(row[0]), *tuple(row)[1:]) for row in rows]


def put(store: Store, found: Iterable[PairRow], examined: Sequence[int]) -> None:
    """Say what stands between the memories that were examined and all others: what is not in `found` is no pair."""
    with store.transaction() as connection:
        connection.executemany(
            "DELETE FROM upkeep_pairs WHERE low = ?1 OR high = ?1", ((memory,) for memory in examined)
        )
        add(store, found, now_ms())


def next_look(store: Store) -> int:
    """The moment (ms) that a look over everything gives its pairs: after all others, also where the clock went back."""
    return max(now_ms(), int(store.rows("SELECT coalesce(max(found), 0) + 1 FROM upkeep_pairs")[0][0]))


def add(store: Store, found: Iterable[PairRow], moment: int) -> None:
    """Add pairs as found at a moment, or find them again; those of texts that were purged meanwhile are left out."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO upkeep_pairs SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8"
            " WHERE EXISTS (SELECT 1 FROM versions WHERE id = ?4) AND EXISTS (SELECT 1 FROM versions WHERE id = ?5)",
            ((*pair, moment) for pair in found),
        )


def drop_older(store: Store, moment: int) -> None:
    """Forget pairs that were not found again since a moment (ms)."""
    with store.transaction() as connection:
        connection.execute("DELETE FROM upkeep_pairs WHERE found < ?", (moment,))


def keyed(store: Store, versions: Sequence[int]) -> set[int]:
    """Which of these versions have a key."""
    sql = "SELECT version_id FROM upkeep_keys WHERE version_id IN (SELECT value FROM json_each(?))"
    return {row[0] for row in store.rows(sql, (json.dumps(list(versions)),))}


def put_keys(store: Store, rows: Sequence[tuple[int, bytes]]) -> None:
    """Remember the keys of versions, as (version id, key): equal texts have equal keys."""
    with store.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO upkeep_keys SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM versions WHERE id = ?1)",
            rows,
        )


def forget(connection: sqlite3.Connection, version: int) -> None:
    """Forget what is known of a version whose text has changed; the next full look finds it again."""
    for table in ("upkeep_pairs", "upkeep_verdicts"):
        connection.execute(f"DELETE FROM {table} WHERE ?1 IN (low_version, high_version)", (version,))
    for table in ("upkeep_keys", "upkeep_gone"):
        connection.execute(f"DELETE FROM {table} WHERE version_id = ?", (version,))


def count(store: Store, *, contradicts: bool) -> int:
    """How many proposals stand."""
    return len(standing(store, contradicts=contradicts))
