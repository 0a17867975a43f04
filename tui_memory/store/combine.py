"""What a merge takes over from its originals, and how it is taken apart; inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui_memory.errors import ConflictError, RefusedError, UsageError
from tui_memory.model import Body, MadeBy, MemoryState, NewMemory
from tui_memory.store import reach
from tui_memory.store.journal import State

_MERGEABLE = (MemoryState.ACTIVE, MemoryState.HELD, MemoryState.SUPERSEDED)
_EVICTED = (
    "(SELECT g.actor <> 'person' AND g.action = 'evict' FROM journal j JOIN journal_groups g ON g.id = j.group_id"
    " WHERE j.memory_id = m.id ORDER BY j.id DESC LIMIT 1)"
)


def merged(
    connection: sqlite3.Connection, originals: Mapping[int, State], body: Body, project: Sequence[int | None]
) -> NewMemory:
    """The new memory: earliest created, that one's session, all sources. `project`: the one given, or empty."""
    if len(originals) < 2:
        raise UsageError("A merge needs at least two different memories. Nothing was changed.")
    for id_, state in originals.items():
        if state["state"] not in _MERGEABLE:
            raise RefusedError(f"#{id_} is in state {state['state']}: restore it before merging. Nothing was changed.")
    projects = {state["project_id"] for state in originals.values()}
    if len(projects) > 1 and not project:
        raise RefusedError(
            "These memories are of several projects. Nothing was changed; say which one the merge is of."
        )
    marks, ids = _marks(originals)
    first = connection.execute(
        f"SELECT session_id, created FROM memories WHERE id IN ({marks}) ORDER BY created, id LIMIT 1", ids
    ).fetchone()
    sources = connection.execute(
        f"SELECT DISTINCT observation_id FROM memory_sources WHERE memory_id IN ({marks}) ORDER BY 1", ids
    )
    branches = {state["branch"] for state in originals.values()}
    if body.made_by == MadeBy("person"):  # a body's default: nobody said who wrote it
        body = replace(body, made_by=MadeBy("merge"))
    return NewMemory(
        body,
        project[0] if project else projects.pop(),
        branches.pop() if len(branches) == 1 else "",
        first["session_id"],
        first["created"],
        [row[0] for row in sources],
    )


def take_over(connection: sqlite3.Connection, made: int, originals: Sequence[int]) -> None:
    """The merged memory has been used as often as all originals, and is pinned where one of them was."""
    marks, ids = _marks(originals)
    connection.execute(
        "UPDATE memories SET (uses, last_used, pinned) = (SELECT sum(uses), max(last_used), max(pinned)"
        f" FROM memories WHERE id IN ({marks})) WHERE id = ?",
        (*ids, made),
    )
    connection.execute(
        f"INSERT INTO uses_by_day SELECT ?, day, sum(uses) FROM uses_by_day WHERE memory_id IN ({marks}) GROUP BY day",
        (made, *ids),
    )


def originals(connection: sqlite3.Connection, memory: int) -> list[int]:
    """What was merged into a memory and is there, in the trash as well."""
    found = connection.execute(
        "SELECT id FROM memories WHERE merged_into = ? AND state <> ? ORDER BY id", (memory, MemoryState.UNDONE)
    )
    return [row[0] for row in found]


def parts(connection: sqlite3.Connection, memory: int, *, evicted: bool = False) -> dict[int, str]:
    """The originals that are still merged into a memory, with the state each had before the merge.

    `evicted`: those as well that a limit has put into the trash since.
    """
    found = connection.execute(
        "SELECT m.id, (SELECT j.before ->> 'state' FROM journal j WHERE j.memory_id = m.id"
        " AND j.after ->> 'merged_into' = ?1 AND j.before ->> 'merged_into' IS NULL ORDER BY j.id DESC LIMIT 1)"
        f" FROM memories m WHERE m.merged_into = ?1 AND (m.state = ?2 OR ?3 AND m.state = ?4 AND {_EVICTED})"
        " ORDER BY m.id",
        (memory, MemoryState.MERGED, evicted, MemoryState.TRASH),
    )
    return {row[0]: row[1] or str(MemoryState.ACTIVE) for row in found}


def stands(connection: sqlite3.Connection, memory: int | None) -> bool:
    """Whether a memory is there, and neither in the trash nor taken back."""
    row = connection.execute("SELECT state FROM memories WHERE id = ?", (memory,)).fetchone()
    return row is not None and row[0] not in (MemoryState.TRASH, MemoryState.UNDONE)


def lost(connection: sqlite3.Connection, memory: int) -> list[int]:
    """The originals of a memory that were deleted for good, as far as the journal knows."""
    found = connection.execute(
        "SELECT DISTINCT o.memory_id FROM journal made JOIN journal o ON o.group_id = made.group_id"
        " WHERE made.memory_id = ?1 AND made.before IS NULL AND o.after ->> 'merged_into' = ?1"
        " AND NOT EXISTS (SELECT 1 FROM memories WHERE id = o.memory_id) ORDER BY 1",
        (memory,),
    )
    return [row[0] for row in found]


def check_whole(connection: sqlite3.Connection, memory: int) -> None:
    """UsageError where a memory is no merge, ConflictError where it cannot be taken apart without losing anything."""
    if gone := lost(connection, memory):
        are = "is" if len(gone) == 1 else "are"
        raise ConflictError(
            f"#{memory} cannot be taken apart: {reach.listed(gone)}, which it was made of, {are} deleted for good, and"
            f" only #{memory} still says it. Nothing was changed."
        )
    there = originals(connection, memory)
    if not there:
        raise UsageError(f"#{memory} was not made by a merge. Nothing was changed.")
    if not parts(connection, memory, evicted=True):
        raise ConflictError(
            f"All that #{memory} was made of is in the trash. Nothing was changed; restore {reach.listed(there)} first."
        )


def _marks(ids: Mapping[int, State] | Sequence[int]) -> tuple[str, tuple[int, ...]]:
    return ", ".join("?" * len(ids)), tuple(ids)
