"""Names of memories that the working tree no longer has, as they were last found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui_memory.clock import now_ms
from tui_memory.model import EVERYTHING, Filters
from tui_memory.store import rules
from tui_memory.store.db import Store
from tui_memory.store.filters import where


class GoneRow(NamedTuple):
    """A name of a version that is gone. `kind`: 0 file, 1 symbol, 2 setting, 3 command."""

    memory: int
    version: int
    name: str
    kind: int
    renamed_to: str | None
    commit: str


_STANDING = """
SELECT g.memory_id, g.version_id, g.name, g.kind, g.renamed_to, g.taken_by FROM upkeep_gone g
    JOIN memories m ON m.id = g.memory_id AND m.version_id = g.version_id
WHERE {} ORDER BY g.memory_id, g.kind, g.name
"""


def standing(store: Store, filters: Filters = EVERYTHING) -> list[GoneRow]:
    """What active memories name that is gone, by memory."""
    sql, values = where(filters)
    return _rows(store, _STANDING.format(sql), tuple(values))


def count(store: Store) -> int:
    """How many active memories name something that is gone."""
    mine, values = where(EVERYTHING)
    sql = (
        "SELECT count(DISTINCT g.memory_id) FROM upkeep_gone g"
        f" JOIN memories m ON m.id = g.memory_id AND m.version_id = g.version_id WHERE {mine}"
    )
    return int(store.rows(sql, tuple(values))[0][0])


def of(store: Store, memories: Sequence[int]) -> list[GoneRow]:
    """What these memories name that is gone, whatever their state."""
    wanted = "m.id IN (SELECT value FROM json_each(?))"
    return _rows(store, _STANDING.format(wanted), (json.dumps(list(memories)),))


def put(store: Store, found: Iterable[GoneRow], examined: Sequence[int]) -> None:
    """Say what is gone of the memories that were examined."""
    moment = now_ms()
    with store.transaction() as connection:
        connection.executemany("DELETE FROM upkeep_gone WHERE memory_id = ?", ((memory,) for memory in examined))
        connection.executemany(
            "INSERT OR REPLACE INTO upkeep_gone SELECT ?, ?2, ?3, ?4, ?5, ?6, ?7"
            " WHERE EXISTS (SELECT 1 FROM versions WHERE id = ?2)",
            ((*row, moment) for row in found),
        )


def _rows(store: Store, sql: str, values: tuple[object, ...]) -> list[GoneRow]:
    found = [GoneRow(*row) for row in store.rows(sql, values)]
    mask = rules.reading(store)
    if mask is None:
        return found
    return [row._replace(name=mask(row.name), renamed_to=mask(row.renamed_to or "") or None) for row in found]
