"""A person's other devices: this store and a place of theirs brought to the same state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tui_memory.beyond import place, syncing
from tui_memory.beyond.sync_door import Asked
from tui_memory.beyond.synced import Synced
from tui_memory.beyond.syncing import Tell
from tui_memory.engine import worker_client
from tui_memory.store.joining import Record

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

PLAIN = Asked()


def _silent(_what: str, _done: int, _of: int) -> None:
    """Nobody watches."""


class Syncing:
    """Of one open store."""

    def __init__(self, memory: Services) -> None:
        self._memory = memory

    def sync(self, url: str, asked: Asked = PLAIN, *, observations: bool = False, tell: Tell = _silent) -> Synced:
        """Send what is new here, take in what other devices sent. `observations`: send what memories come from, too.

        RefusedError where the address's host is not allowed; RemoteError or StoreError where it could not be done:
        then this store is as it was, and there only what is whole. UnfinishedError where another device forgot
        something for good and a reader keeps its bytes here: the same call finishes it.
        """
        memory = self._memory
        there = place.opened(url, memory.settings.remote.allowed_hosts)
        run = syncing.Sync(
            memory.store, there, asked, self._masked, tell, observations=observations,
            wake=lambda: worker_client.refresh(memory.home),
        )  # fmt: skip
        done = run.run()
        if done.added or done.changed or done.purged:
            worker_client.refresh(memory.home)
        return done

    def _masked(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records without secrets, by today's rules; an export's shape says which of their parts are text."""
        from tui_memory.engine.exporting import Exported

        listed = list(records)
        known = ("memory", "project", "observation")
        found = self._memory.exporting.masked(
            [_exported(record) for record in listed if record["type"] in known], Exported("", "jsonl")
        )
        for record in listed:
            yield _back(record, next(found)) if record["type"] in known else record


def _exported(record: Record) -> Record:
    if record["type"] != "memory":
        return record
    return {"type": "memory", "branch": record["place"][2], "versions": record["texts"]}


def _back(record: Record, masked: dict[str, Any]) -> Record:
    if record["type"] != "memory":
        return record | masked
    return record | {"place": [*record["place"][:2], masked["branch"]], "texts": masked["versions"]}
