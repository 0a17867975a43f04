"""Contradictions, put to a model: what it says is kept as evidence beside the pair; no memory changes by it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui_memory.errors import NotFoundError
from tui_memory.store import memories, queue, verdicts
from tui_memory.store.verdicts import VerdictRow
from tui_memory.upkeep.findings import Judged

if TYPE_CHECKING:
    from tui_memory.compress.judging import Asked
    from tui_memory.engine.services import Services
    from tui_memory.store.pairs import PairRow

SHARE = 0.5
"""Of the day's budget, from which what is left is for turns."""
_AT_ONCE = 20
_REST = 60.0
"""Seconds until a model is asked again that could not be had, or did not come to an answer."""


class Judging:
    """Works on one open memory. Remembers which model could not be had."""

    def __init__(self, memory: Services) -> None:
        self._memory, self._store = memory, memory.store
        self._asked: Asked | None = None
        self._rests_until = 0.0

    def judge(self, cancelled: Callable[[], bool]) -> Judged:
        """Ask about as many as are done at once; turns that wait come first, and have half of the day's budget."""
        done = Judged()
        if time.monotonic() < self._rests_until or not (waiting := verdicts.waiting(self._store, _AT_ONCE)):
            return done
        asked = self._models()
        for pair in waiting if asked.has_models else []:
            if cancelled() or asked.limit.share() >= SHARE or queue.waiting(self._store):
                return done
            if not self._one(pair, asked, done):
                self._rests_until = time.monotonic() + _REST
                return done
        done.waiting = asked.has_models and bool(verdicts.waiting(self._store, 1))
        return done

    def _models(self) -> Asked:
        if self._asked is None:
            from tui_memory.compress import judging, merging

            limit = merging.budget(self._store, self._memory.settings.compress)
            self._asked = judging.Asked(self._memory.compressing.router(), limit)
        return self._asked

    def _one(self, pair: PairRow, asked: Asked, done: Judged) -> bool:
        """Ask about one pair; whether a model answered, or none had to be asked."""
        try:
            older, newer = memories.get(self._store, [pair.low, pair.high])
        except NotFoundError:
            return True  # purged meanwhile
        key = pair.low_version, pair.high_version
        if (older.version, newer.version) != key:
            return True  # edited meanwhile: another question
        found = asked.judge(older, newer)
        if found is not None:
            why = self._memory.redactor.text(found.why).text
            row = VerdictRow(found.contradicts, found.holds, why, found.model, found.prompt)
            done.pairs += verdicts.put(self._store, key, row)
        elif asked.was_answered:
            done.in_vain += verdicts.put(self._store, key, None)
        return found is not None or asked.was_answered
