"""What changed, as server-sent events: observations as they come, journal entries as they are made."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from tui_memory.model import Entry, Observation

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

LOOK = 0.5  # seconds between looks at the store
BEAT = 15.0  # seconds of silence after which a comment says that the stream lives
AT_ONCE = 200
MOST = 4096  # journal entries told one by one; before more than that, `gap` says that a list must be read again
_PLACE = re.compile(r"(\d{1,18})\.(\d{1,18})")
_OBSERVATION = ("id", "uid", "session", "agent", "project", "branch", "turn", "kind", "tool", "time", "files", "state")
_ENTRY = ("id", "time", "actor", "action", "memory", "undone")


@dataclass(slots=True)
class Place:
    """How far a reader has come: the last observation and the last journal entry it was told of."""

    observation: int
    entry: int

    @classmethod
    def start(cls, memory: Memory, last: str) -> Place:
        """Where a reader left off (its Last-Event-ID), else now."""
        found = _PLACE.fullmatch(last)
        if found:
            return cls(int(found[1]), int(found[2]))
        newest, entries = memory.observations(limit=1), memory.history(limit=1)
        return cls(newest[0].id if newest else 0, entries[0].id if entries else 0)

    def news(self, memory: Memory) -> list[str]:
        """Frames of what came since, oldest first; without texts: a reader fetches what it wants."""
        frames = [self._observed(one) for one in memory.observations_after(self.observation, limit=AT_ONCE)]
        fresh, whole = self._fresh(memory)
        gap = [] if whole else ["event: gap\ndata: {}\n\n"]
        return frames + gap + [self._changed(one) for one in reversed(fresh)]

    def _fresh(self, memory: Memory) -> tuple[list[Entry], bool]:
        """Journal entries since, newest first, and whether that is all of them; looks no deeper than it must."""
        limit = 1
        while True:
            fresh = [one for one in memory.history(limit=limit) if one.id > self.entry]
            if len(fresh) < limit or limit >= MOST:
                return fresh, len(fresh) < limit
            limit *= 16

    def _observed(self, one: Observation) -> str:
        self.observation = one.id
        return self._frame("observation", one.public(), _OBSERVATION)

    def _changed(self, one: Entry) -> str:
        self.entry = one.id
        return self._frame("memory", one.public(), _ENTRY)

    def _frame(self, event: str, value: dict[str, Any], fields: tuple[str, ...]) -> str:
        data = json.dumps({name: value[name] for name in fields})
        return f"id: {self.observation}.{self.entry}\nevent: {event}\ndata: {data}\n\n"


async def events(
    memory: Memory, last: str, stopping: Callable[[], bool], touched: Callable[[], None]
) -> AsyncIterator[str]:
    """Frames until the reader leaves or the server stops. An open stream keeps the worker up."""
    place = await anyio.to_thread.run_sync(Place.start, memory, last)
    yield f"id: {place.observation}.{place.entry}\nretry: 2000\n\n"
    spoke = time.monotonic()
    while not stopping():
        for frame in await anyio.to_thread.run_sync(place.news, memory):
            spoke = time.monotonic()
            yield frame
        if time.monotonic() - spoke > BEAT:
            spoke = time.monotonic()
            touched()
            yield ": still here\n\n"
        await anyio.sleep(LOOK)
