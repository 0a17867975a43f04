"""How many memories of a list have each tier, kind, label, folder, state and project."""

from __future__ import annotations

from tui_memory.model import EVERYTHING, Filters, MemoryState
from tui_memory.store.db import Store
from tui_memory.store.filters import ALL, where

MOST = 100
"""Values of one facet, the most frequent first."""
EVERYWHERE = ""
"""The project facet's name for memories that belong to all projects."""

_FACETS = {
    "tier": "SELECT m.tier, count(*) FROM memories m WHERE {where} GROUP BY 1",
    "kind": "SELECT m.kind, count(*) FROM memories m WHERE {where} GROUP BY 1",
    "label": "SELECT l.label, count(*) FROM memory_labels l JOIN memories m ON m.id = l.memory_id"
    " WHERE {where} GROUP BY 1",
    # rtrim by every sign but the slash leaves the folder, with its slash.
    "file": "SELECT rtrim(f.path, replace(f.path, '/', '')), count(DISTINCT f.memory_id) FROM memory_files f"
    " JOIN memories m ON m.id = f.memory_id WHERE {where} GROUP BY 1",
    "project": "SELECT p.name, n FROM (SELECT m.project_id, count(*) AS n FROM memories m WHERE {where} GROUP BY 1)"
    " LEFT JOIN projects p ON p.id = project_id",
}


def facets(store: Store, filters: Filters = EVERYTHING, state: str = MemoryState.ACTIVE) -> dict[str, dict[str, int]]:
    """Counts by facet and value, most frequent first. States are counted over all states."""
    sql, values = where(filters, state)
    found = {
        name: {row[0] or EVERYWHERE: row[1] for row in store.rows(_ordered(query, sql), values)}
        for name, query in _FACETS.items()
    }
    sql, values = where(filters, ALL)
    query = "SELECT m.state, count(*) FROM memories m WHERE {where} GROUP BY 1"
    return found | {"state": dict(map(tuple, store.rows(_ordered(query, sql), values)))}


def _ordered(query: str, where_sql: str) -> str:
    return f"{query.format(where=where_sql)} ORDER BY 2 DESC, 1 LIMIT {MOST}"
