"""Upkeep, wired: what is said twice, contradicted, stale; what a memory is worth; what goes when a limit is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.engine import bodies
from tui_memory.errors import ConflictError, RefusedError
from tui_memory.model import EVERYTHING, Filters, MemoryState
from tui_memory.store import ageing, gone, growth, memories, pairs
from tui_memory.store.changes import Changes
from tui_memory.upkeep import worth
from tui_memory.upkeep.findings import (
    NAME_KINDS,
    Evicted,
    Forecast,
    Gone,
    GoneName,
    Judged,
    Pair,
    Refreshed,
    Upkept,
    Value,
)
from tui_memory.upkeep.lease import lease

if TYPE_CHECKING:
    from tui_memory.engine.judging import Judging
    from tui_memory.engine.services import Services
    from tui_memory.index.faiss_index import FaissIndex
    from tui_memory.upkeep.judging import Judge
    from tui_memory.upkeep.limits import Limits

OnProgress = Callable[[int, int], None]
"""Called with what is done and how much there is."""
Cancelled = Callable[[], bool]


class Upkeeping:
    """Works on one open memory. What it changes is journaled under the name `upkeep`."""

    def __init__(self, memory: Services) -> None:
        self._memory = memory
        self._store = memory.store
        self._settings = memory.settings.upkeep
        self._index: tuple[int, FaissIndex] | None = None
        self._judging: Judging | None = None

    def duplicates(self, filters: Filters = EVERYTHING) -> list[Pair]:
        """Proposals that stand, surest first: both memories are active and say what was compared."""
        return self._judge().explained(pairs.standing(self._store, filters, contradicts=False))

    def contradictions(self, filters: Filters = EVERYTHING) -> list[Pair]:
        """Pairs of which the newer (`high`) contradicts the older (`low`), surest first."""
        return self._judge().explained(pairs.standing(self._store, filters, contradicts=True))

    def stale(self, filters: Filters = EVERYTHING) -> list[Gone]:
        """Active memories that name what the working tree no longer has, as last found."""
        found: dict[int, list[GoneName]] = {}
        for row in gone.standing(self._store, filters):
            name = GoneName(row.name, NAME_KINDS[row.kind], row.renamed_to, row.commit)
            found.setdefault(row.memory, []).append(name)
        return [Gone(memory, names) for memory, names in found.items()]

    def refresh(
        self, *, full: bool = False, on_progress: OnProgress | None = None, cancelled: Cancelled | None = None
    ) -> Refreshed:
        """Look for pairs and stale names where something changed, or (`full`) everywhere.

        Merges what the settings allow to be merged. `busy`: another process is at it, and nothing was done.
        """
        with lease(self._store.home) as mine:
            return self._refresh(full, on_progress, cancelled) if mine else Refreshed(busy=True)

    def judge(self, *, cancelled: Cancelled | None = None) -> Judged:
        """Ask a model of contradictions that nobody has judged or settled, while half of the day's budget is left.

        A verdict is evidence: no memory changes by it. Where no model answers, nothing is said to be judged. Blocks for
        as long as the models may take, without the lease: others may do upkeep meanwhile.
        """
        from tui_memory.engine.judging import Judging

        if self._judging is None:
            self._judging = Judging(self._memory)
        return self._judging.judge(cancelled or (lambda: False))

    def values(self, ids: Sequence[int]) -> dict[int, Value]:
        """What memories are worth keeping, by id; ids that do not exist are left out."""
        return worth.of(self._store, ids, worth.half_lives(self._settings.half_life), now_ms())

    def forecast(self) -> Forecast:
        """How full the store is, how fast it grows, and when which limit is reached."""
        from tui_memory.upkeep import limits

        return limits.forecast(self._store, self._limits(), now_ms())

    def enforce(self, *, dry_run: bool = False, cancelled: Cancelled | None = None) -> Evicted:
        """Bring the store within its limits; `dry_run`: say what would go. `busy`: another process is at it."""
        with lease(self._store.home) as mine:
            return self._enforce(dry_run, cancelled) if mine else Evicted(dry_run, busy=True)

    def run(
        self,
        *,
        full: bool = False,
        dry_run: bool = False,
        on_progress: OnProgress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Upkept:
        """All of it, as the worker does now and then. `dry_run`: pairs and stale names are found, no memory changes."""
        with lease(self._store.home) as mine:
            if not mine:
                return Upkept(Refreshed(busy=True), Evicted(dry_run, busy=True), self.forecast())
            looked = self._refresh(full, on_progress, cancelled, act=not dry_run)
            return Upkept(looked, self._enforce(dry_run, cancelled), self.forecast())

    # within the lease

    def _refresh(
        self, full: bool, on_progress: OnProgress | None, cancelled: Cancelled | None, *, act: bool = True
    ) -> Refreshed:
        from tui_memory.upkeep.pairing import Pairing
        from tui_memory.upkeep.staleness import Staleness

        index = self._vectors()
        judge = self._judge()
        model, vectors = index or (0, None)
        examined = Pairing(self._store, judge, vectors, model, on_progress, cancelled).look(full=full)
        checked = Staleness(self._store, cancelled).look(full=full)
        done = Refreshed(examined or 0, cancelled=examined is None or checked is None)
        if act and not done.cancelled:
            done.merged = self._merge_sure()
        done.duplicates = pairs.count(self._store, contradicts=False)
        done.contradictions = pairs.count(self._store, contradicts=True)
        done.stale = gone.count(self._store)
        return done

    def _merge_sure(self) -> list[int]:
        """Merge what the settings allow, each pair a group of its own that `undo` takes back; the memories made."""
        if not self._settings.merge_duplicates:
            return []
        changes, made, taken = Changes(self._store, ageing.ACTOR), [], set[int]()
        for pair in self.duplicates():
            if not pair.automatic or taken & {pair.low, pair.high}:
                continue  # a third telling meets the merged memory next time
            try:
                originals = memories.get(self._store, [pair.low, pair.high])
                if all(memory.state == MemoryState.ACTIVE for memory in originals):
                    read = {memory.id: memory.version for memory in originals}
                    made.append(changes.merge([pair.low, pair.high], bodies.union(originals), base=read))
                    taken |= {pair.low, pair.high}
            except (ConflictError, RefusedError):
                continue  # somebody was faster
        return made

    def _enforce(self, dry_run: bool, cancelled: Cancelled | None) -> Evicted:
        from tui_memory.upkeep.limits import Limiter

        lives, now = worth.half_lives(self._settings.half_life), now_ms()
        done = Limiter(self._store, self._limits(), lives, now, dry_run=dry_run, cancelled=cancelled).run()
        if not dry_run:
            growth.record(self._store, now, done.bytes_after)
        return done

    def _limits(self) -> Limits:
        from tui_memory.upkeep.limits import Limits

        return Limits(self._settings.max_memories, self._settings.max_bytes, self._settings.grace_days)

    def _judge(self) -> Judge:
        from tui_memory.upkeep.judging import Judge, Strictness

        return Judge(self._store, Strictness(self._settings.duplicates, self._settings.merge_duplicates))

    def _vectors(self) -> tuple[int, FaissIndex] | None:
        """The model whose vectors serve, and an index of them that follows the store; None where there are none."""
        from tui_memory.index import serving
        from tui_memory.index.faiss_index import FaissIndex

        found = serving.model(self._store)
        if found is None:
            return None
        if self._index is None or self._index[0] != found.id:
            self._index = (found.id, FaissIndex(self._store, found.id))
        return self._index
