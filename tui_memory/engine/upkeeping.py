"""Upkeep, wired: what is said twice, contradicted, stale; what a memory is worth; what goes when a limit is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui_memory.model import EVERYTHING, Filters
from tui_memory.store import gone, pairs
from tui_memory.upkeep.findings import (
    NAME_KINDS,
    Evicted,
    Forecast,
    Gone,
    GoneName,
    Pair,
    Refreshed,
    Upkept,
    Value,
)

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

OnProgress = Callable[[int, int], None]
"""Called with what is done and how much there is."""
Cancelled = Callable[[], bool]


class Upkeeping:
    """Works on one open memory. What it changes is journaled under the name `upkeep`."""

    def __init__(self, memory: Services) -> None:
        self._memory = memory
        self._store = memory.store

    def duplicates(
        self,
        filters: Filters = EVERYTHING,
        *,
        on_progress: OnProgress | None = None,
        cancelled: Cancelled | None = None,
    ) -> list[Pair]:
        """Proposals that stand, surest first: both memories are active and say what was compared."""
        return [
            Pair(row.low, row.high, "duplicate", row.score, {"versions": [row.low_version, row.high_version]})
            for row in pairs.standing(self._store, filters, contradicts=False)
        ]

    def contradictions(self, filters: Filters = EVERYTHING) -> list[Pair]:
        """Pairs of which the newer (`high`) contradicts the older (`low`), surest first."""
        return [
            Pair(row.low, row.high, "contradiction", row.score, {"versions": [row.low_version, row.high_version]})
            for row in pairs.standing(self._store, filters, contradicts=True)
        ]

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
        """Look for pairs and stale names where something changed, or (`full`) everywhere."""
        return Refreshed()

    def values(self, ids: Sequence[int]) -> dict[int, Value]:
        """What memories are worth keeping, by id; ids that do not exist are left out."""
        return {}

    def forecast(self) -> Forecast:
        """How full the store is, and when a limit is reached."""
        return Forecast(0, 0, 0, 0, 0.0, 0.0, None, "")

    def enforce(self, *, dry_run: bool = False) -> Evicted:
        """Bring the store within its limits."""
        return Evicted(dry_run)

    def run(self, *, full: bool = False, dry_run: bool = False) -> Upkept:
        """All of it, as the worker does now and then."""
        return Upkept(self.refresh(full=full), self.enforce(dry_run=dry_run), self.forecast())
