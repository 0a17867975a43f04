"""Sessions and turns as events arrive: numbering, closing, queueing. Standard library only; in ingest's transaction."""

from __future__ import annotations

import sqlite3

from tui_memory.light import NamedTuple
from tui_memory.model import Draft, Kind
from tui_memory.store import rewrites
from tui_memory.store.text import storable

DIGEST = 0
"""The queue's turn number of a session's digest."""
HISTORY = "history"
"""The event of a commit that was found in a repository's history: no session was at work on it."""
COMMIT_JOINS_MS = 120_000
"""A commit this long after a session was last seen in the same folder belongs to it."""


class Place(NamedTuple):
    """Where an event belongs."""

    session_id: int
    turn: int
    project_id: int | None
    own: bool = False
    """A commit outside of any session: a session of its own, closed at once."""
    renewed: bool = False
    """A turn that may have been told before: then it is to be told with this in it."""


def known_project(connection: sqlite3.Connection, draft: Draft) -> int | None:
    """The project of a folder that was resolved before; None: the worker will find out."""
    row = connection.execute(
        "SELECT project_id FROM project_aliases WHERE kind = 'path' AND value = ?",
        (draft.project_dir or draft.cwd,),
    ).fetchone()
    return int(row[0]) if row else None


def enter(connection: sqlite3.Connection, draft: Draft, project: int | None) -> Place | None:
    """The session and turn of an event, made or moved on as it says; None: a word of git's outside of any session."""
    if draft.agent == "git":
        joined = _joined(connection, draft, project)
        if joined or draft.kind == Kind.LIFECYCLE:
            return joined
    row = _session(connection, draft, project)
    place = Place(row["id"], row["turn"], project, own=draft.agent == "git")
    if draft.parent:
        return place._replace(turn=_turn_of_parent(connection, draft, row))
    if draft.starts_turn:
        close(connection, row["id"], draft.time)
    elif row["turn_open"] or draft.kind == Kind.LIFECYCLE:
        return place
    # What follows a closed turn without a new prompt (a stop that was refused, a late result) is still part of it.
    turn = row["turn"] if row["turn"] and not draft.starts_turn else row["turn"] + 1
    connection.execute("UPDATE sessions SET turn = ?, turn_open = 1 WHERE id = ?", (turn, row["id"]))
    return place._replace(turn=turn)


def _joined(connection: sqlite3.Connection, draft: Draft, project: int | None) -> Place | None:
    """Where git's event belongs: to the commit that it replaces, else to the session at work in its folder."""
    if old := rewrites.place_of(connection, draft):
        rewrites.replaced(connection, draft)
        return Place(old["session_id"], old["turn"], project or old["project_id"], renewed=True)
    if draft.detail.get("event") == HISTORY:
        return None
    row = _session_at_work(connection, draft)
    return Place(row["id"], row["turn"], project or row["project_id"], renewed=True) if row else None


def amend_late(connection: sqlite3.Connection, draft: Draft) -> None:
    """What a commit replaces, said after the commit was stored: it is told where the old one was."""
    if place := rewrites.came_late(connection, draft):
        renew(connection, *place, draft.time)


def renew(connection: sqlite3.Connection, session_id: int, turn: int, now: int) -> None:
    """Have a turn compressed once more, unless it is still open, and the digest of its session after it."""
    row = connection.execute("SELECT turn, turn_open, ended FROM sessions WHERE id = ?", (session_id,)).fetchone()
    if row["turn"] != turn or not row["turn_open"]:
        enqueue(connection, session_id, turn, now)
    if row["ended"]:
        enqueue(connection, session_id, DIGEST, now)


def leave(connection: sqlite3.Connection, draft: Draft, place: Place) -> None:
    """Close what the event closes, and queue it."""
    if draft.parent:
        _requeue(connection, place, draft.time)
        return
    if place.renewed:
        renew(connection, place.session_id, place.turn, draft.time)
        return
    if draft.ends_turn or draft.ends_session or place.own:
        close(connection, place.session_id, draft.time)
    if draft.ends_session:
        connection.execute("UPDATE sessions SET ended = ? WHERE id = ?", (draft.time, place.session_id))
        _queue_digest(connection, place.session_id, draft.time)


def close(connection: sqlite3.Connection, session_id: int, now: int) -> None:
    """Close the session's open turn, if there is one, and queue it where there is something to compress."""
    row = connection.execute("SELECT turn, turn_open FROM sessions WHERE id = ?", (session_id,)).fetchone()
    if not row["turn_open"]:
        return
    connection.execute("UPDATE sessions SET turn_open = 0 WHERE id = ?", (session_id,))
    if _has_work(connection, session_id, row["turn"]):
        enqueue(connection, session_id, row["turn"], now)


def enqueue(connection: sqlite3.Connection, session_id: int, turn: int, now: int) -> None:
    """Put a turn in the queue; one that was there and is done or in work waits once more, for what is new in it."""
    connection.execute(
        "INSERT INTO queue (session_id, turn, created) VALUES (?, ?, ?) ON CONFLICT (session_id, turn) DO UPDATE SET"
        " state = 'waiting', attempts = 0, not_before = 0, leased_by = '', lease_until = 0, finished = NULL",
        (session_id, turn, now),
    )


def _session(connection: sqlite3.Connection, draft: Draft, project: int | None) -> sqlite3.Row:
    """The session's row, made or brought up to date; a start of the same session id continues it."""
    name = draft.session or "unknown"
    if draft.agent == "git":
        name = str(draft.detail.get("sha") or draft.key or name)[:12]
    row: sqlite3.Row = connection.execute(
        "INSERT INTO sessions (agent, session, project_id, cwd, branch, started, last_seen)"
        " VALUES (?, ?, ?, ?, ?, ?6, ?6)"
        " ON CONFLICT (agent, session) DO UPDATE SET last_seen = max(last_seen, excluded.last_seen),"
        " started = min(started, excluded.started), cwd = iif(cwd = '', excluded.cwd, cwd),"
        " branch = iif(excluded.branch = '', branch, excluded.branch),"
        " project_id = coalesce(project_id, excluded.project_id), ended = iif(?7, NULL, ended) RETURNING *",
        (
            storable(draft.agent), storable(name), project, draft.cwd, "", draft.time,
            draft.starts_session or draft.starts_turn,
        ),
    ).fetchone()  # fmt: skip
    return row


def _session_at_work(connection: sqlite3.Connection, draft: Draft) -> sqlite3.Row | None:
    """The agent's session that was last seen here shortly before: however quick the worker was with its turn."""
    rows = connection.execute(
        "SELECT s.* FROM sessions s WHERE s.agent <> 'git' AND s.turn > 0 AND s.last_seen BETWEEN ?1 - ?2 AND ?1 + ?2"
        " ORDER BY s.last_seen DESC",
        (draft.time, COMMIT_JOINS_MS),
    )
    folder = draft.project_dir or draft.cwd
    return next((row for row in rows if _inside(row["cwd"], folder) or _inside(folder, row["cwd"])), None)


def _inside(path: str, folder: str) -> bool:
    return bool(path and folder) and f"{path.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")


def _turn_of_parent(connection: sqlite3.Connection, draft: Draft, row: sqlite3.Row) -> int:
    """The turn a sub-agent was started in: it may still work when its parent has gone on."""
    found = connection.execute(
        "SELECT turn FROM observations WHERE session_id = ? AND parent = ? ORDER BY id LIMIT 1",
        (row["id"], storable(draft.parent)),
    ).fetchone()
    if found:
        return int(found[0])
    if not row["turn"]:  # capture began in the middle of a session
        connection.execute("UPDATE sessions SET turn = 1, turn_open = 1 WHERE id = ?", (row["id"],))
    return max(int(row["turn"]), 1)


def _requeue(connection: sqlite3.Connection, place: Place, now: int) -> None:
    """A sub-agent's late observation in a turn that is compressed already: once more, for what is new in it."""
    late = connection.execute(
        "SELECT 1 FROM queue WHERE session_id = ? AND turn = ? AND state IN ('done', 'failed')", place[:2]
    ).fetchone()
    if late and _has_work(connection, *place[:2]):
        enqueue(connection, place.session_id, place.turn, now)


def _has_work(connection: sqlite3.Connection, session_id: int, turn: int) -> bool:
    found = connection.execute(
        "SELECT 1 FROM observations WHERE session_id = ? AND turn = ? AND state = 'captured' LIMIT 1",
        (session_id, turn),
    ).fetchone()
    return found is not None


def _queue_digest(connection: sqlite3.Connection, session_id: int, now: int) -> None:
    """Queue the session's digest where something happened since the last one."""
    found = connection.execute(
        "SELECT 1 FROM observations WHERE session_id = ?1 AND kind <> 'lifecycle' AND time >= coalesce((SELECT finished"
        " FROM queue WHERE session_id = ?1 AND turn = ?2), 0) LIMIT 1",
        (session_id, DIGEST),
    ).fetchone()
    if found:
        enqueue(connection, session_id, DIGEST, now)
