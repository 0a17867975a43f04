"""How the store grew: one row a day, and how fast that was."""

from __future__ import annotations

from typing import NamedTuple

from tui_memory.store.db import Store

DAY_MS = 86_400_000
COUNTED = "state NOT IN ('trash', 'undone')"
"""Which memories `max_memories` counts."""
_KEPT, _WINDOW = 400, 30  # days of records; days that a pace is taken from
_EMPTY = 440_000  # bytes of a store that holds nothing yet


class Pace(NamedTuple):
    """What a day adds."""

    memories: float
    bytes: float


def memories(store: Store) -> int:
    """How many memories there are, those in the trash left out."""
    return int(store.rows(f"SELECT count(*) FROM memories WHERE {COUNTED}")[0][0])


def record(store: Store, moment: int, size: int) -> None:
    """Remember how large the store is today; the day's last word counts."""
    day = moment // DAY_MS
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO upkeep_days VALUES (?, ?, ?)", (day, memories(store), size))
        connection.execute("DELETE FROM upkeep_days WHERE day < ?", (day - _KEPT,))


def gross(store: Store, moment: int, size: int) -> Pace:
    """What a day brings in, whatever goes meanwhile: by when the memories there are were made."""
    made = store.rows(
        "SELECT count(*), min(created) FROM memories"
        " WHERE state IN ('active', 'superseded', 'merged', 'held', 'trash') AND created BETWEEN ? AND ?",
        (moment - _WINDOW * DAY_MS, moment),
    )[0]
    days = max((moment - (made[1] or moment)) / DAY_MS, 1.0)
    count = store.rows("SELECT count(*) FROM memories")[0][0]
    return Pace(made[0] / days, made[0] / days * max(size - _EMPTY, 0) / max(count, 1))


def pace(store: Store, moment: int, size: int) -> Pace:
    """What a day adds on the whole: over the last month of records, or what comes in where there are none."""
    rows = store.rows(
        "SELECT day, memories, bytes FROM upkeep_days WHERE day BETWEEN ? AND ? ORDER BY day",
        (moment // DAY_MS - _WINDOW, moment // DAY_MS),
    )
    if len(rows) < 2 or (days := rows[-1]["day"] - rows[0]["day"]) < 2:
        return gross(store, moment, size)
    return Pace(*(max((rows[-1][name] - rows[0][name]) / days, 0.0) for name in ("memories", "bytes")))
