"""Records of the same person's other devices taken into the store: joined with what it knows.

What a batch changed is one group of the journal, by `sync`: `undo --entry` takes it back as a change of its own, which
the other devices then get like every change.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_memory.clock import now_ms, parse_iso
from tui_memory.model import MemoryState
from tui_memory.store import identity, joining, journal, rows, sync_out, sync_scan, tombs
from tui_memory.store.db import Store
from tui_memory.store.joining import Record
from tui_memory.store.sync_scan import Head, Known
from tui_memory.store.taking_in import body_of, insert_observation, session_row
from tui_memory.store.text import storable

_REFERS = ("superseded_by", "merged_into")


@dataclass(slots=True)
class Taken:
    """What came of it: ids added and changed, which of these went to the trash, how many memories got a second text,
    observations.
    """

    added: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    trashed: list[int] = field(default_factory=list)
    conflicts: int = 0
    observations: int = 0


@dataclass(slots=True)
class _News:
    """One memory that something came about: its row here, what it is from now on, whether it was not here before, and
    whether it has got one more text.
    """

    id: int
    record: Record
    known: Known
    is_new: bool
    is_twofold: bool = False


class Receiving:
    """One taking in: `begin`, then the others, as often as there are batches. `via`: the place's id.

    Its caller holds the transaction, one for each call: an agent's hook waits for none of them long.
    """

    def __init__(self, store: Store, via: int) -> None:
        self._store, self._connection, self._via = store, store.connection, via
        self._projects: dict[str, int] = {}
        self._dead: set[str] = set()
        self._gone: set[str] = set()
        self.taken = Taken()

    def begin(self, records: Sequence[Record]) -> None:
        """Take over clocks, tombs and projects. The rows of what was forgotten are a purge's to delete."""
        memories = [record for record in records if record["type"] == tombs.MEMORY]
        if memories:
            journal.witness(self._connection, joining.latest(memories))
        tombs.put(self._connection, told(records), self._via)
        self._dead, self._gone = tombs.names(self._connection, tombs.MEMORY), tombs.texts(self._connection)
        for record in records:
            if record["type"] == "project":
                self._projects[record["uid"]] = _project(self._connection, record)

    def memories(self, records: Sequence[Record]) -> None:
        """Join some memories (one record each) with what is here: one group of the journal."""
        news = [one for record in self._alive(records) if (one := self._news(record))]
        self._settle([*news, *self._awaiting(news)])

    def observations(self, records: Sequence[Record]) -> None:
        """Store what memories come from."""
        for record in records:
            self._observation(record)

    def _alive(self, records: Sequence[Record]) -> list[Record]:
        """The records of what was not purged, without the texts that were."""
        return [joining.without(record, self._gone) for record in records if record["uid"] not in self._dead]

    def _news(self, record: Record) -> _News | None:
        """What is new in a record, with its texts stored; None where nothing is."""
        uid = record["uid"]
        known = sync_scan.load(self._connection, uid)
        own = next(sync_out.memories(self._store, [uid], undone_texts=True), None)
        if own is None:
            if not record["texts"] or not joining.is_later(known.stamps, record):
                return None  # upkeep made room by deleting it, and nobody has touched it since
        elif joining.is_the_same(own, record := joining.join(own, record)):
            return None
        row = self._connection.execute("SELECT id FROM memories WHERE uid = ?", (uid,)).fetchone()
        id_ = int(row[0]) if row else self._row(record)
        before, is_new = len(known.heads), row is None
        known.heads = self._heads(id_, record["texts"])
        known.stamps = joining.stamps(record)
        if is_new:
            rows.point(self._connection, [(id_, known.heads[max(known.heads)].version)], fresh=True)
        return _News(id_, record, known, is_new, len(known.heads) > max(before, 1))

    def _row(self, record: Record) -> int:
        created, session = parse_iso(record["created"]), record["session"]
        owner = session_row(self._connection, record["agent"] or "", session, created) if session else None
        cursor = self._connection.execute(
            "INSERT INTO memories (uid, session_id, state, created, updated) VALUES (?, ?, ?, ?, ?)",
            (record["uid"], owner, str(MemoryState.UNDONE), created, parse_iso(record["updated"])),
        )
        return int(cursor.lastrowid or 0)

    def _heads(self, memory: int, texts: Sequence[Record]) -> dict[str, Head]:
        """The texts as versions, the older first; those that are here are not stored again."""
        found: dict[str, Head] = {}
        for text in reversed(texts):
            found[text["stamp"]] = Head(self._version(memory, text), set(text["over"]))
        return found

    def _version(self, memory: int, text: Record) -> int:
        sql = "SELECT t.version_id FROM sync_texts t JOIN memories m ON m.uid = t.uid WHERE m.id = ? AND t.stamp = ?"
        known = self._connection.execute(sql, (memory, text["stamp"])).fetchone()
        if known:
            return int(known[0])
        return rows.version_of(self._connection, memory, body_of(text), parse_iso(text["created"]))

    def _awaiting(self, news: Sequence[_News]) -> list[_News]:
        """Memories that referred to one which has come only now."""
        mine = {one.record["uid"] for one in news}
        found = []
        for (uid,) in self._connection.execute("SELECT uid FROM sync_memories WHERE awaits <> '{}'").fetchall():
            own = None if uid in mine else next(sync_out.memories(self._store, [uid], undone_texts=True), None)
            if own is not None and any(self._id(other) for other in own["standing"][2:]):
                row = self._connection.execute("SELECT id FROM memories WHERE uid = ?", (uid,)).fetchone()
                found.append(_News(row[0], own, sync_scan.load(self._connection, uid), False))
        return found

    def _settle(self, news: Sequence[_News]) -> None:
        """Make all of it visible, as one group of the journal; what leaves a row as it is is none of it."""
        items: list[tuple[int, journal.State | None, journal.State | None]] = []
        for one in news:
            before = rows.state_of(self._connection, one.id)
            after = self._after(one, before)
            sync_scan.save(self._connection, one.record["uid"], one.known, via=self._via)
            self.taken.conflicts += one.is_twofold and after["state"] != MemoryState.TRASH  # no case while it is there
            left, to = (state if rows.is_listed(state) else None for state in (before, after))
            if all(before[key] == after[key] for key in rows.STATE if key != "updated"):
                continue
            rows.put_state(self._connection, one.id, after)
            if left or to:
                items.append((one.id, left, to))
                (self.taken.changed if left else self.taken.added).append(one.id)
                if left and before["state"] != MemoryState.TRASH == after["state"]:
                    self.taken.trashed.append(one.id)
        if items:
            group = journal.open_group(self._connection, self._store.device, journal.SYNC, journal.SYNC)
            journal.write(self._connection, group, items)

    def _after(self, one: _News, before: journal.State) -> journal.State:
        record = one.record
        state, *others = record["standing"][1:]
        if sync_scan.is_undone(state):  # as older versions tell it
            state = str(MemoryState.TRASH)
        project, branch = record["place"][1:]
        found = dict(zip(_REFERS, (self._id(uid) for uid in others), strict=True))
        one.known.awaits = {
            name: uid for name, uid in zip(_REFERS, others, strict=True) if uid is not None and found[name] is None
        }
        return {
            "version_id": one.known.heads[max(one.known.heads)].version if one.known.heads else before["version_id"],
            "state": state, "pinned": int(record["pinned"][1]), "project_id": self._place(project),
            "branch": storable(branch), **found, "updated": max(parse_iso(record["updated"]), before["updated"]),
        }  # fmt: skip

    def _id(self, uid: str | None) -> int | None:
        row = uid and self._connection.execute("SELECT id FROM memories WHERE uid = ?", (uid,)).fetchone()
        return int(row[0]) if row else None

    def _place(self, uid: str | None) -> int | None:
        """A project by the uid it has where the record comes from, or here."""
        if uid is None:
            return None
        return self._projects.get(uid) or identity.elsewhere(self._connection, uid, ())

    def _observation(self, record: Record) -> None:
        dead = self._connection.execute(
            "SELECT 1 FROM sync_tombs WHERE kind = ? AND name = ?", (tombs.OBSERVATION, record["uid"])
        ).fetchone()
        if dead:
            return
        self.taken.observations += insert_observation(self._connection, record, self._place(record["project"]))
        sync_out.sent(self._connection, [record])
        self._connection.execute(
            "INSERT OR IGNORE INTO memory_sources SELECT m.id, o.id FROM memories m JOIN observations o ON o.uid = ?"
            " WHERE m.uid IN (SELECT value FROM json_each(?))",
            (record["uid"], json.dumps(record["of"])),
        )


def _project(connection: sqlite3.Connection, record: dict[str, Any]) -> int:
    """The project here that another device's is; one that is not known is made."""
    names = (("remote", "remotes"), ("root", "roots"), ("trunk", "trunks"))
    keys = [(kind, value) for kind, field_ in names for value in record[field_]]
    known = identity.elsewhere(connection, record["uid"], keys)
    if known is None and not keys:
        known = _named(connection, record["name"])
    if known is None:
        known = identity.make(connection, record["name"])
        connection.execute("UPDATE projects SET uid = ? WHERE id = ?", (record["uid"], known))
    uid = connection.execute("SELECT uid FROM projects WHERE id = ?", (known,)).fetchone()[0]
    keys += [("uid", record["uid"])] if uid != record["uid"] else []
    connection.executemany(
        "INSERT OR IGNORE INTO project_aliases (kind, value, project_id, created) VALUES (?, ?, ?, ?)",
        [(kind, value, known, now_ms()) for kind, value in keys],
    )
    return known


def _named(connection: sqlite3.Connection, name: str) -> int | None:
    """A project of this name that is no repository either: nothing else tells what it is."""
    row = connection.execute(
        f"SELECT id FROM projects p WHERE name = ? AND NOT {identity.IS_MERGED} AND NOT EXISTS (SELECT 1 FROM"
        " project_aliases a WHERE a.project_id = p.id AND a.kind IN ('remote', 'root'))",
        (name,),
    ).fetchone()
    return int(row[0]) if row else None


def prepare(store: Store) -> None:
    """Stamp what was changed here since: before anything is sent or taken in."""
    is_all = False
    while not is_all:
        with store.transaction() as connection:
            is_all = sync_scan.scan(connection)


def told(records: Iterable[Record]) -> list[tuple[str, str]]:
    """The tombs among records."""
    return [(record["kind"], record["name"]) for record in records if record["type"] == "tomb"]
