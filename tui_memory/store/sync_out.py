"""What this store knows of memories, as records for its owner's other devices; ids become uids, as in an export."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from tui_memory.clock import iso
from tui_memory.model import MemoryState
from tui_memory.store import portable, sync_scan, tombs
from tui_memory.store.db import Store
from tui_memory.store.joining import Record
from tui_memory.store.sync_places import Mark

_IN = "IN (SELECT value FROM json_each(?))"
_MEMORIES = f"""
SELECT m.id, m.uid, m.branch, m.state, m.pinned, m.created, m.updated, m.version_id, y.stamps, y.awaits,
    p.uid AS project, s.agent, s.session,
    (SELECT o.uid FROM memories o WHERE o.id = m.superseded_by) AS superseded_by,
    (SELECT o.uid FROM memories o WHERE o.id = m.merged_into) AS merged_into
FROM memories m JOIN sync_memories y ON y.uid = m.uid
    LEFT JOIN projects p ON p.id = m.project_id LEFT JOIN sessions s ON s.id = m.session_id
WHERE m.uid {_IN} ORDER BY y.seq
"""
_TEXTS = f"""
SELECT t.uid, t.stamp, t.over, v.* FROM sync_texts t JOIN versions v ON v.id = t.version_id
WHERE t.head = 1 AND t.uid {_IN} ORDER BY t.stamp DESC
"""
_KEYS = (
    "SELECT kind, value FROM project_aliases WHERE project_id = ? AND kind IN ('remote', 'root', 'trunk') ORDER BY 2"
)


def changed(store: Store, mark: Mark, *, whole: bool, limit: int) -> tuple[list[str], int]:
    """The next memories that a place was not told of (uids), and up to which change that is; none: all was told.

    `whole`: also those that came from there, which lost what it was told.
    """
    rows = store.rows("SELECT uid, seq, via FROM sync_memories WHERE seq > ? ORDER BY seq LIMIT ?", (mark.sent, limit))
    to = rows[-1]["seq"] if rows else mark.sent
    gone = tombs.names(store.connection, tombs.MEMORY)  # an old export may have brought one back
    return [row["uid"] for row in rows if (whole or row["via"] != mark.place) and row["uid"] not in gone], to


def memories(store: Store, uids: Sequence[str], *, undone_texts: bool = False) -> Iterator[Record]:
    """Memories with all that is known of their state. One whose creation was taken back is in the trash for the others,
    who may have it, and says no text.
    """
    listed = (json.dumps(list(uids)),)
    texts: dict[str, list[sqlite3.Row]] = {}
    for row in store.rows(_TEXTS, listed):
        texts.setdefault(row["uid"], []).append(row)
    for row in store.rows(_MEMORIES, listed):
        yield _memory(row, texts.get(row["uid"], []), undone_texts)


def _memory(row: sqlite3.Row, texts: list[sqlite3.Row], undone_texts: bool) -> Record:
    stamps, awaits = json.loads(row["stamps"]), json.loads(row["awaits"])
    others = [row[name] or awaits.get(name) for name in ("superseded_by", "merged_into")]
    is_undone = sync_scan.is_undone(row["state"])
    return {
        "type": "memory", "uid": row["uid"], "agent": row["agent"], "session": row["session"],
        "created": iso(row["created"]), "updated": iso(row["updated"]),
        "standing": [stamps["standing"], str(MemoryState.TRASH) if is_undone else row["state"], *others],
        "pinned": [stamps["pinned"], bool(row["pinned"])],
        "place": [stamps["place"], row["project"], row["branch"]],
        "texts": [] if is_undone and not undone_texts else [_text(text) for text in texts],
    }  # fmt: skip


def _text(row: sqlite3.Row) -> Record:
    return portable.version(row) | {"stamp": row["stamp"], "over": json.loads(row["over"])}


def projects(store: Store, records: Sequence[Record]) -> Iterator[Record]:
    """The projects that memories belong to, with what tells them apart wherever they are checked out."""
    uids = sorted({record["place"][1] for record in records if record["type"] == "memory"} - {None})
    for row in store.rows(f"SELECT id, uid, name FROM projects WHERE uid {_IN} ORDER BY uid", (json.dumps(uids),)):
        keys: dict[str, list[str]] = {"remote": [], "root": [], "trunk": []}
        for key in store.rows(_KEYS, (row["id"],)):
            keys[key["kind"]].append(key["value"])
        yield {
            "type": "project", "uid": row["uid"], "name": row["name"], "remotes": keys["remote"],
            "roots": keys["root"], "trunks": keys["trunk"],
        }  # fmt: skip


def untold(store: Store, mark: Mark, *, whole: bool) -> tuple[list[Record], int]:
    """The tombs that a place was not told of, and up to which change that is."""
    rows = store.rows("SELECT kind, name, seq, via FROM sync_tombs WHERE seq > ? ORDER BY seq", (mark.tombs,))
    told = [row for row in rows if whole or row["via"] != mark.place]
    return [{"type": "tomb", "kind": row["kind"], "name": row["name"]} for row in told], (
        rows[-1]["seq"] if rows else mark.tombs
    )


def seen(store: Store, mark: Mark, limit: int) -> tuple[list[Record], int]:
    """The next observations that memories come from and a place was not sent, and up to which id that is."""
    ids = [
        row[0]
        for row in store.rows(
            "SELECT DISTINCT s.observation_id FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
            " WHERE s.observation_id > ? AND m.state <> 'undone' ORDER BY 1 LIMIT ?",
            (mark.observations, limit),
        )
    ]
    owners: dict[str, list[str]] = {}
    for row in store.rows(
        "SELECT o.uid, m.uid AS memory FROM memory_sources s JOIN observations o ON o.id = s.observation_id"
        f" JOIN memories m ON m.id = s.memory_id WHERE s.observation_id {_IN}",
        (json.dumps(ids),),
    ):
        owners.setdefault(row["uid"], []).append(row["memory"])
    told = tombs.names(store.connection, tombs.OBSERVATION)
    records = [
        record | {"of": sorted(owners.get(record["uid"], []))}
        for record in portable.observations(store, ids)
        if record["uid"] not in told
    ]
    return records, ids[-1] if ids else mark.observations


def sent(connection: sqlite3.Connection, records: Sequence[dict[str, Any]]) -> None:
    """Remember which observations others have, so that a purge tells them."""
    uids = [(record["uid"],) for record in records if record["type"] == "observation"]
    connection.executemany("INSERT OR IGNORE INTO sync_observations VALUES (?)", uids)
