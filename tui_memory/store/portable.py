"""Rows as records that mean the same in every store: ids become uids, versions are numbered within their memory.

A record is plain JSON. Times are ISO 8601. Texts are as they are stored: whoever hands them out redacts them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tui_memory.clock import iso
from tui_memory.model import EVERYTHING, Filters
from tui_memory.store.db import Store
from tui_memory.store.filters import ALL, where

Record = dict[str, Any]
FORMAT: Final = "tui-memory"
VERSION: Final = 1
"""Of the records' shape; a reader refuses a higher one."""

_IN = "IN (SELECT value FROM json_each(?))"
_BODY = ("title", "summary", "text", "facts", "tier", "kind", "labels", "files", "route", "model", "prompt_version",
         "schema_version", "retained", "flagged")  # fmt: skip
_LISTS = frozenset({"facts", "labels", "files", "flagged"})
_MEMORIES = f"""
SELECT m.id, m.uid, m.version_id, m.branch, m.state, m.pinned, m.uses, m.last_used, m.created, m.updated,
    p.uid AS project, s.agent, s.session,
    (SELECT o.uid FROM memories o WHERE o.id = m.superseded_by) AS superseded_by,
    (SELECT o.uid FROM memories o WHERE o.id = m.merged_into) AS merged_into
FROM memories m LEFT JOIN projects p ON p.id = m.project_id LEFT JOIN sessions s ON s.id = m.session_id
WHERE m.id {_IN} ORDER BY m.id
"""
_OBSERVATIONS = f"""
SELECT o.*, p.uid AS project, s.session FROM observations o JOIN sessions s ON s.id = o.session_id
    LEFT JOIN projects p ON p.id = o.project_id WHERE o.id {_IN} ORDER BY o.id
"""
_PLAIN = ("uid", "session", "agent", "turn", "project", "branch", "cwd", "parent", "kind", "tool", "text", "size",
          "hash", "state", "reason", "tokens")  # fmt: skip
_JOURNAL = """
SELECT j.id, j.memory_id, j.before, j.after, g.time, g.actor, g.action, g.undone, g.undoes, g.device, g.clock
FROM journal j JOIN journal_groups g ON g.id = j.group_id
WHERE j.id > ? AND g.action <> 'purge' ORDER BY j.id LIMIT ?
"""


def chosen(store: Store, filters: Filters = EVERYTHING, state: str = ALL, ids: Sequence[int] = ()) -> list[int]:
    """The ids of the memories to hand out, in their order; `ids`: only those of these."""
    sql, values = where(filters, state)
    if ids:
        sql, values = f"({sql}) AND m.id {_IN}", [*values, json.dumps(list(ids))]
    # Sorted here: by an index that has all it needs, and a sort in SQLite, a million take ten times as long.
    return sorted(row[0] for row in store.rows(f"SELECT m.id FROM memories m WHERE {sql}", values))


def projects(store: Store, ids: Sequence[int]) -> list[Record]:
    """The projects that these memories and their sources belong to, with the addresses they are known by."""
    listed = json.dumps(list(ids))
    rows = store.rows(
        f"SELECT id, uid, name FROM projects WHERE id IN (SELECT project_id FROM memories WHERE id {_IN} UNION"
        " SELECT o.project_id FROM observations o JOIN memory_sources s ON s.observation_id = o.id"
        f" WHERE s.memory_id {_IN}) ORDER BY uid",
        (listed, listed),
    )
    sql = "SELECT value FROM project_aliases WHERE kind = 'remote' AND project_id = ? ORDER BY 1"
    return [
        {"type": "project", "uid": row["uid"], "name": row["name"],
         "remotes": [found[0] for found in store.rows(sql, (row["id"],))]}
        for row in rows
    ]  # fmt: skip


def memories(store: Store, ids: Sequence[int], *, latest: bool = False) -> Iterator[Record]:
    """Memories with all their versions (`latest`: only the current one) and the uids of their sources."""
    listed = json.dumps(list(ids))
    sql = f"SELECT * FROM versions WHERE memory_id {_IN} ORDER BY memory_id, id"
    versions = _grouped(store.rows(sql, (listed,)), "memory_id")
    sources = _grouped(
        store.rows(
            "SELECT s.memory_id, o.uid FROM memory_sources s JOIN observations o ON o.id = s.observation_id"
            f" WHERE s.memory_id {_IN} ORDER BY s.memory_id, o.id",
            (listed,),
        ),
        "memory_id",
    )
    for row in store.rows(_MEMORIES, (listed,)):
        own = versions.get(row["id"], [])
        if latest:
            own = [version for version in own if version["id"] == row["version_id"]]
        yield _memory(row, own, [source["uid"] for source in sources.get(row["id"], [])])


def _memory(row: sqlite3.Row, versions: list[sqlite3.Row], sources: list[str]) -> Record:
    numbers = {version["id"]: number for number, version in enumerate(versions, 1)}
    names = ("uid", "state", "branch", "project", "agent", "session", "superseded_by", "merged_into", "uses")
    record: Record = {"type": "memory"} | {name: row[name] for name in names}
    record |= {name: row[name] and iso(row[name]) for name in ("created", "updated", "last_used")}
    record |= {"pinned": bool(row["pinned"]), "version": numbers[row["version_id"]], "sources": sources}
    return record | {"versions": [version(row) for row in versions]}


def version(row: sqlite3.Row) -> Record:
    """One version's text, and how it was made."""
    body = {name: json.loads(row[name]) if name in _LISTS else row[name] for name in _BODY}
    return {"created": iso(row["created"])} | body


def observations(store: Store, ids: Sequence[int]) -> Iterator[Record]:
    """Observations whole."""
    for row in store.rows(_OBSERVATIONS, (json.dumps(list(ids)),)):
        record: Record = {"type": "observation"} | {name: row[name] for name in _PLAIN}
        record |= {name: json.loads(row[name]) for name in ("files", "detail", "redactions")}
        yield record | {"time": iso(row["time"])}


def sources_of(store: Store, ids: Sequence[int]) -> list[int]:
    """The ids of the observations that these memories come from."""
    sql = f"SELECT DISTINCT observation_id FROM memory_sources WHERE memory_id {_IN} ORDER BY 1"
    return [row[0] for row in store.rows(sql, (json.dumps(list(ids)),))]


def journal(store: Store, ids: Sequence[int], batch: int = 1_000) -> Iterator[Record]:
    """Every change to these memories, oldest first. A group is named by its device and clock."""
    names, wanted, after = _Names(store), frozenset(ids), 0
    while rows := store.rows(_JOURNAL, (after, batch)):
        after = rows[-1]["id"]
        for row in rows:
            if row["memory_id"] not in wanted:
                continue
            yield {
                "type": "change", "memory": names.memory(row["memory_id"]), "device": row["device"],
                "clock": row["clock"], "time": iso(row["time"]), "actor": row["actor"], "action": row["action"],
                "undone": bool(row["undone"]), "undoes": names.group(row["undoes"]),
                "before": names.state(row["before"]), "after": names.state(row["after"]),
            }  # fmt: skip


class _Names:
    """What the journal names by local ids, by uids; each looked up once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[str, int], Any] = {}

    def memory(self, id_: int | None) -> str | None:
        return self._text("memory", "SELECT uid FROM memories WHERE id = ?", id_)

    def project(self, id_: int | None) -> str | None:
        return self._text("project", "SELECT uid FROM projects WHERE id = ?", id_)

    def version(self, id_: int | None) -> int | None:
        """Its number within its memory; None where it was purged."""
        sql = (
            "SELECT (SELECT count(*) FROM versions w WHERE w.memory_id = v.memory_id AND w.id <= v.id)"
            " FROM versions v WHERE v.id = ?"
        )
        found = self._one("version", sql, id_)
        return None if found is None else int(found)

    def group(self, id_: int | None) -> list[str] | None:
        """Device and clock of a group."""
        sql = "SELECT device || ' ' || clock FROM journal_groups WHERE id = ?"
        found = self._text("group", sql, id_)
        return found.split(" ") if found else None

    def state(self, text: str | None) -> Record | None:
        """A journaled state in portable words."""
        if text is None:
            return None
        value = json.loads(text)
        return {
            "version": self.version(value.get("version_id")), "state": value.get("state"),
            "pinned": bool(value.get("pinned")), "project": self.project(value.get("project_id")),
            "branch": value.get("branch", ""), "superseded_by": self.memory(value.get("superseded_by")),
            "merged_into": self.memory(value.get("merged_into")), "updated": iso(value.get("updated") or 0),
        }  # fmt: skip

    def _text(self, what: str, sql: str, id_: int | None) -> str | None:
        found = self._one(what, sql, id_)
        return None if found is None else str(found)

    def _one(self, what: str, sql: str, id_: int | None) -> Any:
        if id_ is None:
            return None
        if (what, id_) not in self._known:
            row = self._store.rows(sql, (id_,))
            self._known[what, id_] = row[0][0] if row else None
        return self._known[what, id_]


def _grouped(rows: Sequence[sqlite3.Row], by: str) -> dict[int, list[sqlite3.Row]]:
    found: dict[int, list[sqlite3.Row]] = {}
    for row in rows:
        found.setdefault(row[by], []).append(row)
    return found
