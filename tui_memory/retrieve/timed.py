"""How long this process's searches took, until there is an occasion to write it: a search itself writes nothing."""

from __future__ import annotations

import threading
from collections import Counter

from tui_memory.store import counters, timings
from tui_memory.store.db import Store


class Pending:
    """Durations that wait in memory; threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def add(self, seconds: float) -> None:
        """Remember one."""
        with self._lock:
            self._counts.update(timings.counted(timings.SEARCH, "", seconds))

    def clear(self) -> None:
        """Forget them."""
        with self._lock:
            self._counts.clear()

    def flush(self, store: Store) -> None:
        """Write them, if there are any. StoreError where that cannot be: they wait on."""
        with self._lock:
            if self._counts:
                with store.transaction() as connection:
                    counters.bump_many(connection, self._counts)
                self._counts.clear()
