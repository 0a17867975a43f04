"""A merge before it happens: what would become of the originals, how alike they are, and a model's wording of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from tui_memory.engine import bodies
from tui_memory.errors import TuiMemoryError
from tui_memory.model import Body, Memory
from tui_memory.store import memories

if TYPE_CHECKING:
    from tui_memory.compress.merging import Written
    from tui_memory.engine.services import Services

_VECTORS = (
    "SELECT c.version_id, x.vector FROM vectors x JOIN chunks c ON c.id = x.chunk_id"
    " WHERE x.model_id = (SELECT model_id FROM vectors y JOIN chunks d ON d.id = y.chunk_id"
    " WHERE d.version_id IN (SELECT value FROM json_each(?1)) GROUP BY model_id ORDER BY count(*) DESC, 1 DESC LIMIT 1)"
    " AND c.version_id IN (SELECT value FROM json_each(?1)) ORDER BY c.version_id, c.n"
)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a merge by rule makes of the originals."""

    originals: list[Memory]
    body: Body
    alike: float
    """How alike the two least alike of them are, 0 to 1: meaning and words together."""
    meaning: float | None
    """Their cosine; None where a vector is missing."""
    words: float
    sources: int
    """Observations that the merged memory comes from."""
    uses: int

    @property
    def versions(self) -> dict[int, int]:
        """The versions by memory that it was made of: `Memory.merge` takes them as `base`."""
        return {memory.id: memory.version for memory in self.originals}

    @property
    def projects(self) -> list[str | None]:
        """The projects of the originals, None: all; more than one: merging has to be asked for."""
        return list(dict.fromkeys(memory.project for memory in self.originals))


class Merging:
    """Works on one open store; changes nothing: `Memory.merge` does."""

    def __init__(self, memory: Services) -> None:
        self._memory, self._store = memory, memory.store

    def preview(self, ids: Sequence[int | str]) -> Preview:
        """RefusedError where these cannot be one memory; of several projects is no reason here."""
        body = self._memory.editing.merge_preview(ids, across=True)
        originals = self._originals(ids)
        alike, meaning, words = self._likeness(originals)
        sources = len({source for memory in originals for source in memory.sources})
        return Preview(originals, body, alike, meaning, words, sources, sum(memory.uses for memory in originals))

    def write(self, ids: Sequence[int | str]) -> Written:
        """The same in a model's words, held to what the originals say; by rule, and why, where no model can.

        Blocks for as long as the models may take. RefusedError as for `preview`.
        """
        from tui_memory.compress import merging

        body = self._memory.editing.merge_preview(ids, across=True)
        limit = merging.budget(self._store, self._memory.settings.compress)
        try:
            found = merging.write(self._originals(ids), body, self._memory.compressing.router(), limit)
        except TuiMemoryError as error:
            return merging.Written(body, error.message)
        return replace(found, body=self._memory.editing.masked(found.body))

    def _originals(self, ids: Sequence[int | str]) -> list[Memory]:
        known = list(dict.fromkeys(memories.resolve(self._store, value) for value in ids))
        return memories.get(self._store, known)

    def _likeness(self, originals: Sequence[Memory]) -> tuple[float, float | None, float]:
        """(alike, meaning, words) of the two least alike."""
        from tui_memory.upkeep import wording
        from tui_memory.upkeep.likeness import likeness

        told = {one.id: wording.said(one.title, one.summary, bodies.of(one).text) for one in originals}
        cosines = self._cosines(originals)
        found = []
        for one, other in combinations(originals, 2):
            cosine = cosines.get((one.version, other.version))
            both = likeness(told[one.id], told[other.id], cosine)
            found.append((both.score, cosine, both.text))
        return min(found, key=lambda pair: pair[0])

    def _cosines(self, originals: Sequence[Memory]) -> dict[tuple[int, int], float]:
        """By two versions: how near their first chunks are, which hold what a memory is about."""
        import numpy as np

        rows = self._store.rows(_VECTORS, (json.dumps([memory.version for memory in originals]),))
        heads = {row[0]: np.frombuffer(row[1], dtype="<f2").astype(np.float32) for row in reversed(rows)}
        return {
            (one.version, other.version): float(heads[one.version] @ heads[other.version])
            for one, other in combinations(originals, 2)
            if one.version in heads and other.version in heads
        }
