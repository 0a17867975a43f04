"""Looking for pairs: everything against everything, project by project, or only what changed since the last look."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from tui_memory.model import MemoryState
from tui_memory.store import ageing, marks, pairs
from tui_memory.upkeep import neighbours
from tui_memory.upkeep.judging import Judge, Member

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.index.vector_index import Ints, Layout, VectorIndex
    from tui_memory.store.db import Store
    from tui_memory.store.pairs import PairRow

OnProgress = Callable[[int, int], None]
Cancelled = Callable[[], bool]

# A digest says again what its session's memories say.
_MEMBERS = (
    "SELECT id, version_id, coalesce(project_id, 0), kind, created FROM memories"
    " WHERE state = 'active' AND kind <> 'digest' {} ORDER BY coalesce(project_id, 0), id"
)
_CHANGED = """
SELECT DISTINCT memory_id FROM journal WHERE id > ?1 AND id <= ?2
UNION SELECT v.memory_id FROM chunks c JOIN versions v ON v.id = c.version_id WHERE c.n = 0 AND c.id > ?3 AND c.id <= ?4
"""
_TWINS = """
SELECT t.version_id FROM upkeep_keys k JOIN upkeep_keys t ON t.key = k.key AND t.version_id <> k.version_id
WHERE k.version_id = ?
"""
JOURNAL, CHUNKS = "upkeep:journal_to", "upkeep:chunks_to"
_BATCH, _FOLDED = 500, 5_000
_MANY = 2_000  # changed memories from which everything is compared anew: that is quicker by then


class Pairing:
    """One look over the store. `index`: None where there are no vectors; then only equal texts are found."""

    def __init__(
        self, store: Store, judge: Judge, index: VectorIndex | None, model: int,
        on_progress: OnProgress | None = None, cancelled: Cancelled | None = None,
    ) -> None:  # fmt: skip
        self._store, self._judge, self._index, self._model = store, judge, index, model
        self._tell = on_progress or (lambda _done, _all: None)
        self._cancelled = cancelled or (lambda: False)
        self._layout: Layout | None = None
        self._heads: dict[int, NDArray[np.bool_]] = {}

    def look(self, *, full: bool) -> int | None:
        """Compare what changed since the last look, or everything; how many memories, None where it was cancelled."""
        journal = int(self._store.rows("SELECT coalesce(max(id), 0) FROM journal")[0][0])
        chunks = marks.get(self._store, f"embedded_to:{self._model}")
        seen = marks.get(self._store, JOURNAL), marks.get(self._store, f"{CHUNKS}:{self._model}")
        known = marks.has(self._store, JOURNAL) and marks.has(self._store, f"{CHUNKS}:{self._model}")
        changed: list[int] = []
        if known and not full:
            rows = self._store.rows(_CHANGED, (seen[0], journal, seen[1], chunks))
            changed = [row[0] for row in rows]
        done = self._everything() if full or not known or len(changed) > _MANY else self._few(changed)
        if done is not None and (seen != (journal, chunks) or not known):
            marks.put(self._store, {JOURNAL: journal, f"{CHUNKS}:{self._model}": chunks})
        return done

    def _everything(self) -> int | None:
        moment = pairs.next_look(self._store)
        members = self._members("")
        total, done = 2 * len(members), 0
        for start in range(0, len(members), _BATCH):
            if self._cancelled():
                return None
            self._key(members[start : start + _BATCH])
            if start % _FOLDED == 0:
                ageing.fold(self._store)  # keys lie anywhere in their index: each batch writes most of its pages
            done += len(members[start : start + _BATCH])
            self._tell(done, total)
        pairs.add(self._store, self._twins(members), moment)
        for _, group in groupby(members, key=lambda member: member.project):
            own = list(group)
            for rows in self._near(own):
                pairs.add(self._store, rows, moment)
                if self._cancelled():
                    return None
            done += len(own)
            self._tell(done, total)
        pairs.drop_older(self._store, moment)
        return len(members)

    def _near(self, members: list[Member]) -> Iterator[list[PairRow]]:
        """What stands between memories of one project that are near by meaning, block after block."""
        if self._index is None or len(members) < 2:
            return
        layout = self._index.refresh()
        own, positions = _placed(self._index, layout, members)
        for found in neighbours.all_pairs(self._index, layout, positions):
            candidates = [
                (own[one], own[other], float(cosine))
                for one, other, cosine in zip(
                    found.one.tolist(), found.other.tolist(), found.cosine.tolist(), strict=True
                )
            ]
            for start in range(0, len(candidates), _BATCH):
                yield self._judge.pairs(candidates[start : start + _BATCH])
            yield []  # a place to stop at, also where nothing was near

    def _twins(self, members: list[Member]) -> list[PairRow]:
        """Equal texts: each with the first of its kind."""
        keys = {row[0]: row[1] for row in self._store.rows("SELECT version_id, key FROM upkeep_keys")}
        first: dict[tuple[int, bytes], Member] = {}
        found = []
        for member in members:
            key = keys.get(member.version)
            if key is not None and (one := first.setdefault((member.project, key), member)) is not member:
                found.append((one, member, None))
        return self._judge.pairs(found)

    def _few(self, ids: list[int]) -> int | None:
        """Compare these memories with all others of their projects."""
        members = self._members("AND id IN (SELECT value FROM json_each(?))", json.dumps(ids))
        self._key(members)
        self._layout = self._index.refresh() if self._index is not None and members else None
        self._heads = {}
        for number, member in enumerate(members):
            if self._cancelled():
                return None
            candidates = {other.memory: (member, other, cosine) for other, cosine in self._around(member)}
            pairs.put(self._store, self._judge.pairs(list(candidates.values())), [member.memory])
            self._tell(number + 1, len(members))
        gone = set(ids) - {member.memory for member in members}
        pairs.put(self._store, [], sorted(gone))
        return len(members)

    def _around(self, member: Member) -> Iterator[tuple[Member, float | None]]:
        """The other memories of a member's project that say the same, or are near by meaning."""
        twins = [row[0] for row in self._store.rows(_TWINS, (member.version,))]
        near = self._nearest(member)
        versions = json.dumps([*twins, *near])
        for other in self._members("AND version_id IN (SELECT value FROM json_each(?))", versions):
            if other.project == member.project and other.memory != member.memory:
                yield other, near.get(other.version)

    def _nearest(self, member: Member) -> dict[int, float]:
        """Versions of the member's project that are near, with their cosines."""
        import numpy as np

        index, layout = self._index, self._layout
        if index is None or layout is None:
            return {}
        here = np.flatnonzero(layout.heads & (layout.versions == member.version))
        if not len(here):
            return {}  # not embedded yet: compared once it is
        found, cosine = neighbours.of_one(index, layout, int(here[0]), self._heads_of(member.project, layout))
        return dict(zip(layout.versions[found].tolist(), cosine.tolist(), strict=True))

    def _heads_of(self, project: int, layout: Layout) -> NDArray[np.bool_]:
        """Which vectors are heads of the project's active memories: asked once in a look, however many came in."""
        import numpy as np

        if project not in self._heads:
            rows = self._store.rows(
                "SELECT version_id FROM memories WHERE state = ? AND project_id IS ?",
                (MemoryState.ACTIVE, project or None),
            )
            mine = np.isin(layout.versions, np.fromiter((row[0] for row in rows), dtype=np.int64))
            self._heads[project] = layout.heads & mine
        return self._heads[project]

    def _key(self, members: list[Member]) -> None:
        versions = [member.version for member in members]
        known = pairs.keyed(self._store, versions)
        pairs.put_keys(self._store, self._judge.keys(version for version in versions if version not in known))

    def _members(self, condition: str, *values: object) -> list[Member]:
        return [Member(*row) for row in self._store.rows(_MEMBERS.format(condition), values)]


def _placed(index: VectorIndex, layout: Layout, members: list[Member]) -> tuple[list[Member], Ints]:
    """The members that have vectors, those of one topic beside each other, and the positions of their heads."""
    import numpy as np

    by_version = {member.version: member for member in members}
    mine = np.isin(layout.versions, np.fromiter(by_version, dtype=np.int64)) & layout.heads
    positions = neighbours.grouped(index, layout, np.flatnonzero(mine))
    return [by_version[version] for version in layout.versions[positions].tolist()], positions
