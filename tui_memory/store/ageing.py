"""What goes when room is needed: raw observations, older texts, evicted memories whose days are over; and the room.

Deleting here is no promise to forget (that is a purge): rows go, their pages are zeroed and given back to the disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tui_memory import places
from tui_memory.store import marks, purging
from tui_memory.store.db import Store
from tui_memory.store.faults import explained
from tui_memory.store.purge_plan import Plan

EVICT = "evict"
"""How the journal calls it when a limit puts a memory into the trash."""
ACTOR = "upkeep"
FOR_EVER = 1 << 62
"""A moment that never comes (ms)."""
_TOLD_MS = 180 * 86_400_000  # for so long the journal says of a memory that room was made by deleting it
_DELETED = "upkeep:deleted"
_MERGE, _MERGES = 500, 100  # pages of the search index that are merged at once, and how often in one run
_PAGES = 2_000  # given back to the disk at once: the write lock must not be held for long

# Not the sources of a turn that still waits to be compressed, nor what came in just now.
_MAY_GO = """o.state IN ('compressed', 'skipped') AND NOT EXISTS (
    SELECT 1 FROM queue q WHERE q.session_id = o.session_id AND q.turn = o.turn AND q.state IN ('waiting', 'leased'))
"""
_OBSERVATIONS = f"""
SELECT o.id, o.time, length(o.text) + length(o.detail) + 600 AS size FROM observations o
WHERE o.time < ? AND {_MAY_GO} ORDER BY o.time, o.id LIMIT ?
"""
_STILL_SEEN = f"SELECT o.id FROM observations o WHERE o.id IN (SELECT value FROM json_each(?)) AND {_MAY_GO}"
_STILL_OLD = """
SELECT v.id FROM versions v JOIN memories m ON m.id = v.memory_id
WHERE v.id IN (SELECT value FROM json_each(?)) AND v.id <> m.version_id
"""
_VERSIONS = """
SELECT v.id, v.created AS time,
    3 * (length(v.title) + length(v.summary) + length(v.text) + length(v.facts)) + 1500 AS size
FROM versions v JOIN memories m ON m.id = v.memory_id
WHERE v.created < ? AND v.id <> m.version_id ORDER BY v.created, v.id LIMIT ?
"""
_EVICTED = """
SELECT m.id FROM memories m WHERE m.state = 'trash' AND NOT m.pinned AND (
    SELECT g.actor = 'upkeep' AND g.action = 'evict' AND g.time < ?
    FROM journal j JOIN journal_groups g ON g.id = j.group_id WHERE j.memory_id = m.id ORDER BY j.id DESC LIMIT 1)
"""
_PAGES_USED = (
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)
_SIZE = """
SELECT m.id, 3 * (length(v.title) + length(v.summary) + length(v.text) + length(v.facts)) + 2500 AS size
FROM memories m JOIN versions v ON v.id = m.version_id WHERE m.id IN (SELECT value FROM json_each(?))
"""


class Old(NamedTuple):
    """A row that may go: its id, when it is from (ms), about how many bytes it takes."""

    id: int
    time: int
    size: int


def observations(store: Store, before: int, limit: int) -> list[Old]:
    """Raw observations that were compressed, or kept no more than their place, oldest first."""
    return [Old(*row) for row in store.rows(_OBSERVATIONS, (before, limit))]


def versions(store: Store, before: int, limit: int) -> list[Old]:
    """Texts that no memory shows any more: undo would bring them back, oldest first."""
    return [Old(*row) for row in store.rows(_VERSIONS, (before, limit))]


def evicted(store: Store, before: int) -> list[int]:
    """Memories that a limit put into the trash before a moment, and nobody has touched since."""
    return [row[0] for row in store.rows(_EVICTED, (before,))]


def undone(store: Store, before: int) -> list[int]:
    """Memories whose creation was taken back before a moment."""
    return [row[0] for row in store.rows("SELECT id FROM memories WHERE state = 'undone' AND updated < ?", (before,))]


def sizes(store: Store, ids: Sequence[int]) -> dict[int, int]:
    """About how many bytes memories take, by id: text, search text, chunks, a vector or two."""
    return {row[0]: row[1] for row in store.rows(_SIZE, (json.dumps(list(ids)),))}


def drop(store: Store, *, texts: Sequence[int] = (), seen: Sequence[int] = ()) -> int:
    """Delete older texts (version ids) and observations for good, all or nothing: how many.

    What somebody needs again by now stays: a text that an undo has made the present one, what is to be compressed.
    """

    def narrow(plan: Plan) -> None:
        plan.versions &= {row[0] for row in store.rows(_STILL_OLD, (json.dumps(list(texts)),))}
        plan.observations &= {row[0] for row in store.rows(_STILL_SEEN, (json.dumps(list(seen)),))}

    plan = Plan(set(), set(texts), set(seen))
    purging.drop(store, plan, ACTOR, narrow)
    return len(plan.versions) + len(plan.observations)


def delete(store: Store, memories: Sequence[int], due: Callable[[], list[int]]) -> list[int]:
    """Delete those of the memories for good that are still due, journaled; which these were."""

    def narrow(plan: Plan) -> None:
        plan.memories &= {*due()}

    plan = Plan(set(memories))
    purging.drop(store, plan, ACTOR, narrow)
    return [memory for memory in memories if memory in plan.memories]


def drop_records(store: Store, before: int) -> None:
    """Forget what was delivered and shown before a moment, and sessions of which nothing is left."""
    with store.transaction() as connection:
        connection.execute("DELETE FROM deliveries WHERE time < ? AND observation_id IS NULL", (before,))
        connection.execute("DELETE FROM disclosures WHERE time < ?", (before,))
        connection.execute(
            "DELETE FROM sessions WHERE last_seen < ? AND NOT turn_open"
            " AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.session_id = sessions.id)"
            " AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.session_id = sessions.id)",
            (before,),
        )
        connection.execute(  # what happened to memories that are gone: that they went is enough
            "DELETE FROM journal WHERE after IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories WHERE id = memory_id)"
            " AND NOT EXISTS (SELECT 1 FROM memories WHERE id = after ->> 'merged_into')"  # it can be split no more
            " AND group_id IN (SELECT id FROM journal_groups WHERE time < ?)",
            (before,),
        )
        connection.execute(
            "DELETE FROM journal WHERE group_id IN"
            " (SELECT id FROM journal_groups WHERE actor = ? AND action = 'purge' AND time < ?)",
            (ACTOR, before - _TOLD_MS),
        )
        connection.execute("DELETE FROM queue WHERE state IN ('done', 'failed') AND finished < ?", (before,))
        connection.execute(
            "DELETE FROM journal_groups WHERE time < ?"
            " AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.group_id = journal_groups.id)",
            (before,),
        )


def usual_size(store: Store) -> float:
    """About how many bytes one of the newest memories takes."""
    newest = [row[0] for row in store.rows("SELECT id FROM memories ORDER BY id DESC LIMIT 500")]
    return sum(sizes(store, newest).values()) / max(len(newest), 1)


def freed_at_once(store: Store) -> int:
    """About how many bytes all raw observations and older texts take that may go."""
    raw = store.rows(
        "SELECT coalesce(sum(length(text) + length(detail) + 600), 0) FROM observations"
        " WHERE state IN ('compressed', 'skipped')"
    )
    return int(raw[0][0]) + sum(row.size for row in versions(store, FOR_EVER, -1))


def fold(store: Store) -> None:
    """Copy the log into the database, so that the next writes begin it anew: it does not grow while rows go."""
    with explained(store.home):
        store.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def drop_backups(store: Store, before: int) -> int:
    """Remove the copies that migrations left before a moment (ms); how many."""
    folder = store.home / "backups"
    old = [path for path in folder.glob("*.db") if path.stat().st_mtime * 1000 < before] if folder.is_dir() else []
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def used(store: Store) -> int:
    """Bytes of the store that are in use: all its files, without free pages and the log that a checkpoint empties."""
    database = places.database(store.home).name
    total = int(store.rows(_PAGES_USED)[0][0])
    for path in store.home.rglob("*"):
        if path.name not in (database, f"{database}-wal") and path.is_file():
            total += path.stat().st_size
    return total


def tidy_search(store: Store, deleted: int) -> None:
    """Take deleted texts out of the search index, a little at a time, once they are a tenth of it; `deleted`: just now.

    The index only marks what is deleted; merging its parts drops it.
    """
    left = marks.get(store, _DELETED) + deleted
    if left * 10 > store.rows("SELECT count(*) FROM versions")[0][0]:
        connection, pages = store.connection, -_MERGE
        with explained(store.home):
            for _ in range(_MERGES):
                before = connection.total_changes
                connection.execute("INSERT INTO search_text (search_text, rank) VALUES ('merge', ?)", (pages,))
                pages = _MERGE
                if connection.total_changes - before < 2:
                    break
        left = 0
    marks.put(store, {_DELETED: left})


def give_back(store: Store) -> None:
    """Give free pages back to the disk, and empty the log as far as nobody reads it."""
    connection = store.connection
    with explained(store.home):
        while (left := connection.execute("PRAGMA freelist_count").fetchone()[0]) > 0:
            connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
            if connection.execute("PRAGMA freelist_count").fetchone()[0] >= left:
                break
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
