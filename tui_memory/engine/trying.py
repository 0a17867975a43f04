"""Trying weights on a query: asked once, ranked as often as a weight moves; and why a memory is not among the hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tui_memory.clock import now_ms
from tui_memory.engine.reasons import WhyNot, of_candidate, of_depth, of_filter, of_state, present
from tui_memory.errors import UsageError
from tui_memory.model import EVERYTHING, Filters, MemoryState
from tui_memory.retrieve.profile import RANGES, Profile
from tui_memory.retrieve.result import Hit
from tui_memory.store import memories
from tui_memory.store.filters import checked
from tui_memory.store.text import storable

if TYPE_CHECKING:
    from tui_memory.engine.services import Services
    from tui_memory.retrieve.candidates import Candidates
    from tui_memory.retrieve.disclose import Disclosure
    from tui_memory.retrieve.standing import Out

LIMIT = 50
BELOW = 12
"""Of what has no place, how many are told of."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query whose candidates were gathered, with all their raw signals."""

    query: str
    filters: Filters
    found: Candidates
    depth: int

    @property
    def degraded(self) -> list[str]:
        """What was missing: "model", "index", "hub"."""
        return list(self.found.degraded)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates by one set of weights: the hits, the best of what was kept out, and how long this ranking took."""

    asked: Asked
    profile: Profile
    hits: list[Hit]
    out: list[Out]
    took_ms: float


class Trying:
    """Reads only."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store, self._finding = services.store, services.finding

    def ask(self, query: str, profile: Profile, filters: Filters = EVERYTHING, *, before: Asked | None = None) -> Asked:
        """Gather a query's candidates. `before`: the same query asked already; its vector serves again.

        NotFoundError for an unknown project, UsageError for filters that make no sense.
        """
        known = before.found.vector if before is not None and before.query == query else None
        wanted = checked(filters)
        found = self._finding.searcher().gather(
            storable(query), filters=wanted, profile=profile, vector=known, elsewhere=self._finding.elsewhere()
        )  # fmt: skip
        return Asked(query, wanted, found, int(profile.depth))

    def rank(self, asked: Asked, profile: Profile, *, limit: int = LIMIT, below: int = BELOW) -> Ranking:
        """Candidates by other weights; neither model nor index nor words are asked again.

        UsageError where the profile wants another number of candidates than were gathered.
        """
        from tui_memory.retrieve import standing

        if int(profile.depth) != asked.depth:
            raise UsageError(f"This was asked with a depth of {asked.depth}; {profile.depth:g} has to be asked anew.")
        started, now, searcher = perf_counter(), now_ms(), self._finding.searcher()
        hits = searcher.rank(asked.found, limit=limit, profile=profile, now=now).results
        out = standing.kept_out(searcher, asked.found, hits, profile, limit=limit, most=below, now=now)
        return Ranking(asked, profile, hits, out, (perf_counter() - started) * 1000)

    def why_not(self, asked: Asked, profile: Profile, memory: int | str, *, limit: int = LIMIT) -> WhyNot:
        """What kept a memory out of a query's hits, and by how much. NotFoundError where there is no such memory."""
        id_ = memories.resolve(self._store, memory)
        row = memories.get(self._store, [id_])[0]
        if row.state not in (MemoryState.ACTIVE, MemoryState.SUPERSEDED):
            return of_state(row)
        for name in self._refusing(asked, id_):
            return of_filter(row, name, asked.filters)
        ranking = self.rank(asked, profile, limit=limit, below=len(asked.found))
        for place, hit in enumerate(ranking.hits, 1):
            if hit.id == id_:
                return present(row, hit, place)
        for out in ranking.out:
            if out.hit.id == id_:
                return of_candidate(row, asked.found, out, profile, ranking.hits)
        return of_depth(row, profile, *self._deeper(asked, profile, id_))

    def _refusing(self, asked: Asked, memory: int) -> list[str]:
        """The filters that a memory does not pass, one by one."""
        import numpy as np

        from tui_memory.retrieve.filters import FilterCache

        masks, columns = FilterCache(self._store), asked.found.everything or asked.found.columns
        row = int(columns.rows_of_ids(np.array([memory], dtype=np.int64))[0])
        names = [item.name for item in fields(Filters) if getattr(asked.filters, item.name) not in (None, ())]
        alone = {name: Filters(**{name: getattr(asked.filters, name)}) for name in names}
        return [name for name, one in alone.items() if row >= 0 and not masks.allowed(columns, one)[row]]

    def _deeper(self, asked: Asked, profile: Profile, memory: int) -> tuple[Hit | None, int]:
        """(the memory as a hit among the most candidates that a profile can ask for, its place there)."""
        deep = replace(profile, depth=RANGES["depth"].high, threshold=0.0, near_meaning=0.0, near_words=0.0)
        again = self.ask(asked.query, deep, asked.filters, before=asked)
        ranking = self.rank(again, replace(deep, cap=float(len(again.found) + 1)), limit=len(again.found) + 1, below=0)
        found = [(hit, place) for place, hit in enumerate(ranking.hits, 1) if hit.id == memory]
        return found[0] if found else (None, 0)

    def preview(self, profile: Profile, *, prompt: str | None, project: str | None) -> Disclosure:
        """Exactly what an agent would be given with these weights, with what was cut and by which rule."""
        return self._finding.context(project=project, prompt=prompt, budget=None, profile=profile, explain=True)


def changed(base: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that differ from a profile's."""
    return {name: value for name, value in values.items() if base.get(name) != value}


def moves(before: Sequence[int], after: Sequence[int]) -> dict[int, int | None]:
    """How many places each memory of `after` went up (down: negative) from `before`; None: it is new there."""
    old = {memory: place for place, memory in enumerate(before)}
    return {memory: old[memory] - place if memory in old else None for place, memory in enumerate(after)}
