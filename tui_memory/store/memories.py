"""Reading memories: by id, in pages, counted, by facet, and around one in time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from tui_memory.errors import NotFoundError, UsageError
from tui_memory.model import EVERYTHING, Filters, Grounding, MadeBy, Memory, MemoryState
from tui_memory.store import gone, marks, rules, whereabouts
from tui_memory.store.db import Store
from tui_memory.store.facets import facets
from tui_memory.store.filters import ALL, where

__all__ = ["SORTS", "around", "count", "facets", "get", "page", "resolve", "where"]

_COLUMNS = """
SELECT m.id, m.uid, m.version_id, m.branch, m.state, m.pinned, m.superseded_by, m.uses, m.last_used, m.created,
    m.updated, v.title, v.summary, {bodies}, v.tier, v.kind, v.labels, v.files, v.tokens, v.route, v.model,
    v.prompt_version, v.schema_version, v.retained, v.flagged, p.name AS project, s.session
FROM memories m JOIN versions v ON v.id = m.version_id
    LEFT JOIN projects p ON p.id = m.project_id LEFT JOIN sessions s ON s.id = m.session_id
WHERE m.id IN (SELECT value FROM json_each(?))
"""
_WHOLE = _COLUMNS.format(bodies="v.text, v.facts")
_LISTED = _COLUMNS.format(bodies="'' AS text, '[]' AS facts")

_REPLACED = """
SELECT j.memory_id, coalesce(max(iif(j.before IS NULL, NULL, g.time)), max(j.after ->> 'updated'))
FROM journal j JOIN journal_groups g ON g.id = j.group_id
WHERE j.memory_id IN (SELECT value FROM json_each(?)) AND g.undoes IS NULL AND j.after ->> 'superseded_by' IS NOT NULL
    AND (j.before ->> 'superseded_by') IS NOT (j.after ->> 'superseded_by') GROUP BY 1
"""
"""Since when. What came already replaced from another store tells it by its journal, else by its last change."""

_PROMOTED = """
SELECT j.memory_id, p.name FROM journal j JOIN memories m ON m.id = j.memory_id AND m.project_id IS NULL
    JOIN journal_groups g ON g.id = j.group_id AND g.undoes IS NULL AND g.undone = 0
    JOIN projects p ON p.id = j.before ->> 'project_id'
WHERE j.memory_id IN (SELECT value FROM json_each(?)) AND j.after IS NOT NULL AND j.after ->> 'project_id' IS NULL
ORDER BY j.id
"""
"""Where a memory of all projects belonged before; the last place where there were several."""

_SHARED = """
SELECT j.memory_id, substr(g.actor, 5) FROM journal j JOIN journal_groups g ON g.id = j.group_id
WHERE j.memory_id IN (SELECT value FROM json_each(?)) AND g.action = 'pull' AND j.before IS NULL
"""
"""By whom, of what came from a team's hub: its first entry names them (`hub:NAME`)."""

SORTS = {
    "created": "m.created DESC, m.id DESC",
    "updated": "m.updated DESC, m.id DESC",
    "used": "m.last_used DESC, m.id DESC",
    "uses": "m.uses DESC, m.id DESC",
    "title": "m.title COLLATE NOCASE, m.id",
    "tokens": "m.tokens DESC, m.id DESC",
    "pinned": "m.pinned DESC, m.created DESC, m.id DESC",
}
"""The orders of a list, by name."""
_EVERY = [state for state in MemoryState if state != MemoryState.UNDONE]


def get(store: Store, ids: Sequence[int], *, whole: bool = True) -> list[Memory]:
    """Memories by id, in the order asked; NotFoundError names those that do not exist."""
    found = _load(store, ids, whole)
    missing = [id_ for id_ in ids if id_ not in found]
    if missing:
        raise NotFoundError(f"There is no memory {', '.join(f'#{id_}' for id_ in missing)}.")
    return [found[id_] for id_ in ids]


def resolve(store: Store, name: str | int) -> int:
    """The id of what a person typed: an id (12, #12) or a uid; NotFoundError."""
    text = str(name).strip().removeprefix("#")
    if text.startswith(("-", "hub:")):
        raise NotFoundError(
            f"{text.replace('-', 'hub:', 1)} is in the team's hub, not in this store. Nothing was changed;"
            " `tui-memory hub pull` brings it here."
        )
    column = "id" if text.isascii() and text.isdigit() else "uid"
    found = store.rows(f"SELECT id FROM memories WHERE {column} = ? AND state <> 'undone'", (text.lower(),))
    if not found:
        raise NotFoundError(_absent(store, text))
    return int(found[0][0])


def _absent(store: Store, name: str) -> str:
    """What to say of a memory that is not there, or not any more."""
    sql = (
        "SELECT 1 FROM journal j JOIN journal_groups g ON g.id = j.group_id"
        " WHERE j.memory_id = ? AND g.action = 'purge' AND j.after IS NULL"
    )
    if name.isascii() and name.isdigit() and store.rows(sql, (name,)):
        return f"Memory #{name} was purged, nothing of it is kept; `tui-memory history {name}` says when."
    return f"There is no memory {name}. Nothing was changed; `tui-memory list` shows what there is."


def page(
    store: Store,
    filters: Filters = EVERYTHING,
    *,
    state: str = MemoryState.ACTIVE,
    sort: str = "updated",
    limit: int = 50,
    offset: int = 0,
) -> list[Memory]:
    """A page of a list, without text and facts: ids first, from the indexes, then the rows of that page."""
    if sort not in SORTS:
        raise UsageError(f"There is no order “{sort}”; there are {', '.join(SORTS)}.")
    order = SORTS[sort]
    columns = ", ".join(part.split()[0] for part in order.split(", "))
    each = [where(filters, one) for one in (_EVERY if state == ALL else [state])]
    # All states at once are merged from each state's own index: sorting a million rows takes seconds.
    union = " UNION ALL ".join(f"SELECT {columns} FROM memories m WHERE {sql}" for sql, _ in each)
    values = [value for _, bound in each for value in bound]
    order = order if len(each) == 1 else order.replace("m.", "")
    rows = store.rows(f"SELECT id FROM ({union} ORDER BY {order} LIMIT ? OFFSET ?)", (*values, limit, offset))
    return get(store, [row[0] for row in rows], whole=False)


def count(store: Store, filters: Filters = EVERYTHING, state: str = MemoryState.ACTIVE) -> int:
    """How many memories a list has."""
    sql, values = where(filters, state)
    return int(store.rows(f"SELECT count(*) FROM memories m WHERE {sql}", values)[0][0])


def around(store: Store, memory: int, before: int = 3, after: int = 3) -> list[Memory]:
    """The memories of the same project around one in time, oldest first, itself among them."""
    here = get(store, [memory], whole=False)[0]
    ids = [memory]
    for sign, order, limit in (("<", "DESC", before), (">", "ASC", after)):
        rows = store.rows(
            f"SELECT id FROM memories WHERE state IN ('active', 'superseded') AND (created, id) {sign} (?, ?)"
            " AND project_id IS (SELECT project_id FROM memories WHERE id = ?)"
            f" ORDER BY created {order}, id {order} LIMIT ?",
            (here.created, memory, memory, limit),
        )
        found = [row[0] for row in rows]
        ids = [*reversed(found), *ids] if sign == "<" else [*ids, *found]
    return get(store, ids, whole=False)


def _load(store: Store, ids: Sequence[int], whole: bool) -> dict[int, Memory]:
    listed = json.dumps(list(ids))
    rows = store.rows((_WHOLE if whole else _LISTED) + " AND m.state <> 'undone'", (listed,))
    sources = _lists(store, "memory_id, observation_id FROM memory_sources WHERE memory_id", listed)
    merged = _lists(store, "merged_into, id FROM memories WHERE merged_into", listed)
    found = [_memory(row, sources.get(row["id"], []), merged.get(row["id"], [])) for row in rows]
    _tell(store, found)
    return {memory.id: memory for memory in rules.shown(store, found)}


def _tell(store: Store, found: list[Memory]) -> None:
    """Say of memories what has changed around them: names that are gone, since when something replaced them, where
    they were learned that now belong to all projects, who shared them, and where they live.
    """
    known = {memory.id: memory for memory in found}
    for row in gone.of(store, list(known)):
        known[row.memory].gone.append(f"{row.name} (now {row.renamed_to})" if row.renamed_to else row.name)
    replaced = [memory.id for memory in found if memory.superseded_by is not None]
    for id_, moment in store.rows(_REPLACED, (json.dumps(replaced),)) if replaced else ():
        known[id_].superseded_at = moment
    of_all = [memory.id for memory in found if memory.project is None]
    for id_, project in store.rows(_PROMOTED, (json.dumps(of_all),)) if of_all else ():
        known[id_].promoted_from = project
    if found and marks.has(store, "hub_pulled"):
        for id_, by in store.rows(_SHARED, (json.dumps(list(known)),)):
            known[id_].shared_by = by
    whereabouts.tell(store, known)


def _lists(store: Store, what: str, ids: str) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for owner, item in store.rows(f"SELECT {what} IN (SELECT value FROM json_each(?)) ORDER BY 1, 2", (ids,)):
        found.setdefault(owner, []).append(item)
    return found


def _memory(row: sqlite3.Row, sources: list[int], merged_from: list[int]) -> Memory:
    return Memory(
        id=row["id"], uid=row["uid"], title=row["title"], summary=row["summary"], text=row["text"],
        facts=json.loads(row["facts"]), tier=row["tier"], kind=row["kind"], labels=json.loads(row["labels"]),
        files=json.loads(row["files"]), project=row["project"], branch=row["branch"], session=row["session"] or "",
        created=row["created"], updated=row["updated"], state=row["state"], pinned=bool(row["pinned"]),
        tokens=row["tokens"], uses=row["uses"], last_used=row["last_used"], sources=sources,
        made_by=MadeBy(row["route"], row["model"], row["prompt_version"], row["schema_version"]),
        grounding=Grounding(row["retained"], json.loads(row["flagged"])),
        superseded_by=row["superseded_by"], merged_from=merged_from, version=row["version_id"],
    )  # fmt: skip
