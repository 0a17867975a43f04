"""Records of another store (`portable`) taken into this one: the same uid is the same memory.

Rows and versions come first, in batches and seen by nobody; what each memory is from then on is one journal group in
one transaction. So an import that is cut off changes nothing that anybody sees, and the next one goes on with it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tui_memory.clock import now_ms, parse_iso
from tui_memory.model import Body, Grounding, MadeBy, MemoryState
from tui_memory.store import identity, journal, rows
from tui_memory.store.db import Store
from tui_memory.store.portable import Record
from tui_memory.store.text import dumps, storable

PURGED = "purged here"
CHANGED = "changed here since it was exported"
_OBSERVATION = ("uid", "session_id", "turn", "project_id", "agent", "branch", "cwd", "parent", "kind", "tool", "time",
                "text", "detail", "files", "size", "hash", "redactions", "state", "reason", "tokens")  # fmt: skip

_FOUND = (
    "SELECT m.id, m.state, m.updated, v.created AS written FROM memories m LEFT JOIN versions v ON v.id = m.version_id"
    " WHERE m.uid = ?"
)


@dataclass(slots=True)
class Taken:
    """What came of the records: ids added, ids changed, how many were known, and what was left out, by reason."""

    added: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    known: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    observations: int = 0


@dataclass(slots=True)
class _Known:
    """One memory of the file: its row here, its versions here by their numbers there, what it is to be."""

    id: int
    record: Record
    versions: list[int]


class TakingIn:
    """One import. `project`: a local id that all of it belongs to, in place of what the records say; None: as they say.
    `chosen`: the caller has looked which state is the later; what the records say holds, with the times they say.

    Call `projects`, `observations`, `memories` and `changes` with records of their kind, in this order, each as often
    as there are batches; then `settle` once.
    """

    def __init__(
        self, store: Store, actor: str, *, action: str = "import", project: int | None = None, chosen: bool = False
    ) -> None:
        self._store, self._actor, self._action, self._project = store, actor, action, project
        self._chosen = chosen
        self._projects: dict[str, int] = {}
        self._ids: dict[str, int] = {}
        self._versions: dict[str, list[int]] = {}
        self._groups: dict[tuple[str, str], int] = {}
        self._mine: list[_Known] = []
        self._purged = purged(store)
        self.taken = Taken()

    def projects(self, records: Sequence[Record]) -> None:
        """Find each by uid, by the address of its repository, by its name; one that is not known is made."""
        with self._store.transaction() as connection:
            for record in records:
                self._projects[record["uid"]] = _project(connection, record)

    def observations(self, records: Sequence[Record]) -> None:
        """Store those that are not known."""
        with self._store.transaction() as connection:
            for record in records:
                self.taken.observations += insert_observation(connection, record, self._place(record["project"]))

    def memories(self, records: Sequence[Record]) -> None:
        """Rows that nobody sees yet, with their versions and sources."""
        with self._store.transaction() as connection:
            for record in records:
                if record["uid"] in self._purged:
                    self.taken.skipped[PURGED] += 1
                    continue
                self._memory(connection, record)

    def _memory(self, connection: sqlite3.Connection, record: Record) -> None:
        uid = record["uid"]
        found = connection.execute(_FOUND, (uid,)).fetchone()
        if found and found["state"] != MemoryState.UNDONE and not self._chosen and _is_later(found, record):
            self._ids[uid] = found["id"]
            if not self._is_the_same(connection, found["id"], record):
                self.taken.skipped[CHANGED] += 1
            else:
                self.taken.known += 1
            return
        id_ = found["id"] if found else self._row(connection, record)
        versions = _versions(connection, id_, record["versions"])
        if not found:
            rows.point(connection, [(id_, versions[record["version"] - 1])], fresh=True)
            self._sources(connection, id_, record["sources"])
        self._ids[uid], self._versions[uid] = id_, versions
        self._mine.append(_Known(id_, {key: value for key, value in record.items() if key != "versions"}, versions))

    def _is_the_same(self, connection: sqlite3.Connection, id_: int, record: Record) -> bool:
        """Whether the memory here says and is what the record does, whatever else it refers to."""
        state = rows.state_of(connection, id_)
        alike = (state["state"], bool(state["pinned"]), state["branch"])
        return alike == (record["state"], record["pinned"], storable(record["branch"])) and rows.is_version(
            connection, state["version_id"], body_of(record["versions"][record["version"] - 1])
        )

    def foresee(self, records: Sequence[Record]) -> None:
        """Count what `memories` and `settle` would do with these, and change nothing: `added` and `changed` get 0s."""
        connection, taken = self._store.connection, self.taken
        for record in records:
            found = connection.execute(_FOUND, (record["uid"],)).fetchone()
            if record["uid"] in self._purged:
                taken.skipped[PURGED] += 1
            elif found is None or found["state"] == MemoryState.UNDONE:
                taken.added.append(0)
            elif self._is_the_same(connection, found["id"], record):
                taken.known += 1
            elif _is_later(found, record):
                taken.skipped[CHANGED] += 1
            else:
                taken.changed.append(0)

    def _row(self, connection: sqlite3.Connection, record: Record) -> int:
        created, updated = parse_iso(record["created"]), parse_iso(record["updated"])
        session = record["session"]
        cursor = connection.execute(
            "INSERT INTO memories (uid, project_id, session_id, branch, state, uses, last_used, created, updated)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                record["uid"],
                self._place(record["project"]),
                session_row(connection, record["agent"] or "", session, created) if session else None,
                storable(record["branch"]),
                str(MemoryState.UNDONE),
                record["uses"],
                parse_iso(record["last_used"]) if record["last_used"] else None,
                created,
                updated,
            ),
        )
        return int(cursor.lastrowid or 0)

    def _sources(self, connection: sqlite3.Connection, id_: int, uids: Sequence[str]) -> None:
        connection.execute(
            "INSERT OR IGNORE INTO memory_sources SELECT ?, id FROM observations"
            " WHERE uid IN (SELECT value FROM json_each(?))",
            (id_, json.dumps(list(uids))),
        )

    def _place(self, uid: str | None) -> int | None:
        return self._project if self._project is not None else self._projects.get(uid or "")

    def changes(self, records: Sequence[Record]) -> None:
        """Journal entries of memories that came with this file, in the order they happened there."""
        mine = {known.record["uid"] for known in self._mine}
        with self._store.transaction() as connection:
            for record in records:
                if record["memory"] in mine:
                    self._change(connection, record)

    def _change(self, connection: sqlite3.Connection, record: Record) -> None:
        if not self._groups:  # one look at all: they have no index by device and clock
            found = connection.execute("SELECT device, clock, id FROM journal_groups")
            self._groups = {(row[0], row[1]): row[2] for row in found}
        key = (record["device"], record["clock"])
        if key not in self._groups:
            self._groups[key] = self._group(connection, record)
        group, memory = self._groups[key], self._ids[record["memory"]]
        items = [(memory, self._state(record["memory"], record["before"]),
                  self._state(record["memory"], record["after"]))]  # fmt: skip
        there = connection.execute(
            "SELECT 1 FROM journal WHERE +group_id = ? AND memory_id = ? AND before IS ? AND after IS ?",
            (group, memory, *(state and dumps(state) for state in items[0][1:])),
        ).fetchone()
        if not there:
            journal.write(connection, group, items)

    def _group(self, connection: sqlite3.Connection, record: Record) -> int:
        undoes = tuple(record["undoes"]) if record["undoes"] else None
        cursor = connection.execute(
            "INSERT INTO journal_groups (time, actor, action, undone, undoes, device, clock)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                parse_iso(record["time"]),
                record["actor"],
                record["action"],
                2 if record["undone"] else 0,  # what another store took back, that one alone brings again
                self._groups.get(undoes) if undoes else None,
                record["device"],
                record["clock"],
            ),
        )
        return int(cursor.lastrowid or 0)

    def _state(self, memory: str, state: Record | None) -> journal.State | None:
        """A portable state as this store journals it."""
        if state is None:
            return None
        versions, number = self._versions[memory], state["version"]
        return {
            "version_id": versions[number - 1] if number and number <= len(versions) else None,
            "state": state["state"], "pinned": int(state["pinned"]), "project_id": self._place(state["project"]),
            "branch": storable(state["branch"]), "superseded_by": self._ids.get(state["superseded_by"] or ""),
            "merged_into": self._ids.get(state["merged_into"] or ""), "updated": parse_iso(state["updated"]),
        }  # fmt: skip

    def settle(self) -> Taken:
        """Make all that came visible, as one journal group in one transaction: undo takes it back in one step."""
        items: list[tuple[int, journal.State | None, journal.State | None]] = []
        with self._store.transaction() as connection:
            for known in self._mine:
                before = rows.state_of(connection, known.id)
                after = self._after(connection, known)
                if not rows.is_listed(before):
                    self.taken.added.append(known.id)
                    items.append((known.id, None, after))
                elif all(before[key] == after[key] for key in rows.STATE if key != "updated"):
                    self.taken.known += 1
                    continue
                else:
                    after["updated"] = after["updated"] if self._chosen else max(after["updated"], now_ms())
                    self.taken.changed.append(known.id)
                    items.append((known.id, before, after))
                rows.put_state(connection, known.id, after)
            if items:
                group = journal.open_group(connection, self._store.device, self._actor, self._action)
                journal.write(connection, group, items)
        return self.taken

    def _after(self, connection: sqlite3.Connection, known: _Known) -> journal.State:
        record = known.record
        return {
            "version_id": known.versions[record["version"] - 1], "state": record["state"],
            "pinned": int(record["pinned"]), "project_id": self._place(record["project"]),
            "branch": storable(record["branch"]), "superseded_by": self._other(connection, record["superseded_by"]),
            "merged_into": self._other(connection, record["merged_into"]), "updated": parse_iso(record["updated"]),
        }  # fmt: skip

    def _other(self, connection: sqlite3.Connection, uid: str | None) -> int | None:
        """The id of another memory; None where neither the file nor the store has it."""
        if uid is None or uid in self._ids:
            return self._ids.get(uid or "")
        found = connection.execute("SELECT id FROM memories WHERE uid = ? AND state <> 'undone'", (uid,)).fetchone()
        return found and int(found["id"])


def _is_later(found: sqlite3.Row, record: Record) -> bool:
    """Whether the memory here was changed after the file's state of it; an edited file keeps the times it had."""
    written = parse_iso(record["versions"][record["version"] - 1]["created"])
    return (found["updated"], found["written"] or 0) > (parse_iso(record["updated"]), written)


def purged(store: Store) -> frozenset[str]:
    """The uids of what was purged, here or on another device: it does not come back by an old file."""
    sql = (
        "SELECT j.before ->> 'uid' FROM journal j JOIN journal_groups g ON g.id = j.group_id"
        " WHERE g.action = 'purge' AND j.after IS NULL UNION SELECT name FROM sync_tombs WHERE kind = 'memory'"
    )
    return frozenset(row[0] for row in store.rows(sql) if row[0])


def _project(connection: sqlite3.Connection, record: Record) -> int:
    found = connection.execute("SELECT id FROM projects WHERE uid = ?", (record["uid"],)).fetchone()
    if found is None and record["remotes"]:
        found = connection.execute(
            "SELECT project_id FROM project_aliases WHERE kind = 'remote'"
            " AND value IN (SELECT value FROM json_each(?)) LIMIT 1",
            (json.dumps(record["remotes"]),),
        ).fetchone()
    if found is not None:
        return int(found[0])
    known = identity.by_name(connection, record["name"])
    if known is not None and not (record["remotes"] and _has_remote(connection, known)):
        return known
    made = identity.make(connection, record["name"])
    connection.execute("UPDATE projects SET uid = ? WHERE id = ?", (record["uid"], made))
    names = [("name", record["name"])] if known is None else []
    identity.remember(connection, made, *names, *(("remote", value) for value in record["remotes"]))
    return made


def _has_remote(connection: sqlite3.Connection, project: int) -> bool:
    sql = "SELECT 1 FROM project_aliases WHERE kind = 'remote' AND project_id = ?"
    return connection.execute(sql, (project,)).fetchone() is not None


def insert_observation(connection: sqlite3.Connection, record: Record, project: int | None) -> int:
    """Store an observation that is not known; how many that were (0 or 1)."""
    if connection.execute("SELECT 1 FROM observations WHERE uid = ?", (record["uid"],)).fetchone():
        return 0
    values = record | {
        "session_id": session_row(connection, record["agent"], record["session"], parse_iso(record["time"])),
        "project_id": project,
        "time": parse_iso(record["time"]),
    }
    values |= {name: dumps(record[name]) for name in ("detail", "files", "redactions")}
    values |= {name: storable(values[name]) for name in ("text", "branch", "cwd", "tool", "parent", "reason")}
    marks = ", ".join(f":{name}" for name in _OBSERVATION)
    return connection.execute(f"INSERT INTO observations ({', '.join(_OBSERVATION)}) VALUES ({marks})", values).rowcount


def session_row(connection: sqlite3.Connection, agent: str, session: str, time: int) -> int:
    """The row of an agent's session; one that was never seen here has long ended."""
    values = (storable(agent), storable(session))
    row = connection.execute("SELECT id FROM sessions WHERE agent = ? AND session = ?", values).fetchone()
    if row:
        return int(row[0])
    made = connection.execute(
        "INSERT INTO sessions (agent, session, started, last_seen, ended) VALUES (?, ?, ?3, ?3, ?3)", (*values, time)
    )
    return int(made.lastrowid or 0)


def _versions(connection: sqlite3.Connection, memory: int, records: Sequence[Record]) -> list[int]:
    """The ids of these versions here, in their order; those that are not here yet are stored."""
    here = connection.execute("SELECT id, created FROM versions WHERE memory_id = ? ORDER BY id", (memory,)).fetchall()
    found: list[int] = []
    for record in records:
        body, created = body_of(record), parse_iso(record["created"])
        known = next(
            (row["id"] for row in here if row["created"] == created and row["id"] not in found
             and rows.is_version(connection, row["id"], body)), None,
        )  # fmt: skip
        found.append(known or rows.insert_versions(connection, [(memory, body)], created)[0])
    return found


def body_of(record: dict[str, Any]) -> Body:
    """The body that a record of a version holds."""
    made_by = MadeBy(record["route"], record["model"], record["prompt_version"], record["schema_version"])
    return Body(
        record["title"], record["summary"], record["text"], record["facts"], record["tier"], record["kind"],
        record["labels"], record["files"], made_by, Grounding(record["retained"], record["flagged"]),
    )  # fmt: skip
