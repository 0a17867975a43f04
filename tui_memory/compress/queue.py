"""The queue, drained: lease a turn, compress it, store it, next. Each turn's memories are stored exactly once.

Nothing is written until a turn is compressed, and then all of it at once, if the lease still holds: a worker that is
killed leaves a lease that runs out, and the turn is taken again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.compress import keeping, requests, turns, upgrade
from tui_memory.compress.budget import Budget
from tui_memory.compress.extractive import Extractive
from tui_memory.compress.made import Compressed
from tui_memory.compress.router import Router
from tui_memory.errors import NotFoundError, StoreError
from tui_memory.store import counters, observations, projects, queue, timings
from tui_memory.store.turns import enqueue

if TYPE_CHECKING:
    from tui_memory.compress.turns import Turn
    from tui_memory.store.db import Store
    from tui_memory.store.queue import Job

ATTEMPTS = 4
"""Attempts before a turn is given up; from the third on, only extractive tries."""
_FIRST_RETRY_MS = 5_000
_QUIET_MS = 30 * 60_000
"""After so long without an event a session counts as ended, whether its agent said so or not."""


@dataclass(slots=True)
class Progress:
    """One turn that is done: what it became, and how far the queue is."""

    turn: Turn
    compressed: Compressed
    memories: list[int]
    waiting: int
    """Turns that are still waiting."""


@dataclass(slots=True)
class Drained:
    """What a run did: turns taken, memories made or renewed, turns that failed, the notes of routes that could not."""

    turns: int = 0
    memories: int = 0
    failed: int = 0
    notes: list[str] = field(default_factory=list)
    renewed: list[int] = field(default_factory=list)
    """Older memories made by rule that a model, back again, has given a new version."""


def drain(
    store: Store,
    router: Router,
    *,
    worker: str,
    limit: int | None = None,
    on_turn: Callable[[Progress], None] | None = None,
    lease_s: float | None = None,
) -> Drained:
    """Compress what waits, oldest first, until nothing is ready or `limit` turns are done.

    `worker` names this run in leases. `on_turn` is called after each turn, outside of any transaction. StoreError where
    the store cannot be used: what was stored until then stays, the rest waits.
    """
    budget = Budget(store, router.settings.compress)
    done = Drained()
    seconds = lease_s if lease_s is not None else 60.0 + 3 * router.settings.compress.timeout_s
    while limit is None or done.turns < limit:
        jobs = queue.lease(store, worker, 1, seconds)
        if not jobs:
            observations.skip_bare(store, requests.METADATA_ONLY)
            done.renewed = upgrade.upgrade(store, router, budget)
            break
        if _comes_later(store, router, jobs[0]):
            continue
        done.turns += 1
        progress = _one(store, router, budget, jobs[0], seconds, done)
        if progress and on_turn:
            on_turn(progress)
    return done


def _one(store: Store, router: Router, budget: Budget, job: Job, seconds: float, done: Drained) -> Progress | None:
    """One leased turn; None where it failed, is gone, or was another's in the meantime."""
    turn = None
    try:
        projects.assign(store)  # what has just come in may not know its project yet, and its memories go there
        turn = turns.load(store, job.session_id, turns.WHOLE if _is_whole(store, router, job) else job.turn)
        use = router if job.attempts < ATTEMPTS - 1 else Router(router.settings, routes=[Extractive()])
        began = perf_counter()
        found = asyncio.run(_held(store, job, seconds, use.compress_async(turn, budget)))
        kept = _keep(store, job, turn, found, perf_counter() - began)
    except NotFoundError as error:
        queue.fail(store, job, error.message, None)
        return None
    except StoreError:
        raise
    except Exception as error:
        # Whatever one turn does to a compressor, the rest of the queue goes on; the error is kept and shown.
        _fail(store, job, turn, f"{type(error).__name__}: {error}", done)
        return None
    if kept is None:
        return None
    done.memories += len(kept.added) + len(kept.renewed)
    done.notes += [note for note in found.failures if note not in done.notes]
    return Progress(turn, found, [*kept.added, *kept.renewed], queue.waiting(store))


def _comes_later(store: Store, router: Router, job: Job) -> bool:
    """Give back a turn of a session that is still at work, where sessions are compressed as one."""
    if router.settings.compress.granularity != "session" or not job.turn:
        return False
    row = store.rows("SELECT agent, ended, last_seen FROM sessions WHERE id = ?", (job.session_id,))
    if not row or row[0]["ended"] or row[0]["agent"] == "git" or row[0]["last_seen"] + _QUIET_MS <= now_ms():
        return False
    return queue.defer(store, job, row[0]["last_seen"] + _QUIET_MS)


def _is_whole(store: Store, router: Router, job: Job) -> bool:
    """Whether a leased turn stands for all its session: its digest comes after the session's turns."""
    if router.settings.compress.granularity != "session":
        return False
    return bool(job.turn or queue.waiting_turns(store, job.session_id))


async def _held(store: Store, job: Job, seconds: float, compressing: Coroutine[None, None, Compressed]) -> Compressed:
    """Compress while the lease is renewed: however long a model takes, no other worker takes the turn over."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(seconds / 3)
            try:
                if not queue.renew(store, job, seconds):
                    return  # lost: storing will find out
            except StoreError:
                continue  # somebody writes for long; a third of the lease later there is another occasion

    renewing = asyncio.create_task(renew())
    try:
        return await compressing
    finally:
        renewing.cancel()


def _keep(store: Store, job: Job, turn: Turn, found: Compressed, took: float) -> keeping.Kept | None:
    """Store what a turn became and settle it, both or neither; None where the lease was lost meanwhile."""
    with store.transaction() as connection:
        if not queue.done(store, job):
            return None
        if turn.number == turns.WHOLE:
            queue.settle_turns(store, job.session_id)
            if not job.turn:
                enqueue(connection, job.session_id, 0, now_ms())  # its digest is made of what is kept now
        kept = keeping.keep(store, turn, found)
        counts = {
            f"compress:{found.route}": 1,
            "compress:fallback": len(found.failures),
            "compress:repair": found.repairs,
            **timings.counted(timings.COMPRESS, found.route, took),
        }
        counters.bump_many(connection, {name: n for name, n in counts.items() if n})
    return kept


def _fail(store: Store, job: Job, turn: Turn | None, error: str, done: Drained) -> None:
    done.failed += 1
    last = job.attempts >= ATTEMPTS
    wait = int(_FIRST_RETRY_MS * 2**job.attempts * random.uniform(0.5, 1.0))
    with store.transaction():
        queue.fail(store, job, error[:500], None if last else wait)
        if last and turn is not None:
            keeping.fail(store, turn, error)
