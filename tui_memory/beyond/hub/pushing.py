"""What is shared, on its way to the hub: what is new or changed here, masked once more; what was purged here, out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tui_memory.beyond.hub import here, meeting, shapes
from tui_memory.beyond.hub.link import Share
from tui_memory.beyond.hub.meeting import Masked
from tui_memory.beyond.hub.there import There
from tui_memory.index import serving
from tui_memory.store import hub_state, portable
from tui_memory.store.portable import Record

if TYPE_CHECKING:
    from tui_memory.store.db import Store

_BATCH = 200
_VECTORS = """
SELECT m.uid, v.vector FROM memories m JOIN chunks c ON c.version_id = m.version_id AND c.n = 0
    JOIN vectors v ON v.chunk_id = c.id AND v.model_id = ?
WHERE m.id IN (SELECT value FROM json_each(?))
"""


@dataclass(slots=True)
class Pushed:
    """What went to the hub."""

    new: int = 0
    changed: int = 0
    conflicts: int = 0
    """Of what is changed there now, what another had changed meanwhile: cases of the audit here."""
    kept: int = 0
    """Of what was changed here and later there: kept by the hub as a version beside the later one."""
    purged: int = 0
    projects: list[str] = field(default_factory=list)

    def public(self) -> dict[str, Any]:
        """JSON."""
        return asdict(self)


class Pushing:
    """One run; `rewrite`: what is there as it is here goes again, masked by today's rules."""

    def __init__(self, store: Store, there: There, masked: Masked, *, rewrite: bool = False) -> None:
        self._store, self._there, self._masked, self._rewrite = store, there, masked, rewrite
        self._vectors = serving.model(store) if there.takes(serving.model(store)) else None

    def run(self, shares: Sequence[Share], on_progress: Callable[[int, int], object]) -> Pushed:
        """Send what the shares name. RemoteError where it breaks off: what is there stays, and is not sent again."""
        done = Pushed()
        for share in shares:
            found = self._store.rows("SELECT id, name FROM projects WHERE uid = ?", (share.project,))
            if found:
                self._project(share, found[0]["id"], done, on_progress)
                done.projects.append(found[0]["name"])
        return done

    def waiting(self, share: Share) -> list[str]:
        """The uids that a push would send."""
        found = self._store.rows("SELECT id FROM projects WHERE uid = ?", (share.project,))
        if not found:
            return []
        known = self._there.project(self._own(found[0]["id"]))
        states = self._there.states(known) if known else {}
        return self._chosen(here.of_project(self._store, found[0]["id"], share.kinds), states)

    def _project(
        self, share: Share, project: int, done: Pushed, on_progress: Callable[[int, int], object]
    ) -> None:  # fmt: skip
        there = self._there.project(self._own(project), make=True)
        states = self._there.states(there)
        mine = here.of_project(self._store, project, share.kinds)
        wanted = self._chosen(mine, states)
        if self._rewrite:
            self._there.forget_versions(list(mine))
        for at in range(0, len(wanted), _BATCH):
            uids = wanted[at : at + _BATCH]
            theirs = [uid for uid in uids if uid in states and mine[uid].is_unseen(states[uid][0])]
            done.conflicts += self._meet(theirs, mine)
            rows = list(self._rows([mine[uid] for uid in uids], mine, there))
            taken = self._there.put(rows)
            self._seen(uids, mine)
            new = sum(uid not in states for uid in uids)
            done.new += new
            done.changed += max(taken - new, 0)
            done.kept += len(rows) - max(taken, new)
            on_progress(min(at + _BATCH, len(wanted)), len(wanted))

    def _meet(self, uids: Sequence[str], mine: dict[str, here.Here]) -> int:
        """Keep what others wrote before it is replaced there by what is later here: how many are to be settled."""
        rows = [row for row in self._there.of_uids(uids) if shapes.is_sound(row)] if uids else []
        earlier = [row for row in rows if row["changed"] < mine[str(row["uid"])].changed]
        return meeting.keep_theirs(self._store, self._masked, earlier, mine)

    def _seen(self, uids: Sequence[str], mine: dict[str, here.Here]) -> None:
        """Remember what the hub has of these as it is here."""
        taken = [(mine[uid].id, changed) for uid, changed in self._there.moments(uids) if changed == mine[uid].changed]
        with self._store.transaction() as connection:
            hub_state.seen(connection, taken)

    def _own(self, project: int) -> Record:
        return own(self._store, self._masked, project)

    def _chosen(self, mine: dict[str, here.Here], there: dict[str, tuple[int, bool]]) -> list[str]:
        """What is to be sent: new and shown, or edited here and not in the hub's state, or lacking its vector there."""
        embedded = self._embedded([one.id for one in mine.values()]) if self._vectors else frozenset[str]()
        found = []
        for uid, one in mine.items():
            if uid not in there:
                wanted = one.state in shapes.STATES and not one.shared_by
            else:
                changed, bare = there[uid]
                wanted = one.edited and (one.changed != changed or self._rewrite or (bare and uid in embedded))
            if wanted:
                found.append(uid)
        return sorted(found)

    def _embedded(self, ids: Sequence[int]) -> frozenset[str]:
        assert self._vectors is not None
        return frozenset(row[0] for row in self._store.rows(_VECTORS, (self._vectors.id, json.dumps(list(ids)))))

    def _rows(self, wanted: Sequence[here.Here], mine: dict[str, here.Here], project: str) -> Iterator[Record]:
        import numpy as np
        from pgvector import HalfVector

        ids = [one.id for one in wanted]
        vectors: dict[str, HalfVector] = {}
        if self._vectors:
            for uid, blob in self._store.rows(_VECTORS, (self._vectors.id, json.dumps(ids))):
                vectors[uid] = HalfVector(np.frombuffer(blob, dtype="<f2"))
        for record in self._masked(portable.memories(self._store, ids, latest=True)):
            uid = record["uid"]
            yield shapes.row(
                record, self._there.team, project, mine[uid].changed, self._store.device, vectors.get(uid)
            )  # fmt: skip


def own(store: Store, masked: Masked, project: int) -> Record:
    """A project of this store as the hub is told of it: its uid, its name, the addresses of its repository."""
    row = store.rows("SELECT uid, name FROM projects WHERE id = ?", (project,))[0]
    remotes = store.rows(
        "SELECT value FROM project_aliases WHERE kind = 'remote' AND project_id = ? ORDER BY 1", (project,)
    )
    plain: Record = {
        "type": "project", "uid": row["uid"], "name": row["name"], "remotes": [found[0] for found in remotes]
    }  # fmt: skip
    return next(iter(masked([plain])))


def purge(store: Store, there: There, uids: Sequence[str]) -> int:
    """Take out of the hub what one shared and purged here: how many. Of what is still here, only older versions go."""
    there.forget_versions(uids)
    return there.purge(sorted({*uids} - here.of_uids(store, uids).keys()))
