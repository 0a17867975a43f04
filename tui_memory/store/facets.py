"""How many memories of a list have each tier, kind, label, folder, state and project."""

from __future__ import annotations

from tui_memory.model import EVERYTHING, Filters, MemoryState
from tui_memory.store import rules
from tui_memory.store.db import Store
from tui_memory.store.filters import ALL, where

MOST = 100
"""Values of one facet, the most frequent first."""
EVERYWHERE = ""
"""The project facet's name for memories that belong to all projects."""

_FACETS = {
    "tier": "SELECT m.tier, count(*) FROM memories m WHERE {where} GROUP BY 1",
    "kind": "SELECT m.kind, count(*) FROM memories m WHERE {where} GROUP BY 1",
    "label": "SELECT label, count(*) FROM memory_labels WHERE memory_id {those} GROUP BY 1",
    # rtrim by every sign but the slash leaves the folder, with its slash.
    "file": "SELECT rtrim(path, replace(path, '/', '')), count(DISTINCT memory_id) FROM memory_files"
    " WHERE memory_id {those} GROUP BY 1",
    "project": "SELECT p.name, n FROM (SELECT m.project_id, count(*) AS n FROM memories m WHERE {where} GROUP BY 1)"
    " LEFT JOIN projects p ON p.id = project_id",
}


def facets(store: Store, filters: Filters = EVERYTHING, state: str = MemoryState.ACTIVE) -> dict[str, dict[str, int]]:
    """Counts by facet and value, most frequent first. States are counted over all states."""
    sql, values = where(filters, state)
    those = _those(store, sql, values)
    found = {name: _counted(store, query.format(where=sql, those=those), values) for name, query in _FACETS.items()}
    sql, values = where(filters, ALL)
    return found | {
        "state": _counted(store, f"SELECT m.state, count(*) FROM memories m WHERE {sql} GROUP BY 1", values)
    }


def _those(store: Store, sql: str, values: list[object]) -> str:
    """The matching memories as a set: by the others where those are fewer, so that the set to build stays small."""
    matching, every = store.rows(
        f"SELECT (SELECT count(*) FROM memories m WHERE {sql}), (SELECT count(*) FROM memories)", values
    )[0]
    if matching * 2 < every:
        return f"IN (SELECT id FROM memories m WHERE {sql})"
    return f"NOT IN (SELECT id FROM memories m WHERE ({sql}) IS NOT TRUE)"


def _counted(store: Store, query: str, values: list[object]) -> dict[str, int]:
    rows = store.rows(f"{query} ORDER BY 2 DESC, 1 LIMIT {MOST}", values)
    mask = rules.reading(store) or str
    return {mask(row[0] or EVERYWHERE): row[1] for row in rows}
