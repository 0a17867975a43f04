"""Bringing a store within its limits, in this order: raw observations, older texts, then memories of the lowest value.

The first two free their room at once. A memory goes to the trash, pinned ones never, and is deleted when its days there
are over; so memories go ahead of time, by what the store is going to grow meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tui_memory.model import MemoryState
from tui_memory.store import ageing, growth
from tui_memory.store.changes import Changes
from tui_memory.upkeep import worth
from tui_memory.upkeep.findings import Evicted, Forecast

if TYPE_CHECKING:
    from tui_memory.store.db import Store

DAY_MS = growth.DAY_MS
_FULL, _ROOMY = 0.95, 0.9  # of max_bytes: from where room is made, and how much of it is left full
_AFTER = 0.85  # of max_bytes: what evicting memories is to leave, once they are deleted
_AHEAD = 0.25  # of max_bytes: the most that is kept free for what comes in meanwhile
_INDEXES = 1.6  # what comes in also fills indexes, the journal, and pages half; measured over a simulated year
_FRESH_MS = DAY_MS  # what came in within a day is not taken for room
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Limits:
    """What the settings allow."""

    max_memories: int
    max_bytes: int
    grace_days: int


class Limiter:
    """One run over one store. `now`: ms; `lives`: half-lives by kind, in days."""

    def __init__(
        self, store: Store, limits: Limits, lives: Mapping[str, float], now: int, *, dry_run: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:  # fmt: skip
        self._store, self._limits, self._lives, self._now = store, limits, lives, now
        self._dry_run = dry_run
        self._cancelled = cancelled or (lambda: False)
        self._changes = Changes(store, ageing.ACTOR)
        self._used = ageing.used(store)
        self.done = Evicted(dry_run, bytes_before=self._used)

    def run(self) -> Evicted:
        """Do it, or say what would be done; cut short where it is cancelled, at any point a whole store."""
        grace = self._now - self._limits.grace_days * DAY_MS
        self._purge(ageing.evicted, grace)
        if self._is_full():
            self._make_room(grace)
        self._evict(self._too_many())
        if not self._dry_run:
            if deleted := self.done.versions + len(self.done.purged):
                ageing.tidy_search(self._store, deleted)
            ageing.give_back(self._store)
        self.done.bytes_after = self._used if self._dry_run else ageing.used(self._store)
        over = growth.memories(self._store) - (len(self.done.trashed) if self._dry_run else 0)
        self.done.over = over > self._limits.max_memories or self.done.bytes_after > self._limits.max_bytes
        return self.done

    def _is_full(self) -> bool:
        return self._used > _FULL * self._limits.max_bytes

    def _make_room(self, grace: int) -> None:
        """What frees its room at once: copies, records, raw observations, older texts."""
        if not self._dry_run:
            ageing.drop_backups(self._store, grace)
            self._purge(ageing.undone, grace)
            ageing.drop_records(self._store, grace)
            self._used = ageing.used(self._store)
        self.done.observations = self._take(ageing.observations, self._now - _FRESH_MS, "seen")
        self.done.versions = self._take(ageing.versions, self._now - _FRESH_MS, "texts")

    def _take(self, oldest: Callable[[Store, int, int], list[ageing.Old]], before: int, what: str) -> int:
        """Delete the oldest rows until there is room again; how many."""
        taken, upto = 0, _ROOMY * self._limits.max_bytes
        if self._dry_run:
            rows = _enough(oldest(self._store, before, -1), self._used - upto)
            self._used -= sum(row.size for row in rows)
            return len(rows)
        while self._used > upto and not self._cancelled() and (rows := oldest(self._store, before, _BATCH)):
            rows = _enough(rows, self._used - upto)
            taken += ageing.drop(self._store, **{what: [row.id for row in rows]})
            ageing.fold(self._store)
            self._used = ageing.used(self._store)
        return taken

    def _too_many(self) -> list[int]:
        """The memories that are to go, lowest value first: beyond the number allowed, and for bytes to come."""
        beyond = max(growth.memories(self._store) - self._limits.max_memories, 0)
        too_much = self._bytes_to_come()
        if not beyond and too_much <= 0:
            return []
        lowest = worth.lowest(self._store, self._lives, self._now)
        chosen = lowest[:beyond]
        if too_much > 0:
            sizes = ageing.sizes(self._store, lowest)
            freed = sum(sizes.get(id_, 0) for id_ in chosen)
            for id_ in lowest[beyond:]:
                if freed >= too_much:
                    break
                chosen.append(id_)
                freed += sizes.get(id_, 0)
        return chosen

    def _bytes_to_come(self) -> float:
        """Bytes above the limit by the time that what goes now is deleted, when all that frees its room at once has."""
        most, pace = self._limits.max_bytes, growth.gross(self._store, self._now, self._used)
        to_come = _INDEXES * pace.memories * ageing.usual_size(self._store) * self._limits.grace_days
        to_come = min(to_come, _AHEAD * most)
        if self._used + to_come <= _ROOMY * most:
            return 0.0
        leaving = sum(ageing.sizes(self._store, ageing.evicted(self._store, self._now + 1)).values())
        left = self._used + to_come - leaving - ageing.freed_at_once(self._store)
        return left - _AFTER * most if left > _ROOMY * most else 0.0

    def _evict(self, ids: list[int]) -> None:
        for start in range(0, len(ids), _BATCH):
            if self._cancelled():
                return
            batch = ids[start : start + _BATCH]
            if not self._dry_run:
                batch = self._trash(batch)
            self.done.trashed += batch

    def _trash(self, ids: list[int]) -> list[int]:
        """Put these into the trash; those that somebody pinned, or put there, since they were chosen are left out."""
        with self._store.transaction():
            batch = worth.evictable(self._store, ids)
            if batch:
                self._changes.set_state(batch, MemoryState.TRASH, ageing.EVICT)
        return batch

    def _purge(self, due: Callable[[Store, int], list[int]], before: int) -> None:
        """Delete what is due; what somebody brings back meanwhile is due no more."""
        ids = due(self._store, before)
        for start in range(0, len(ids), _BATCH):
            if self._cancelled():
                return
            batch = ids[start : start + _BATCH]
            if self._dry_run:
                self._used -= sum(ageing.sizes(self._store, batch).values())
            else:
                batch = ageing.delete(self._store, batch, partial(due, self._store, before))
                self._used = ageing.used(self._store)
            self.done.purged += batch


def _enough(rows: list[ageing.Old], size: float) -> list[ageing.Old]:
    """The first rows that take so many bytes together, one at least."""
    for number, row in enumerate(rows):
        size -= row.size
        if size <= 0:
            return rows[: number + 1]
    return rows


def forecast(store: Store, limits: Limits, now: int) -> Forecast:
    """How full the store is, how fast it grows, and which limit it reaches first, and when."""
    size, count = ageing.used(store), growth.memories(store)
    pace = growth.pace(store, now, size)
    dates = {
        "max_memories": _reached(count, limits.max_memories, pace.memories, now),
        "max_bytes": _reached(size, limits.max_bytes, pace.bytes, now),
    }
    known = {name: date for name, date in dates.items() if date is not None}
    first = min(known, key=lambda name: known[name], default="")
    return Forecast(
        count, limits.max_memories, size, limits.max_bytes, round(pace.memories, 2), round(pace.bytes, 1),
        known.get(first), first,  # type: ignore[arg-type]
    )  # fmt: skip


def _reached(now_at: float, limit: int, per_day: float, now: int) -> int | None:
    """When a limit is reached (ms); None where nothing is added, or not within a hundred years."""
    if now_at >= limit:
        return now
    days = (limit - now_at) / per_day if per_day > 0 else float("inf")
    return now + round(days * DAY_MS) if days < 36_500 else None
