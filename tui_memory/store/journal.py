"""The record of every change to a memory: groups with actor, device and clock; undo, redo, history.

A group is what one action did. Taking one back is a group of its own that names it: the record only grows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from tui_memory.clock import local, now_ms
from tui_memory.errors import ConflictError, NotFoundError
from tui_memory.model import Entry, MemoryState
from tui_memory.store import rows
from tui_memory.store.text import dumps

PERSON = "person"
UNDO, REDO = "undo", "redo"
PURGE, MASK = "purge", "audit mask"
SYNC = "sync"
"""The action, and the actor, of what came from another device of the same person."""
FINAL = (PURGE, MASK)
"""The actions that take text out of the store for good: nothing takes these back."""
State = dict[str, Any]

_ENTRIES = """
SELECT j.id, j.group_id, g.time, g.actor, g.action, j.memory_id, j.before, j.after, g.undone <> 0 AS undone,
    coalesce((SELECT title FROM versions WHERE id = coalesce(j.after ->> 'version_id', j.before ->> 'version_id')),
        '(purged)')
        AS title
FROM journal j JOIN journal_groups g ON g.id = j.group_id
"""


def tick(connection: sqlite3.Connection) -> str:
    """The next reading of the hybrid logical clock, stored: text that sorts; it never goes backwards."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'clock'").fetchone()
    last_ms, last_count = (int(part) for part in row[0].split("-")) if row else (0, 0)
    now = now_ms()
    ms, count = (now, 0) if now > last_ms else (last_ms, last_count + 1)
    text = f"{ms:015d}-{count:06d}"
    connection.execute("INSERT INTO meta VALUES ('clock', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1", (text,))
    return text


def witness(connection: sqlite3.Connection, clock: str) -> None:
    """Let the clock be no earlier than a reading of another device's: what is done from now on is later than that."""
    connection.execute(
        "INSERT INTO meta VALUES ('clock', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1 WHERE value < ?1", (clock,)
    )


def open_group(connection: sqlite3.Connection, device: str, actor: str, action: str, undoes: int | None = None) -> int:
    """A new group; one by a person that is itself no undo or redo ends what redo could bring back."""
    if actor == PERSON and action not in (UNDO, REDO):
        connection.execute("UPDATE journal_groups SET undone = 2 WHERE undone = 1")
    cursor = connection.execute(
        "INSERT INTO journal_groups (time, actor, action, undoes, device, clock) VALUES (?, ?, ?, ?, ?, ?)",
        (now_ms(), actor, action, undoes, device, tick(connection)),
    )
    return int(cursor.lastrowid or 0)


def write(connection: sqlite3.Connection, group: int, items: list[tuple[int, State | None, State | None]]) -> None:
    """Journal rows of a group: (memory, before, after); None: did not exist."""
    connection.executemany(
        "INSERT INTO journal (group_id, memory_id, before, after) VALUES (?, ?, ?, ?)",
        ((group, memory, before and dumps(before), after and dumps(after)) for memory, before, after in items),
    )


def entries(connection: sqlite3.Connection, where: str, values: tuple[object, ...]) -> list[Entry]:
    """Entries by a condition over `j` (journal) and `g` (journal_groups), ordering and limit included."""
    return [
        Entry(
            row["id"], row["group_id"], row["time"], row["actor"], row["action"], row["memory_id"],
            row["before"] and json.loads(row["before"]), row["after"] and json.loads(row["after"]),
            bool(row["undone"]), row["title"],
        )
        for row in connection.execute(_ENTRIES + where, values)
    ]  # fmt: skip


def group_of(connection: sqlite3.Connection, entry: int) -> tuple[int, bool]:
    """The group an entry belongs to, and whether undoing it means bringing again (the entry is an undo's own)."""
    row = connection.execute(
        "SELECT g.id, g.action, g.undoes, g.undone FROM journal j JOIN journal_groups g ON g.id = j.group_id"
        " WHERE j.id = ?",
        (entry,),
    ).fetchone()
    if row is None:
        raise NotFoundError(f"There is no entry {entry} in the journal. Nothing was changed; see `tui-memory history`.")
    if row["undoes"] is not None:
        return int(row["undoes"]), row["action"] == UNDO
    return int(row["id"]), False


def reverse(connection: sqlite3.Connection, device: str, actor: str, group: int, *, again: bool) -> list[Entry]:
    """Take a group back (or bring it again), journaled, but for what was purged since; ConflictError where a row has
    changed since, where all was purged, or where the group took text away for good.
    """
    action, done = connection.execute("SELECT action, undone FROM journal_groups WHERE id = ?", (group,)).fetchone()
    if action == MASK:
        raise ConflictError("What was masked is in no place any more: nothing brings it back. Nothing was changed.")
    if bool(done) != again:
        word = "taken back already" if done else "in force already"
        raise ConflictError(f"That change is {word}. Nothing was changed; see `tui-memory history`.")
    found = _kept(connection, entries(connection, "WHERE g.id = ? ORDER BY j.id", (group,)), torn(connection, group))
    own = open_group(connection, device, actor, REDO if again else UNDO, group)
    items: list[tuple[int, State | None, State | None]] = []
    for entry in found if again else reversed(found):
        left, to = (entry.before, entry.after) if again else (entry.after, entry.before)
        left, to = _untied(connection, left), _untied(connection, to)
        items.append((entry.memory, left, to))
        _move(connection, entry, left, to)
    write(connection, own, items)
    connection.execute("UPDATE journal_groups SET undone = ? WHERE id = ?", (0 if again else 1, group))
    for entry in found:
        entry.undone = not again
    return found


def torn(connection: sqlite3.Connection, group: int) -> dict[int, list[int]]:
    """The merges of a group that nothing takes back or brings again, by what they made: which memories are gone.

    Taken back without all of its originals, a merge would take the only text that says what they said.
    """
    found: dict[int, list[int]] = {}
    for made, gone in connection.execute(_TORN, (group,)):
        found.setdefault(made, []).append(gone)
    return found


MERGED = "o.before IS NOT NULL AND o.before ->> 'merged_into' IS NULL AND o.after ->> 'merged_into' IS NOT NULL"
_TORN = (
    f"SELECT DISTINCT o.after ->> 'merged_into', t.value FROM journal o,"
    " json_each(json_array(o.memory_id, o.after ->> 'merged_into')) t"
    f" WHERE o.group_id = ?1 AND {MERGED} AND NOT EXISTS (SELECT 1 FROM memories WHERE id = t.value) ORDER BY 1, 2"
)


def _kept(connection: sqlite3.Connection, found: list[Entry], lost: Mapping[int, list[int]]) -> list[Entry]:
    """The entries whose memories are there, in no merge that is torn; ConflictError where none is."""
    ids = json.dumps([entry.memory for entry in found])
    sql = "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?))"
    there = {row[0] for row in connection.execute(sql, (ids,))}
    kept = [entry for entry in found if entry.memory in there and not ({entry.memory, _made(entry)} & lost.keys())]
    if not kept:
        if lost and there:
            made, gone = next(iter(lost.items()))
            raise ConflictError(
                f"The merge that made #{made} cannot be reversed: {', '.join(f'#{id_}' for id_ in gone)} purged since."
                " Nothing was changed."
            )
        which = f"The {found[0].action} of #{found[0].memory}" if found else "That change"
        raise ConflictError(f"{which} cannot be reversed: it was purged since. Nothing was changed.")
    return kept


def _made(entry: Entry) -> int | None:
    """What an entry merged its memory into; None where it is no merge's."""
    return entry.after.get("merged_into") if entry.before and entry.after else None


def _untied(connection: sqlite3.Connection, state: State | None) -> State | None:
    """A state without what replaced it and was purged since: so does a purge leave the row itself."""
    if state is None:
        return None
    sql = "SELECT 1 FROM memories WHERE id = ?"
    named = {name: id_ for name in ("superseded_by", "merged_into") if (id_ := state.get(name)) is not None}
    gone = [name for name, id_ in named.items() if connection.execute(sql, (id_,)).fetchone() is None]
    return state | dict.fromkeys(gone) if gone else state


def _move(connection: sqlite3.Connection, entry: Entry, left: State | None, to: State | None) -> None:
    """Set a memory's row from what the change left to what it was, if it still is as the change left it."""
    present = rows.state_of(connection, entry.memory)
    if not _same(present, left):
        raise ConflictError(_changed(connection, entry, left, present))
    target = to if to is not None else present | {"state": str(MemoryState.UNDONE)}
    if not connection.execute("SELECT 1 FROM versions WHERE id = ?", (target["version_id"],)).fetchone():
        raise ConflictError(
            f"The {entry.action} of #{entry.memory} ({local(entry.time)}) cannot be reversed: the text it had then is"
            " no longer kept. Nothing was changed; that is as far back as undo reaches."
        )
    rows.put_state(connection, entry.memory, target)


def _same(present: State, left: State | None) -> bool:
    if left is None:
        return not rows.is_listed(present)
    return all(present[key] == left.get(key) for key in rows.STATE if key != "updated")


def _changed(connection: sqlite3.Connection, entry: Entry, left: State | None, present: State) -> str:
    return (
        f"#{entry.memory} has changed since the {entry.action} of {local(entry.time)}, so that cannot be reversed."
        f" Nothing was changed.\n  left as: {_shown(connection, left)}\n  now:     {_shown(connection, present)}\n"
        f"{_apart(connection, left, present)}"
        f"Reverse the later change first{_later(connection, entry)} (`tui-memory history {entry.memory}` lists them)."
    )


def _later(connection: sqlite3.Connection, entry: Entry) -> str:
    """The command that reverses the last change to a memory that came after an entry; empty where none is in force."""
    row = connection.execute(
        "SELECT j.id, g.action FROM journal j JOIN journal_groups g ON g.id = j.group_id WHERE j.memory_id = ?"
        " AND g.id > ? AND g.undone = 0 AND g.action NOT IN (?, ?) ORDER BY j.id DESC LIMIT 1",
        (entry.memory, entry.group, UNDO, REDO),
    ).fetchone()
    return f": `tui-memory undo --entry {row[0]}` takes back its {row[1]}" if row else ""


def _apart(connection: sqlite3.Connection, left: State | None, present: State) -> str:
    """Where two versions differ: the first differing line of each part, as left and as it is now."""
    if left is None or left["version_id"] == present["version_id"]:
        return ""
    sql = f"SELECT {', '.join(_PARTS)} FROM versions WHERE id = ?"
    old, new = (connection.execute(sql, (state["version_id"],)).fetchone() for state in (left, present))
    if old is None or new is None:
        return ""
    lines = []
    for name in _PARTS:
        pair = next((pair for pair in zip_longest(_lines(old[name]), _lines(new[name])) if pair[0] != pair[1]), None)
        if pair is not None:
            lines += [f"  {name}, as left: {_cut(pair[0])}", f"  {name}, now:     {_cut(pair[1])}"]
    return "".join(f"{line}\n" for line in lines)


_PARTS = ("title", "summary", "text", "facts", "labels", "files", "kind", "tier")


def _lines(value: str) -> list[str]:
    """A text's lines, or a JSON list's items."""
    try:
        items = json.loads(value) if value.startswith("[") else None
    except ValueError:
        items = None
    return [str(item) for item in items] if isinstance(items, list) else value.splitlines()


def _cut(line: str | None) -> str:
    if line is None:
        return "(nothing)"
    return f"“{line if len(line) <= 100 else line[:99] + '…'}”"


def _shown(connection: sqlite3.Connection, state: State | None) -> str:
    """A state in words: title, version, and whatever of the row is out of the ordinary."""
    if state is None or not rows.is_listed(state):
        return "not there (its creation was taken back)"
    row = connection.execute("SELECT title FROM versions WHERE id = ?", (state["version_id"],)).fetchone()
    parts = [f"“{row[0] if row else '(purged)'}” (version {state['version_id']})", state["state"]]
    parts += ["pinned"] if state["pinned"] else []
    parts += [f"branch {state['branch']}"] if state["branch"] else []
    parts += [f"{name} {state[key]}" for key, name in (
        ("project_id", "project"), ("superseded_by", "superseded by"), ("merged_into", "merged into"),
    ) if state[key] is not None]  # fmt: skip
    return ", ".join(parts)
