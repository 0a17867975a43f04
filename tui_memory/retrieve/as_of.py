"""What the memory said at a moment: each memory's row and version as the journal left them then.

What was purged since is gone, words and vectors with it: it is only counted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_memory.model import EVERYTHING, Filters, Grounding, MadeBy, Memory
from tui_memory.retrieve import filters as masks
from tui_memory.retrieve.columns import Columns
from tui_memory.store import filters as sql
from tui_memory.store import rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.store.db import Store

    Mask = NDArray[np.bool_]

# A row of today says what no change ever touches: when it was made, and in which session.
_THEN = """
WITH last AS (
    SELECT max(j.id) AS id FROM journal j JOIN journal_groups g ON g.id = j.group_id
    WHERE g.time <= ? GROUP BY j.memory_id
)
SELECT j.memory_id, j.after, m.created, m.session_id, v.id AS version, v.tier, v.kind, v.tokens
FROM last JOIN journal j ON j.id = last.id LEFT JOIN memories m ON m.id = j.memory_id
    LEFT JOIN versions v ON v.id = j.after ->> 'version_id' AND v.memory_id = m.id
WHERE j.after IS NOT NULL ORDER BY j.memory_id
"""
_TEXTS = """
SELECT v.*, v.id AS version, m.uid, m.uses, m.last_used, m.created AS begun, s.session
FROM json_each(?) j JOIN versions v ON v.id = j.value JOIN memories m ON m.id = v.memory_id
    LEFT JOIN sessions s ON s.id = m.session_id
"""
_NUMBERS = ("project_id", "pinned", "superseded_by", "updated")


@dataclass(frozen=True, slots=True)
class Past:
    """The memories of a moment, as the search takes them."""

    columns: Columns
    states: dict[int, dict[str, Any]]
    """By id: the journaled row."""
    purged: int
    """Memories of that moment of which nothing is left."""


def at(store: Store, moment: int) -> Past:
    """The store as it stood at a moment (ms). Raises StoreError."""
    import numpy as np

    rows = store.rows(_THEN, (moment,))
    kept = [(row, json.loads(row["after"])) for row in rows if row["version"] is not None]
    numbers: dict[str, list[int]] = {
        "id": [row["memory_id"] for row, _ in kept],
        "version_id": [row["version"] for row, _ in kept],
        "session_id": [row["session_id"] or 0 for row, _ in kept],
        "created": [row["created"] for row, _ in kept],
        "tokens": [row["tokens"] for row, _ in kept],
    }
    numbers |= {name: [int(state.get(name) or 0) for _, state in kept] for name in _NUMBERS}
    words = {name: [str(state.get(name) or "") for _, state in kept] for name in ("state", "branch")}
    words |= {name: [row[name] for row, _ in kept] for name in ("tier", "kind")}
    codes: dict[str, dict[str, int]] = {name: {} for name in words}
    columns = Columns(
        {name: np.array(values, dtype=np.int64) for name, values in numbers.items()},
        {
            name: np.array([codes[name].setdefault(word, len(codes[name])) for word in values], dtype=np.int32)
            for name, values in words.items()
        },
        codes,
    )
    return Past(columns, {row["memory_id"]: state for row, state in kept}, len(rows) - len(kept))


def allowed(store: Store, past: Past, filters: Filters) -> Mask:
    """Which rows the filters let through; labels and files are those of the versions of then."""
    beside = Filters(label=filters.label, path=filters.path, ext=filters.ext)
    having = None if beside == EVERYTHING else masks.among(past.columns, _beside(store, past, beside))
    return masks.allowed(store, past.columns, filters, having)


def _beside(store: Store, past: Past, filters: Filters) -> NDArray[np.int64]:
    globs = [*filters.path, *(f"*.{ext.lstrip('.')}" for ext in filters.ext)]
    parts: list[sql.Condition] = [("v.id IN (SELECT value FROM json_each(?))", [_listed(past)])]
    for column, (condition, values) in (
        ("labels", sql.any_of("value", filters.label)),
        ("files", sql.path_globs("value", globs)),
    ):
        if condition:
            parts.append((f"EXISTS (SELECT 1 FROM json_each(v.{column}) WHERE {condition})", values))
    condition, values = sql.joined(parts)
    return masks.numbers(store, f"SELECT v.memory_id AS id FROM versions v WHERE {condition}", values, column="id")


def _listed(past: Past) -> str:
    return json.dumps(past.columns.numbers["version_id"].tolist())


def load(store: Store, past: Past, ids: Sequence[int]) -> list[Memory]:
    """These memories with the row and the text of then; uses are counted to this day."""
    versions = json.dumps([past.states[id_]["version_id"] for id_ in ids])
    names = {row[0]: row[1] for row in store.rows("SELECT id, name FROM projects")}
    listed = "SELECT memory_id, observation_id FROM memory_sources WHERE memory_id IN (SELECT value FROM json_each(?))"
    sources: dict[int, list[int]] = {}
    for owner, source in store.rows(f"{listed} ORDER BY 1, 2", (json.dumps(list(ids)),)):
        sources.setdefault(owner, []).append(source)
    found = [
        _memory(row, past.states[row["memory_id"]], names, sources.get(row["memory_id"], []))
        for row in store.rows(_TEXTS, (versions,))
    ]
    return rules.shown(store, found)


def _memory(row: sqlite3.Row, state: dict[str, Any], names: dict[int, str], sources: list[int]) -> Memory:
    return Memory(
        id=row["memory_id"], uid=row["uid"], title=row["title"], summary=row["summary"], text=row["text"],
        facts=json.loads(row["facts"]), tier=row["tier"], kind=row["kind"], labels=json.loads(row["labels"]),
        files=json.loads(row["files"]), project=names.get(state["project_id"] or 0), branch=state.get("branch") or "",
        session=row["session"] or "", created=row["begun"], updated=state["updated"], state=state["state"],
        pinned=bool(state["pinned"]), tokens=row["tokens"], uses=row["uses"], last_used=row["last_used"],
        sources=sources,
        made_by=MadeBy(row["route"], row["model"], row["prompt_version"], row["schema_version"]),
        grounding=Grounding(row["retained"], json.loads(row["flagged"])), superseded_by=state["superseded_by"],
        merged_from=[], version=row["version"],
    )  # fmt: skip
