"""Forgetting: rows out of every table in one transaction, a journal entry without text in their place.

`erasing.finish` then takes the text out of the files.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field

from tui_memory.clock import now_ms
from tui_memory.errors import NotFoundError, StoreError
from tui_memory.store import combine, erasing, folders, forgotten, journal, leaves, rows, sweeping, tombs
from tui_memory.store.db import Store
from tui_memory.store.purge_plan import Plan, Scope, plan

__all__ = ["ACTION", "Counts", "Plan", "Scope", "Share", "counts", "note_copy", "plan", "purge", "resolve"]

ACTION = journal.PURGE
"""How the journal calls it; such an entry cannot be taken back."""
_COPY = "copy:"
_IN = "IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Share:
    """What goes of one project, of how much."""

    project: str
    memories: int
    of_memories: int
    observations: int
    of_observations: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What a purge would take; `count` is the number that `--expect` repeats."""

    count: int
    memories: int
    versions: int
    observations: int
    pinned: int
    shares: list[Share] = field(default_factory=list)

    def words(self) -> str:
        """`1 memory, 12 observations`, and older versions where there are some."""
        named = [(self.memories, "memory", "memories"), (self.observations, "observation", "observations")]
        named += [(self.versions, "older version", "older versions")] if self.versions else []
        return ", ".join(f"{number:,} {one if number == 1 else many}" for number, one, many in named)


def counts(connection: sqlite3.Connection, found: Plan) -> Counts:
    """The plan in numbers, by project ("": what belongs to all projects or to none yet)."""
    memories, observations = _listed(found.memories), _listed(found.observations)
    taken = _by_project(connection, f"memories WHERE id {_IN}", memories)
    seen = _by_project(connection, f"observations WHERE id {_IN}", observations)
    all_memories = _by_project(connection, "memories WHERE state <> 'undone' AND ? IS NOT NULL", "")
    all_seen = _by_project(connection, "observations WHERE ? IS NOT NULL", "")
    names = dict(connection.execute("SELECT id, name FROM projects").fetchall())
    shares = [
        Share(names.get(id_, ""), taken.get(id_, 0), all_memories.get(id_, 0), seen.get(id_, 0), all_seen.get(id_, 0))
        for id_ in sorted({*taken, *seen}, key=lambda id_: id_ or 0)
    ]
    pinned = connection.execute(f"SELECT count(*) FROM memories WHERE pinned AND id {_IN}", (memories,)).fetchone()[0]
    return Counts(found.count, len(found.memories), len(found.versions), len(found.observations), pinned, shares)


def _by_project(connection: sqlite3.Connection, what: str, value: str) -> dict[int | None, int]:
    return dict(connection.execute(f"SELECT project_id, count(*) FROM {what} GROUP BY 1", (value,)).fetchall())


def purge(
    store: Store, scope: Scope, known: Plan, actor: str, check: Callable[[Counts], None]
) -> tuple[Counts, list[str]]:
    """Delete what `known` planned, and what came since: what went, and what outside of the store may still hold it.

    `check` may refuse by raising: then nothing was changed. `erasing.finish` is still to be called.
    """
    connection = store.connection
    connection.execute("PRAGMA foreign_keys = OFF")  # children are deleted here, by sets: a row at a time takes minutes
    try:
        with store.transaction():
            found = plan(connection, scope, known)
            taken = counts(connection, found)
            check(taken)
            tombs.remember(connection, found)
            _entomb(store, found, actor)
            gone = _sessions(connection, found)
            names = sweeping.named(connection, found.projects, {row["session"] for row in gone})
            copies = _copies(store, found, names)
            outside = _outside(store, found, names)
            swept = _sweep(store, found)
            _delete(connection, found)
            if found.count or found.projects or gone or swept or copies:
                erasing.begin(connection, copies)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
    return taken, outside


def drop(store: Store, found: Plan, actor: str, narrow: Callable[[Plan], None]) -> None:
    """Delete these rows alone, journaled, to make room: what others say of them stays, and files are not rewritten.

    `narrow`: takes out of `found` what may go no more, once nobody else can write.
    """
    connection = store.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        with store.transaction():
            narrow(found)
            _entomb(store, found, actor)
            connection.execute("DELETE FROM start_index")
            _delete(connection, found)
            if found.memories or found.versions:
                erasing.count(connection)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def resolve(store: Store, name: str | int) -> tuple[int, bool]:
    """(id, whether it is there) of a memory by id or uid: in whatever state, or purged. NotFoundError for others."""
    text = str(name).strip().removeprefix("#").lower()
    is_id = text.isascii() and text.isdigit()
    found = store.rows(f"SELECT id FROM memories WHERE {'id' if is_id else 'uid'} = ?", (text,))
    if found:
        return int(found[0][0]), True
    column = "j.memory_id" if is_id else "j.before ->> 'uid'"
    gone = store.rows(
        f"SELECT j.memory_id FROM journal j JOIN journal_groups g ON g.id = j.group_id"
        f" WHERE g.action = ? AND j.after IS NULL AND {column} = ?",
        (ACTION, text),
    )
    if gone:
        return int(gone[0][0]), False
    raise NotFoundError(f"There is no memory {name}. Nothing was changed; `tui-memory list` shows what there is.")


def note_copy(store: Store, place: str) -> None:
    """Remember that a copy of the store was written outside of it (an export, a back-up): a purge names it."""
    with store.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_COPY + folders.stored(connection, place), str(now_ms()))
        )


def _uids(connection: sqlite3.Connection, found: Plan) -> list[str]:
    pairs = (("memories", found.memories), ("observations", found.observations))
    return [
        row[0]
        for table, ids in pairs
        for row in connection.execute(f"SELECT uid FROM {table} WHERE id {_IN}", (_listed(ids),))
    ]


def _entomb(store: Store, found: Plan, actor: str) -> None:
    """Journal what goes, without a word of it; originals of a merge that goes are what they were before it."""
    connection = store.connection
    mine = _listed(found.memories)
    gone = connection.execute(f"SELECT id, uid, state FROM memories WHERE id {_IN}", (mine,)).fetchall()
    if not gone:
        return
    items: list[tuple[int, journal.State | None, journal.State | None]] = []
    for tomb in gone:
        for id_, state in combine.parts(connection, tomb["id"]).items():
            if id_ not in found.memories:
                before = rows.state_of(connection, id_)
                after = before | {"state": state, "merged_into": None, "updated": now_ms()}
                rows.put_state(connection, id_, after)
                items.append((id_, before, after))
        items.append((tomb["id"], {"uid": tomb["uid"], "state": tomb["state"]}, None))
    for tie in ("superseded_by", "merged_into"):  # also of originals that are in the trash, and stay there
        connection.execute(f"UPDATE memories SET {tie} = NULL WHERE {tie} {_IN}", (mine,))
    journal.write(connection, journal.open_group(connection, store.device, actor, ACTION), items)
    connection.execute(  # a branch's name is text as well
        "UPDATE journal SET before = json_remove(before, '$.branch'), after = json_remove(after, '$.branch')"
        f" WHERE memory_id {_IN}",
        (mine,),
    )


def _sessions(connection: sqlite3.Connection, found: Plan) -> list[sqlite3.Row]:
    """The sessions of which nothing is left: they go; the others' errors, which may quote something, are blanked."""
    touched = _listed(found.sessions | {
        row[0]
        for row in connection.execute(
            f"SELECT DISTINCT session_id FROM observations WHERE id {_IN}", (_listed(found.observations),)
        )
    })  # fmt: skip
    values = (touched, _listed(found.observations), _listed(found.memories))
    gone = connection.execute(
        f"SELECT id, agent, session FROM sessions s WHERE id {_IN}"
        f" AND NOT EXISTS (SELECT 1 FROM observations WHERE session_id = s.id AND id NOT {_IN})"
        f" AND NOT EXISTS (SELECT 1 FROM memories WHERE session_id = s.id AND id NOT {_IN})",
        values,
    ).fetchall()
    connection.execute(f"UPDATE queue SET last_error = '' WHERE session_id {_IN}", (touched,))
    found.sessions = {row["id"] for row in gone}
    if found.pattern is None:
        for row in gone:
            forgotten.remember(connection, row["agent"], row["session"])
    return gone


def _outside(store: Store, found: Plan, names: re.Pattern[str] | None) -> list[str]:
    """Take it out of the files beside the database; what is not the store's own and may still hold it."""

    def search(text: str) -> object:
        return (found.pattern and found.pattern.search(text)) or (names and names.search(text))

    try:
        sweeping.file(store.home, lambda text: None if search(text) else text)
    except OSError as error:
        raise StoreError(f"A file of the store cannot be rewritten: {error.strerror}. Nothing was purged.") from error
    return sweeping.marks(store.connection, search) + (sweeping.settings(search) if found.pattern else [])


def _copies(store: Store, found: Plan, names: re.Pattern[str] | None) -> list[str]:
    """The back-ups inside the store that hold any of it."""
    copies = set(erasing.copies_with(store.home, _uids(store.connection, found)))
    for pattern in (found.pattern, names):
        copies.update(sweeping.copies(store.home, pattern.search) if pattern else ())
    return sorted(copies)


def _sweep(store: Store, found: Plan) -> int:
    """Texts in the smaller tables: what the worker can make again goes, the rest where it matches; rows changed."""
    done = store.connection.execute("DELETE FROM start_index").rowcount
    return done if found.pattern is None else done + sweeping.tables(store.connection, found.pattern.search)


def _delete(connection: sqlite3.Connection, found: Plan) -> None:
    """The rows, and all rows that hang on them."""
    connection.execute(
        f"UPDATE deliveries SET observation_id = NULL WHERE observation_id {_IN}", (_listed(found.observations),)
    )
    children = leaves.children(connection)
    for table in ("memories", "versions", "observations", "sessions", "projects"):
        leaves.erase(connection, children, table, getattr(found, table))


def _listed(ids: set[int]) -> str:
    return json.dumps(sorted(ids))
