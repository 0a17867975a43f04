"""One sync of this store with a place: read what others wrote, send what is new here, join, forget, clean.

What is here is sent before anything is taken in, and all is read before: what cannot be used, or not be written to,
leaves both sides as they were. A run that is ended later leaves memories as they were or as they are to be, and there
only segments that are whole. The next one goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tui_memory.beyond import segments, sync_clean, sync_door, sync_reading
from tui_memory.beyond.place import Place
from tui_memory.beyond.segments import Segment
from tui_memory.beyond.sync_door import Asked, Door
from tui_memory.beyond.synced import Synced
from tui_memory.clock import now_ms
from tui_memory.errors import RefusedError, RemoteError, StoreError, TuiMemoryError, UsageError
from tui_memory.store import (
    erasing,
    filelock,
    joining,
    journal,
    marks,
    purging,
    sync_in,
    sync_out,
    sync_places,
    tombs,
    ui_state,
)
from tui_memory.store.db import Store
from tui_memory.store.joining import Record
from tui_memory.store.purging import Scope
from tui_memory.store.sync_places import Mark

DONE, FAILED = "sync_done", "sync_failed"
"""The marks of the last one that came to its end, and of the last that did not (ms)."""
BATCH = 500
"""Memories of a segment."""
TOGETHER = 200
"""Memories that are taken in by one transaction, which others wait for."""
_MEMORIES, _OBSERVATIONS = "memory", "observation"

Tell = Callable[[str, int, int], object]
Mask = Callable[[Iterable[Record]], Iterator[Record]]
"""Records by today's rules of redaction."""


class Sync:
    """One run. `observations`: what memories come from is sent as well; `wake`: a worker is to look at the store."""

    def __init__(
        self, store: Store, place: Place, asked: Asked, mask: Mask, tell: Tell, *, observations: bool = False,
        wake: Callable[[], object] = lambda: None,
    ) -> None:  # fmt: skip
        self._store, self._place, self._asked, self._mask, self._tell = store, place, asked, mask, tell
        self._observations, self._wake = observations, wake
        self._done = Synced(place.shown, joining.short(store.device))
        self._door = Door()
        self._names: list[str] = []

    def run(self) -> Synced:
        """Sync. RemoteError or StoreError where it could not be: this store is then as it was."""
        inside = os.path.realpath(self._store.home)
        if self._place.address.is_local and Path(self._place.address.path).is_relative_to(inside):
            raise RefusedError(
                f"{self._place.shown} is inside the store, and would be lost with it. Nothing was written."
            )
        with _alone(self._store.home):
            try:
                self._run()
            except UsageError:  # what was asked is wrong, not the place
                raise
            except Exception as error:
                self._failed(error)
                raise
        marks.put(self._store, {DONE: now_ms()})
        return self._done

    def _failed(self, error: Exception) -> None:
        with suppress(StoreError), self._store.transaction() as connection:
            said = error.message if isinstance(error, TuiMemoryError) else type(error).__name__
            said = next(iter(self._mask([{"type": "project", "name": said, "remotes": []}])))["name"]
            connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", [(FAILED, str(now_ms())), (tombs.SAID, said)]
            )

    def _run(self) -> None:
        self._place.make()
        self._names = self._place.names()
        self._tidy()
        far = sync_places.mark(self._store, self._place.shown)
        self._door = sync_door.enter(self._place, self._names, self._asked, far.encryption)
        self._done.encryption = far.encryption = self._door.encryption
        fresh = self._fresh(far)
        known = sync_places.segments(self._store, far.place)
        sync_in.prepare(self._store)
        if known - sync_places.segments(self._store, far.place):  # an import was taken back: others may still have it
            fresh = self._fresh(far)
        records = [record for segment in fresh for record in segment.records]
        self._done.warnings = sync_reading.warnings(fresh, self._store.device)
        lost = self._lost(far)
        self._send(far, sync_in.told(records), whole=bool(lost))
        self._take(far, fresh, records)
        self._forget()
        self._send(far, (), whole=bool(lost))
        self._clean(far, fresh)
        sync_places.know(self._store, far.place, (), lost)

    def _tidy(self) -> None:
        """Take away what earlier runs of this device left half sent, as far as that is allowed."""
        mine = f"tui-memory-sync-{joining.short(self._store.device)}-"
        with suppress(RemoteError):
            self._place.abandon(lambda name: name.startswith(mine))
            for name in self._names:
                if name.startswith(f".{mine}"):
                    self._place.remove(name)

    # reading

    def _fresh(self, far: Mark) -> list[Segment]:
        """The segments that were not read yet, opened."""
        known = sync_places.segments(self._store, far.place)
        found, self._names = sync_reading.fresh(self._place, self._names, known, self._door.identities, self._tell)
        self._done.read = len(found)
        return found

    def _lost(self, far: Mark) -> set[str]:
        """Known segments that are there under no name any more: then all that is known here is sent once more."""
        known = sync_places.segments(self._store, far.place)
        there = {named[:2] for name in self._names if (named := segments.named(name))}
        gone = {name for name in known - set(self._names) if (named := segments.named(name)) and named[:2] not in there}
        if gone:
            far.sent = far.tombs = far.observations = 0
        sync_places.know(self._store, far.place, (), known - set(self._names) - gone)
        return gone

    # sending

    def _send(self, far: Mark, dead: Sequence[tuple[str, str]], *, whole: bool) -> None:
        """Everything the place was not told of, a segment at a time; `dead`: what was just read to be forgotten."""
        gone = {name for kind, name in dead if kind == tombs.MEMORY}
        texts = {name.partition(" ")[2] for kind, name in dead if kind == tombs.TEXT}
        told, far.tombs = sync_out.untold(self._store, far, whole=whole)
        while True:
            uids, to = sync_out.changed(self._store, far, whole=whole, limit=BATCH)
            found = sync_out.memories(self._store, [uid for uid in uids if uid not in gone])
            self._write([*told, *(joining.without(record, texts) for record in found)], far)
            told = []
            if to == far.sent:
                break
            far.sent = to
            sync_places.put(self._store, far)
        while self._observations:
            seen, to = sync_out.seen(self._store, far, BATCH)
            self._write(seen, far)
            if to == far.observations:
                break
            far.observations = to
            sync_places.put(self._store, far)
        sync_places.put(self._store, far)

    def _write(self, records: Sequence[Record], far: Mark) -> None:
        if not records:
            return
        masked = list(self._mask([*sync_out.projects(self._store, records), *records]))
        with self._store.transaction() as connection:
            clock = journal.tick(connection)
            sync_out.sent(connection, masked)
        self._put(masked, self._store.device, clock, far)
        self._done.sent += sum(record["type"] == _MEMORIES for record in masked)

    def _put(self, records: Sequence[Record], device: str, clock: str, far: Mark) -> str:
        name, packed = segments.pack(records, device, clock, now_ms(), self._door.keys)
        self._tell("sending", 0, 0)
        self._place.put(name, packed)
        sync_places.know(self._store, far.place, [name])
        self._done.written += 1
        return name

    # taking in

    def _take(self, far: Mark, fresh: Sequence[Segment], records: Sequence[Record]) -> None:
        """A batch is joined with what is here at that moment: what is broken off is joined by the next run."""
        masked = list(self._mask(records))
        pooled = joining.pooled(record for record in masked if record["type"] == _MEMORIES)
        receiving = sync_in.Receiving(self._store, far.place)
        with self._store.transaction():
            receiving.begin(masked)
        for number, batch in enumerate(_batches(list(pooled.values()))):
            self._tell("joining", number * TOGETHER, len(pooled))
            with self._store.transaction():
                sync_in.prepare(self._store)  # whoever changed something meanwhile was first
                receiving.memories(batch)
        for batch in _batches([record for record in masked if record["type"] == _OBSERVATIONS]):
            with self._store.transaction():
                receiving.observations(batch)
        sync_places.know(self._store, far.place, [segment.name for segment in fresh])
        taken = receiving.taken
        self._done.added, self._done.changed, self._done.trashed = taken.added, taken.changed, taken.trashed
        self._done.conflicts, self._done.observations = taken.conflicts, taken.observations

    def _forget(self) -> None:
        """What another device forgot for good goes from every file here, and with it what holds the same text."""
        due = tombs.due(self._store.connection)
        if due.count:
            self._tell("forgetting", 0, 0)
            scope = Scope(ids=tuple(due.memories), said_elsewhere=True)
            found = purging.plan(self._store.connection, scope, due)
            counts, _ = purging.purge(self._store, scope, found, journal.SYNC, lambda _counts: None)
            ui_state.forget(self._store.home, found.pattern)
            self._wake()
            self._done.purged = counts.count
        if due.count or erasing.pending(self._store):
            erasing.finish(self._store)
        sync_in.prepare(self._store)

    def _clean(self, far: Mark, fresh: Sequence[Segment]) -> None:
        """Write segments anew without what was forgotten: all of them where something was since the last time."""
        erasures = sync_places.erasures(self._store)
        suspects = {segment.name: segment for segment in fresh}
        if far.erasures != erasures:
            for name in self._place.names():
                if segments.named(name) and name not in suspects:
                    packed = self._place.get(name, segments.LARGEST)
                    suspects[name] = segments.unpack(name, packed, self._door.identities)
        for name, segment in suspects.items():
            self._tell("cleaning", 0, 0)
            clean = sync_clean.cleaned(self._store, segment.records, self._mask, thorough=far.erasures != erasures)
            if clean is None:
                continue
            self._put(clean, segment.device, segment.clock, far)
            self._place.remove(name)
            sync_places.know(self._store, far.place, (), [name])
            self._done.written -= 1
            self._done.cleaned += 1
        far.erasures = erasures
        sync_places.put(self._store, far)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    with filelock.held(home / "sync.lock") as mine:
        if not mine:
            raise StoreError("A sync of this store is at work already. Nothing was changed; wait for its end.")
        yield


def _batches(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    for at in range(0, len(records), TOGETHER):
        yield records[at : at + TOGETHER]
