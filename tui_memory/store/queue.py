"""The queue of closed turns: leased by a worker for a while, retried later, never two workers on one turn.

A turn's number is the session's own; 0 is the session's digest, which waits for its other turns. Times are ms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui_memory.clock import now_ms
from tui_memory.store import turns
from tui_memory.store.db import Store

_FAR_MS = 2 * 86_400_000
"""Nothing is put off or leased for so long: what seems to be was so before the clock was set back, and is due."""
_LEASABLE = (
    f"((q.state = 'waiting' AND q.not_before NOT BETWEEN :now + 1 AND :now + {_FAR_MS})"
    f" OR (q.state = 'leased' AND q.lease_until NOT BETWEEN :now + 1 AND :now + {_FAR_MS}))"
    " AND (q.turn > 0 OR NOT EXISTS (SELECT 1 FROM queue o WHERE o.session_id = q.session_id AND o.turn > 0"
    " AND o.state IN ('waiting', 'leased') AND o.not_before <= :now))"
)


@dataclass(frozen=True, slots=True)
class Job:
    """A leased turn; `attempts` counts this one."""

    id: int
    session_id: int
    turn: int
    attempts: int
    worker: str = ""


def lease(store: Store, worker: str, limit: int = 1, seconds: float = 300) -> list[Job]:
    """Take turns for this worker alone, oldest first; a lease that ran out (a killed worker's) is taken over."""
    now = now_ms()
    with store.transaction() as connection:
        rows = connection.execute(
            f"SELECT q.id, q.session_id, q.turn, q.attempts FROM queue q WHERE {_LEASABLE} ORDER BY q.id LIMIT :limit",
            {"now": now, "limit": limit},
        ).fetchall()
        connection.executemany(
            "UPDATE queue SET state = 'leased', attempts = attempts + 1, leased_by = ?, lease_until = ? WHERE id = ?",
            ((worker, now + round(seconds * 1000), row[0]) for row in rows),
        )
    return [Job(row["id"], row["session_id"], row["turn"], row["attempts"] + 1, worker) for row in rows]


def release(store: Store, holders: str) -> int:
    """Take back every lease of holders whose names begin so: their processes are known to be gone. How many."""
    with store.transaction() as connection:
        return connection.execute(
            "UPDATE queue SET state = 'waiting', leased_by = '', lease_until = 0"
            " WHERE state = 'leased' AND substr(leased_by, 1, length(?1)) = ?1",
            (holders,),
        ).rowcount


def done(store: Store, job: Job) -> bool:
    """Settle a leased turn; False where the lease was lost meanwhile (taken over, or something new came in)."""
    return _settle(store, job, "state = 'done', finished = :now, last_error = ''", {"now": now_ms()})


def defer(store: Store, job: Job, until: int) -> bool:
    """Give a leased turn back untried, for a later time (ms). False as for `done`."""
    return _settle(
        store, job, "state = 'waiting', not_before = :until, attempts = max(attempts - 1, 0)", {"until": until}
    )


def fail(store: Store, job: Job, error: str, retry_ms: int | None) -> bool:
    """Give a leased turn back, to be tried again after `retry_ms`; None: never again. False as for `done`."""
    now = now_ms()
    if retry_ms is None:
        return _settle(
            store, job, "state = 'failed', finished = :now, last_error = :error", {"now": now, "error": error}
        )
    values = {"later": now + retry_ms, "error": error}
    return _settle(store, job, "state = 'waiting', not_before = :later, last_error = :error", values)


def renew(store: Store, job: Job, seconds: float) -> bool:
    """Hold a leased turn for so much longer: a model may take its time. False where the lease was lost meanwhile."""
    with store.transaction() as connection:
        cursor = connection.execute(
            "UPDATE queue SET lease_until = ? WHERE id = ? AND state = 'leased' AND leased_by = ?",
            (now_ms() + round(seconds * 1000), job.id, job.worker),
        )
        return cursor.rowcount == 1


def _settle(store: Store, job: Job, change: str, values: dict[str, object]) -> bool:
    with store.transaction() as connection:
        cursor = connection.execute(
            f"UPDATE queue SET {change}, leased_by = '', lease_until = 0"
            " WHERE id = :id AND state = 'leased' AND leased_by = :worker",
            values | {"id": job.id, "worker": job.worker},
        )
        return cursor.rowcount == 1


def waiting(store: Store) -> int:
    """How many turns are not settled: waiting (also for a retry) or in work."""
    return int(store.rows("SELECT count(*) FROM queue WHERE state IN ('waiting', 'leased')")[0][0])


def waiting_turns(store: Store, session_id: int) -> list[int]:
    """The turns of a session, its digest not among them, that wait for being compressed, or for another time."""
    sql = "SELECT turn FROM queue WHERE session_id = ? AND turn > 0 AND state = 'waiting' ORDER BY turn"
    return [row[0] for row in store.rows(sql, (session_id,))]


def settle_turns(store: Store, session_id: int) -> None:
    """Settle a session's waiting turns: they were compressed all together."""
    with store.transaction() as connection:
        connection.execute(
            "UPDATE queue SET state = 'done', finished = ?, last_error = ''"
            " WHERE session_id = ? AND turn > 0 AND state = 'waiting'",
            (now_ms(), session_id),
        )


def counts(store: Store) -> dict[str, int]:
    """How many turns there are by state."""
    return {row[0]: row[1] for row in store.rows("SELECT state, count(*) FROM queue GROUP BY 1")}


def close_idle_turns(store: Store, silence_ms: int) -> int:
    """Close and queue turns of sessions that have been silent so long (an agent that was killed); how many."""
    now = now_ms()
    with store.transaction() as connection:
        connection.execute(
            "UPDATE sessions SET last_seen = ?1 WHERE turn_open AND last_seen > ?2", (now, now + _FAR_MS)
        )
        rows = connection.execute(
            "SELECT id FROM sessions WHERE turn_open AND last_seen <= ?", (now - silence_ms,)
        ).fetchall()
        for row in rows:
            turns.close(connection, row[0], now)
    return len(rows)


def many_fail(states: Mapping[str, int]) -> bool:
    """Whether more than one turn in ten of those that were tried could not be compressed. `states`: turns by state."""
    failed = states.get("failed", 0)
    return failed * 10 > states.get("done", 0) + failed
