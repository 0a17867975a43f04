"""What undo and redo reach: which group comes next, and what they pass over because nothing brings it back."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tui_memory.model import Entry
from tui_memory.store import journal

_FINAL = ", ".join(f"'{action}'" for action in journal.FINAL)
_OWN = (
    "g.actor = 'person' AND g.undone = 0 AND g.device = (SELECT value FROM meta WHERE key = 'device')"
    " AND g.action NOT IN ('undo', 'redo')"
)
"""What a person did in this store and is in force: what came with an import was done elsewhere."""
_PURGED = "NOT EXISTS (SELECT 1 FROM memories WHERE id = j.memory_id)"
_TORN = (
    f"SELECT o.after ->> 'merged_into' FROM journal o WHERE o.group_id = g.id AND {journal.MERGED}"
    " AND (NOT EXISTS (SELECT 1 FROM memories WHERE id = o.memory_id)"
    " OR NOT EXISTS (SELECT 1 FROM memories WHERE id = o.after ->> 'merged_into'))"
)
_KEPT = f"FROM journal j WHERE j.group_id = g.id AND NOT {_PURGED}"
_LOST = (
    f"(g.action IN ({_FINAL}) OR NOT EXISTS (SELECT 1 {_KEPT}) OR EXISTS ({_TORN})"
    f" AND NOT EXISTS (SELECT coalesce(j.after ->> 'merged_into', j.memory_id) {_KEPT} EXCEPT {_TORN}))"
)
"""Nothing brings it back: it took text away for good, or of all it is about something is purged since: every memory,
or of a merge an original or what it made.
"""
_NO_TEXT = (
    "EXISTS (SELECT 1 FROM journal j WHERE j.group_id = g.id AND j.{side} IS NOT NULL"
    f" AND NOT {_PURGED} AND NOT EXISTS (SELECT 1 FROM versions WHERE id = j.{{side}} ->> 'version_id'))"
)
_NAMED = 3  # things that a sentence names


class Reverted(list[Entry]):
    """What undo took back or redo brought again, latest first; `skipped`: in sentences, what nothing brings back."""

    def __init__(self, entries: Iterable[Entry] = (), skipped: Iterable[str] = ()) -> None:
        super().__init__(entries)
        self.skipped = list(skipped)


@dataclass(frozen=True, slots=True)
class Ahead:
    """What undo would take back, or redo bring again, next."""

    entries: list[Entry]
    entry: int
    """Undoing this one does it, whatever comes after it meanwhile."""
    time: int
    """When it was done, or taken back: milliseconds."""
    here: bool
    """Whether that was done through this store object, and not by another process or an earlier one."""


def ahead(connection: sqlite3.Connection, made: Collection[int], *, again: bool) -> Ahead | None:
    """The next one; None where there is none. `made`: the groups that count as made here."""
    group = (last_undone if again else last_done)(connection)
    if group is None:
        return None
    latest, time, done = connection.execute(
        "SELECT id, time, (SELECT min(id) FROM journal WHERE group_id = iif(?2, g.id, ?1)) FROM journal_groups g"
        " WHERE id = ?1 OR undoes = ?1 ORDER BY id DESC",
        (group, again),
    ).fetchone()
    found = journal.entries(connection, "WHERE g.id = ? ORDER BY j.id", (group,))
    return Ahead(found, done, time, latest in made)


def last_done(connection: sqlite3.Connection) -> int | None:
    """The last group by a person in this store that can be taken back: what undo takes."""
    return _first(connection, f"SELECT g.id FROM journal_groups g WHERE {_OWN} AND NOT {_LOST} ORDER BY g.id DESC")


def last_undone(connection: sqlite3.Connection) -> int | None:
    """The group that was taken back last and can still be brought again: what redo takes."""
    return _first(
        connection,
        f"SELECT g.id FROM journal_groups g WHERE g.undone = 1 AND NOT {_LOST}"
        " ORDER BY (SELECT max(u.id) FROM journal_groups u WHERE u.undoes = g.id) DESC",
    )


def is_beyond(connection: sqlite3.Connection, group: int, *, again: bool) -> bool:
    """Whether a text that reversing a group would bring back is no longer kept."""
    lost = _NO_TEXT.format(side="after" if again else "before")
    return _first(connection, f"SELECT g.id FROM journal_groups g WHERE g.id = ? AND {lost}", group) is not None


def before(connection: sqlite3.Connection, group: int) -> str:
    """The next older change of a person's whose texts are kept, in a sentence; empty where there is none."""
    lost = _NO_TEXT.format(side="before")
    older = _first(
        connection,
        f"SELECT g.id FROM journal_groups g WHERE {_OWN} AND NOT {_LOST} AND g.id < ? AND NOT {lost}"
        " ORDER BY g.id DESC",
        group,
    )
    if older is None:
        return ""
    entry = connection.execute("SELECT min(id) FROM journal WHERE group_id = ?", (older,)).fetchone()[0]
    return f" Before it comes the {_name(connection, older)}: `tui-memory undo --entry {entry}` takes that back."


def undone_from(connection: sqlite3.Connection) -> int:
    """The oldest group that is taken back and can be brought again; past all groups where there is none."""
    oldest = connection.execute("SELECT min(id) FROM journal_groups WHERE undone = 1").fetchone()[0]
    return sys.maxsize if oldest is None else int(oldest)


def passed_over(connection: sqlite3.Connection, after: int, until: int) -> str:
    """What a person did between two groups and nothing brings back, in words; empty: nothing of the kind."""
    rows = connection.execute(
        f"SELECT g.id FROM journal_groups g WHERE {_OWN} AND {_LOST} AND g.id > ? AND g.id < ? ORDER BY g.id DESC",
        (after, until),
    ).fetchall()
    names = [f"the {_name(connection, row[0])}" for row in rows[:_NAMED]]
    return ", ".join(names) + (f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else "")


def purged_of(connection: sqlite3.Connection, group: int) -> list[int]:
    """The memories of a group that were purged since."""
    rows = connection.execute(
        f"SELECT DISTINCT j.memory_id FROM journal j WHERE j.group_id = ? AND {_PURGED} ORDER BY 1", (group,)
    )
    return [row[0] for row in rows]


def listed(ids: Sequence[int]) -> str:
    """Some memories in words: `#1, #2 and 3 more`."""
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return ", ".join(f"#{id_}" for id_ in ids[:_NAMED]) + more


def _name(connection: sqlite3.Connection, group: int) -> str:
    """`edit of #4`."""
    row = connection.execute(
        "SELECT g.action, (SELECT json_group_array(DISTINCT memory_id) FROM journal j WHERE j.group_id = g.id)"
        " FROM journal_groups g WHERE g.id = ?",
        (group,),
    ).fetchone()
    return f"{row[0]} of {listed(json.loads(row[1]))}"


def _first(connection: sqlite3.Connection, sql: str, *values: int) -> int | None:
    row = connection.execute(f"{sql} LIMIT 1", values).fetchone()
    return row and int(row[0])
