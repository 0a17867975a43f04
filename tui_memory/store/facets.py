"""How many memories of a list have each tier, kind, label, folder, state and project, and where they live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tui_memory.model import EVERYTHING, Filters, MemoryState
from tui_memory.store import rules, whereabouts
from tui_memory.store.db import Store
from tui_memory.store.filters import ALL, where

MOST = 100
"""Values of one facet, the most frequent first."""
EVERYWHERE = ""
"""The project facet's name for memories that belong to all projects."""

QUICK = ("tier", "kind", "project", "state")
"""Facets that one pass over an index counts."""
SLOW = ("label", "file", "where")
"""Facets that take a look at every label and path of what is listed: seconds where that is a million."""

_QUICK = "SELECT m.state, m.project_id, m.tier, m.kind, count(*) FROM memories m WHERE {where} GROUP BY 1, 2, 3, 4"
_SLOW = {
    "label": "SELECT label, count(*) FROM memory_labels WHERE memory_id {those} GROUP BY 1",
    # rtrim by every sign but the slash leaves the folder, with its slash.
    "file": "SELECT rtrim(path, replace(path, '/', '')), count(DISTINCT memory_id) FROM memory_files"
    " WHERE memory_id {those} GROUP BY 1",
}


def facets(
    store: Store,
    filters: Filters = EVERYTHING,
    state: str = MemoryState.ACTIVE,
    names: Sequence[str] = (*QUICK, *SLOW),
) -> dict[str, dict[str, int]]:
    """Counts by facet (of `names`) and value, most frequent first. States are counted over all states."""
    found = _quick(store, filters, state) if set(names) & set(QUICK) else {}
    slow = [name for name in SLOW if name in names]
    if slow:
        sql, values = where(filters, state)
        those = _those(store, sql, values)
        texts = [name for name in slow if name in _SLOW]
        found |= {name: _counted(store, _SLOW[name].format(those=those), values) for name in texts}
        if "where" in slow:
            found["where"] = whereabouts.counts(store, sql, values)
    return {name: found[name] for name in names}


def _quick(store: Store, filters: Filters, state: str) -> dict[str, dict[str, int]]:
    sql, values = where(filters, ALL)
    counts: dict[str, Counter[str]] = {name: Counter() for name in QUICK}
    projects = {row[0]: row[1] for row in store.rows("SELECT id, name FROM projects")}
    for row in store.rows(_QUICK.format(where=sql), values):
        counts["state"][row[0]] += row[4]
        if state in (ALL, row[0]):
            counts["tier"][row[2]] += row[4]
            counts["kind"][row[3]] += row[4]
            counts["project"][projects.get(row[1], EVERYWHERE)] += row[4]
    mask = rules.reading(store) or str
    return {
        name: {mask(value): n for value, n in sorted(found.items(), key=lambda one: (-one[1], one[0]))[:MOST]}
        for name, found in counts.items()
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
