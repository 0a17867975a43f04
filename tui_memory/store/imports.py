"""Histories coming in: drafts that are ready, what is known of them already, and how far each file was read.

What is imported goes the way of a live event (guard, turns, counters, deliveries); it only knows its own place in
a session better, and its turns are held for whoever imports until they are compressed or released.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tui_memory.clock import now_ms
from tui_memory.model import Draft, Drop
from tui_memory.store import counters, folders, forgotten, ingest, turns
from tui_memory.store.connection import immediate
from tui_memory.store.guard import Kept, guard
from tui_memory.store.queue import Job
from tui_memory.store.text import dumps, storable

if TYPE_CHECKING:
    from tui_memory.config import CaptureSettings
    from tui_memory.store.guard import Own

IMPORTED = "import:"
"""How delivery ids of imports begin: such a delivery is no sign of life of a hook."""
_MARK = "transcript:"
_SAME_MS, _ALIKE_MS = 60_000, 5_000
_HELD_MS = 3_600_000


@dataclass(slots=True)
class Mark:
    """How far a file was read: where to go on, and by what it is known again."""

    resume: int = 0
    size: int = -1
    """Bytes it had; -1: the reading did not come to its end."""
    changed: int = 0
    """When it was written last, in nanoseconds."""
    head: str = ""
    tail: str = ""
    """Digests of its first bytes and of those before `resume`."""


def mark(connection: sqlite3.Connection, path: str) -> Mark:
    """How far a file was read; the beginning for one that was never seen."""
    row = connection.execute(
        "SELECT value FROM meta WHERE key = ?", (_MARK + folders.stored(connection, path),)
    ).fetchone()
    return Mark(**json.loads(row[0])) if row else Mark()


def put_mark(connection: sqlite3.Connection, path: str, value: Mark) -> None:
    """Remember how far a file was read."""
    fields = {name: getattr(value, name) for name in Mark.__slots__}
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MARK + folders.stored(connection, path), dumps(fields))
    )


@dataclass(slots=True)
class Seen:
    """What the store holds of a session that its hooks told of, while its transcript is read."""

    session_id: int | None = None
    told: bool = False
    """Whether hooks told of it: then they, and the worker, have its turns in hand."""
    live: list[sqlite3.Row] = field(default_factory=list)
    turn: int = 0
    """The turn that the reading is in; 0: not known yet."""
    stored: int = 0

    def take_alike(self, draft: Draft, kept: Kept) -> sqlite3.Row | None:
        """The observation that the hooks made of the same event, each given out once; None where there is none."""
        for number, row in enumerate(self.live):
            apart = 0 if draft.detail.get("untimed") else abs(row["time"] - draft.time)
            if row["kind"] != draft.kind or apart > _SAME_MS:
                continue
            command = kept.detail.get("command")
            alike = (command and row["command"] == command) or (kept.files and row["files"] == dumps(kept.files))
            if row["hash"] == kept.hash or (alike and apart <= _ALIKE_MS):
                return self.live.pop(number)
        return None


def seen(connection: sqlite3.Connection, agent: str, session: str) -> Seen:
    """The observations that live hooks made in a session, oldest first."""
    row = connection.execute(
        "SELECT id FROM sessions WHERE agent = ? AND session = ?",
        (storable(agent), folders.stored(connection, session)),
    ).fetchone()
    if row is None:
        return Seen()
    live = connection.execute(
        "SELECT id, turn, kind, time, hash, files, detail ->> 'command' AS command FROM observations"
        " WHERE session_id = ? AND detail ->> 'transcript' IS NULL ORDER BY time, id",
        (row[0],),
    ).fetchall()
    return Seen(row[0], bool(live), live)


def delivery(draft: Draft, identity: str) -> ingest.Delivery:
    """The delivery of a record: the same id whenever, and in whatever file, it is read again."""
    return ingest.Delivery(f"{IMPORTED}{draft.agent}:{identity}", draft.agent, now_ms(), draft.cwd, draft.project_dir)


def known_turn(connection: sqlite3.Connection, draft: Draft, identity: str) -> int | None:
    """The turn of an event that was stored before (0: it was dropped then); None where it is new."""
    key = storable(f"{draft.agent}:{folders.stored(connection, draft.key)}") if draft.key else None
    row = connection.execute(
        "SELECT coalesce(o.turn, 0) FROM deliveries d LEFT JOIN observations o ON o.id = d.observation_id"
        " WHERE d.delivery = ? OR d.key = ?",
        (storable(delivery(draft, identity).id), key),
    ).fetchone()
    return None if row is None else int(row[0])


def take(
    connection: sqlite3.Connection,
    draft: Draft,
    identity: str,
    place: Seen,
    settings: CaptureSettings,
    key: bytes,
    *,
    holder: str,
    addresses: tuple[str, ...] = (),
    own: Own | None = None,
) -> str:
    """Take one draft: `stored`, or why it was dropped. `holder`: who keeps the turns that it closes.

    `addresses`: the person's own, which are not masked.
    """
    if forgotten.holds(connection, draft.agent, draft.session, draft.time):
        kept = Kept(dropped=Drop.IGNORED)
    else:
        kept = guard(draft, settings, key, (), addresses, 0, own)
    told = place.take_alike(draft, kept) if place.live and kept.dropped is None else None
    if told is not None:
        place.turn = told["turn"]
        return str(Drop.DUPLICATE)
    sent = delivery(draft, identity)
    with immediate(connection):
        # The same three steps as for a live event: ingest's own, behind its parsing.
        outcome = ingest._write(connection, sent, draft, kept, kept.dropped, settings)
        counters.bump_many(connection, ingest._counts(outcome, kept))
        ingest._record(connection, sent, draft, outcome, 0)
        if outcome.session_id is not None:
            place.session_id = outcome.session_id
            if outcome.observation is not None:
                place.stored += 1
                _settle(connection, draft, outcome, place)
            if not place.told:
                _hold(connection, outcome.session_id, holder)
    return outcome.outcome


def _settle(connection: sqlite3.Connection, draft: Draft, outcome: ingest.Outcome, place: Seen) -> None:
    """Put a late observation into the turn that the transcript tells it in, which then waits once more."""
    if draft.starts_turn or not place.turn:
        place.turn = outcome.turn
    elif outcome.turn != place.turn and not draft.parent:
        connection.execute("UPDATE observations SET turn = ? WHERE id = ?", (place.turn, outcome.observation))
        turns.enqueue(connection, int(outcome.session_id or 0), place.turn, now_ms())


def finish(connection: sqlite3.Connection, place: Seen, silence_ms: int) -> None:
    """Close the open turn of a session whose hooks told of it, and which has been silent for so long."""
    if place.session_id is None or not place.told or not place.stored:
        return
    with immediate(connection):
        row = connection.execute("SELECT last_seen FROM sessions WHERE id = ?", (place.session_id,)).fetchone()
        if row["last_seen"] <= now_ms() - silence_ms:
            turns.close(connection, place.session_id, row["last_seen"])


def end_silent(connection: sqlite3.Connection, silence_ms: int, *, holder: str) -> None:
    """End the sessions that only transcripts tell of and that have been silent for so long; queue their digests."""
    with immediate(connection):
        rows = connection.execute(
            "SELECT s.id, s.last_seen FROM sessions s WHERE s.ended IS NULL AND s.last_seen <= ?"
            " AND EXISTS (SELECT 1 FROM observations o WHERE o.session_id = s.id)"
            " AND NOT EXISTS (SELECT 1 FROM observations o WHERE o.session_id = s.id"
            " AND o.detail ->> 'transcript' IS NULL)",
            (now_ms() - silence_ms,),
        ).fetchall()
        for row in rows:
            turns.close(connection, row["id"], row["last_seen"])
            connection.execute("UPDATE sessions SET ended = last_seen WHERE id = ?", (row["id"],))
            turns.enqueue(connection, row["id"], turns.DIGEST, row["last_seen"])
            _hold(connection, row["id"], holder)


def homeless(connection: sqlite3.Connection, session_id: int) -> list[tuple[str, str]]:
    """The folders of a session's observations that are in no project, with the digest of it where an agent has that.

    The folder that the session began in comes first: others may lie inside it.
    """
    rows = connection.execute(
        "SELECT cwd, coalesce(detail ->> 'project_hash', '') FROM observations"
        " WHERE session_id = ? AND project_id IS NULL GROUP BY 1, 2 ORDER BY min(time), min(id)",
        (session_id,),
    )
    return [(row[0], row[1]) for row in rows]


def folder_of_digest(connection: sqlite3.Connection, digest: str) -> str:
    """The known working folder whose path has this SHA-256; '' where none has."""
    for row in connection.execute("SELECT value FROM project_aliases WHERE kind = 'path'"):
        if hashlib.sha256(row[0].encode("utf-8", "replace")).hexdigest() == digest:
            return str(row[0])
    return ""


def give_project(connection: sqlite3.Connection, session_id: int, folder: str, project_id: int) -> None:
    """Put what a session did in a folder, and the session where it has none, into a project."""
    with immediate(connection):
        connection.execute(
            "UPDATE observations SET project_id = ? WHERE session_id = ? AND cwd = ? AND project_id IS NULL",
            (project_id, session_id, folder),
        )
        connection.execute(
            "UPDATE sessions SET project_id = ? WHERE id = ? AND project_id IS NULL", (project_id, session_id)
        )


def _hold(connection: sqlite3.Connection, session_id: int, holder: str) -> None:
    """Keep a session's waiting turns from the worker: a history is compressed by whoever imports it."""
    connection.execute(
        "UPDATE queue SET state = 'leased', attempts = 1, leased_by = ?, lease_until = ?"
        " WHERE session_id = ? AND state = 'waiting'",
        (holder, now_ms() + _HELD_MS, session_id),
    )


def adopt(connection: sqlite3.Connection, holder: str, is_alive: Callable[[str], bool]) -> None:
    """Take over the turns that an import which is no more (killed half-way) still holds."""
    with immediate(connection):
        rows = connection.execute(
            "SELECT DISTINCT leased_by FROM queue WHERE state = 'leased' AND leased_by LIKE ?", (f"{IMPORTED}%",)
        ).fetchall()
        for (other,) in rows:
            if not is_alive(other):
                connection.execute(
                    "UPDATE queue SET leased_by = ? WHERE state = 'leased' AND leased_by = ?", (holder, other)
                )


def held(connection: sqlite3.Connection, holder: str) -> list[Job]:
    """The turns that are held, each session's digest last."""
    rows = connection.execute(
        "SELECT id, session_id, turn, attempts FROM queue WHERE state = 'leased' AND leased_by = ?"
        " ORDER BY session_id, turn = 0, turn",
        (holder,),
    )
    return [Job(row["id"], row["session_id"], row["turn"], row["attempts"], holder) for row in rows]


def release(connection: sqlite3.Connection, holder: str) -> None:
    """Let the worker have what is still held."""
    with immediate(connection):
        connection.execute(
            "UPDATE queue SET state = 'waiting', attempts = 0, leased_by = '', lease_until = 0"
            " WHERE state = 'leased' AND leased_by = ?",
            (holder,),
        )


def checkpoint(connection: sqlite3.Connection) -> None:
    """Move what was written into the database's file: an import of months would make its log very large."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def by_uid(connection: sqlite3.Connection, uid: str) -> dict[str, Any] | None:
    """id, state and version of the memory of a uid; None where there is none."""
    row = connection.execute("SELECT id, state, version_id FROM memories WHERE uid = ?", (uid,)).fetchone()
    return dict(row) if row else None


def give_uids(connection: sqlite3.Connection, pairs: list[tuple[int, str]]) -> None:
    """Give new memories, as (id, uid), the identity that their source has in every store."""
    connection.executemany("UPDATE memories SET uid = ? WHERE id = ?", [(uid, id_) for id_, uid in pairs])
