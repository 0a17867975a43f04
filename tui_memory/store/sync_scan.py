"""From the journal to stamps: who set each part of a memory last, and which text replaced which."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

from tui_memory.model import MemoryState
from tui_memory.store import joining
from tui_memory.store.journal import State
from tui_memory.store.text import dumps

_SCANNED, _SEQ = "sync_scanned", "sync_seq"
_CHANGES = """
SELECT j.id, j.before, j.after, m.uid, j.group_id, g.action, g.device, g.clock, g.undone,
    (SELECT u.action FROM journal_groups u WHERE u.id = g.undoes) AS undoes
FROM journal j JOIN journal_groups g ON g.id = j.group_id JOIN memories m ON m.id = j.memory_id
WHERE j.id > ? AND g.action <> 'sync' ORDER BY j.id LIMIT ?
"""
_BATCH = 1_000
_BROUGHT = ("import", "pull")
"""The actions that take in what was made elsewhere: taking them back says nothing of what is there."""
_SETTLED = """
SELECT m.uid FROM audit_cases c JOIN memories m ON m.id = c.low
WHERE c.group_id = ? AND c.family = 'conflict' AND c.state = 'settled'
"""
_PARTS = {
    "text": ("version_id",),
    "standing": ("state", "superseded_by", "merged_into"),
    "pinned": ("pinned",),
    "place": ("project_id", "branch"),
}


@dataclass(slots=True)
class Head:
    """A text that no other replaced, by its version here."""

    version: int
    over: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Known:
    """What is known of one memory: the stamps of its parts, its heads by their stamps."""

    stamps: dict[str, str] = field(default_factory=dict)
    heads: dict[str, Head] = field(default_factory=dict)
    awaits: dict[str, str] = field(default_factory=dict)
    """The uids of memories that it refers to and that are not here yet, by column."""
    is_told: bool = False
    """Whether it was stamped before: others may know of it."""

    def forget(self) -> None:
        """Know nothing of it any more."""
        self.stamps, self.heads, self.awaits = {}, {}, {}

    def write(self, name: str, version: int, *, over_all: bool = False) -> None:
        """A new text over the one that was current; `over_all`: over those as well that lost against it."""
        current = max(self.heads, default=None)
        if current is not None and name <= current:
            if name == current:
                self.heads[name].version = version
            return
        gone = list(self.heads) if over_all else [current] if current is not None else []
        over = {*gone, *(older for one in gone for older in self.heads[one].over)}
        for one in gone:
            del self.heads[one]
        self.heads[name] = Head(version, over)
        self.stamps["text"] = name


def scan(connection: sqlite3.Connection) -> bool:
    """Stamp what was changed since the last scan, in the caller's transaction; what a sync brought has its stamps.

    Whether that was all: a store that was never synced has more to stamp than a hook should wait for.
    """
    after = _number(connection, _SCANNED)
    found: dict[str, Known] = {}
    settled: dict[int, set[str]] = {}
    changes = connection.execute(_CHANGES, (after, _BATCH)).fetchall()
    for row in changes:
        known = found.get(row["uid"])
        if known is None:
            known = found[row["uid"]] = load(connection, row["uid"])
        group = row["group_id"]
        if group not in settled:
            cases = connection.execute(_SETTLED, (group,)) if row["action"].startswith("audit ") else ()
            settled[group] = {case[0] for case in cases}
        _change(known, row, row["uid"] in settled[group])
    for uid, known in found.items():
        if known.stamps:
            save(connection, uid, known, via=0)
        elif known.is_told:
            _read_again(connection, uid)
    is_all = len(changes) < _BATCH
    last = connection.execute("SELECT max(id) FROM journal").fetchone()[0] if is_all else changes[-1]["id"]
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_SCANNED, str(max(last or 0, after))))
    return is_all


def _change(known: Known, row: sqlite3.Row, is_settled: bool) -> None:
    before, after = (None if row[side] is None else json.loads(row[side]) for side in ("before", "after"))
    name = joining.stamp(row["clock"], row["device"])
    if after is None and (row["undoes"] in _BROUGHT or not known.is_told):
        known.forget()
        return
    for part in _changed(before, after):
        if part == "standing":
            known.awaits = {}
        if part != "text":
            known.stamps[part] = max(name, known.stamps.get(part, ""))
        elif after is not None:
            known.write(name, after["version_id"], over_all=is_settled)
    if is_settled and after is not None and known.stamps.get("text") != name:
        known.write(name, after["version_id"], over_all=True)


def _changed(before: State | None, after: State | None) -> Iterator[str]:
    """The parts of its state that a change set. Taking its creation back sets its standing alone."""
    if after is None:
        yield "standing"
        return
    for part, columns in _PARTS.items():
        if before is None or any(before.get(column) != after.get(column) for column in columns):
            yield part


def _read_again(connection: sqlite3.Connection, uid: str) -> None:
    """Know nothing of a memory, and have the next sync read once more what the others say of it: it may be theirs.

    Which version has which stamp stays known: another device may have it forgotten by that name.
    """
    connection.execute("DELETE FROM sync_memories WHERE uid = ?", (uid,))
    connection.execute("UPDATE sync_texts SET head = 0 WHERE uid = ?", (uid,))
    connection.execute("DELETE FROM sync_segments")


def load(connection: sqlite3.Connection, uid: str) -> Known:
    """What is known of a memory; nothing, where it was never stamped."""
    row = connection.execute("SELECT stamps, awaits FROM sync_memories WHERE uid = ?", (uid,)).fetchone()
    heads = connection.execute("SELECT stamp, version_id, over FROM sync_texts WHERE uid = ? AND head = 1", (uid,))
    return Known(
        json.loads(row[0]) if row else {},
        {head["stamp"]: Head(head["version_id"], set(json.loads(head["over"]))) for head in heads},
        json.loads(row[1]) if row else {},
        is_told=row is not None,
    )


def save(connection: sqlite3.Connection, uid: str, known: Known, *, via: int) -> None:
    """Keep it, as a change that came by this place (0: made here)."""
    connection.execute(
        "INSERT INTO sync_memories (uid, stamps, awaits, seq, via) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (uid)"
        " DO UPDATE SET stamps = excluded.stamps, awaits = excluded.awaits, seq = excluded.seq, via = excluded.via",
        (uid, dumps(known.stamps), dumps(known.awaits), next_seq(connection), via),
    )
    connection.execute("UPDATE sync_texts SET head = 0 WHERE uid = ? AND head = 1", (uid,))
    connection.executemany(
        "INSERT INTO sync_texts (uid, stamp, version_id, over) SELECT ?1, ?2, ?3, ?4"
        " WHERE EXISTS (SELECT 1 FROM versions WHERE id = ?3) ON CONFLICT (uid, stamp)"
        " DO UPDATE SET version_id = excluded.version_id, over = excluded.over, head = 1",
        [(uid, name, head.version, dumps(sorted(head.over))) for name, head in known.heads.items()],
    )


def next_seq(connection: sqlite3.Connection) -> int:
    """The next number of a change, in the caller's transaction."""
    last = _number(connection, _SEQ) or connection.execute("SELECT coalesce(max(seq), 0) FROM sync_tombs").fetchone()[0]
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_SEQ, str(last + 1)))
    return int(last) + 1


def _number(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


def is_undone(state: str) -> bool:
    """Whether a memory's creation was taken back."""
    return state == MemoryState.UNDONE
