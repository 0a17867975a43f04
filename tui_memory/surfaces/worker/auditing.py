"""The worker's part in the audit: cases are looked for as memories come, a slice at a time."""

from __future__ import annotations

import time
from logging import Logger
from typing import TYPE_CHECKING

from tui_memory.errors import TuiMemoryError
from tui_memory.store import rules
from tui_memory.upkeep.audit import finding

if TYPE_CHECKING:
    from tui_memory.store.db import Store
    from tui_memory.surfaces.worker.settings import Watched

_SLICE = 0.3
"""Seconds of looking at once: new events' projects must not wait long."""
_AGES = 3600.0
"""Seconds after which what was too young may be old enough to be asked about."""
_CHANGED = """
SELECT (SELECT max(id) FROM journal), (SELECT max(id) FROM versions),
    (SELECT max(found) FROM upkeep_pairs), (SELECT count(*) FROM upkeep_pairs),
    (SELECT max(found) FROM upkeep_gone), (SELECT count(*) FROM upkeep_gone)
"""


class Auditing:
    """On the house's thread."""

    def __init__(self, store: Store, settings: Watched, log: Logger) -> None:
        self._store, self._settings, self._log = store, settings, log
        self._looked: tuple[object, ...] | None = None

    def look_some(self) -> bool:
        """Bring the cases a little more up to date; whether there is more to look through."""
        names = rules.today(self._settings.all.redact).name
        state = (*self._store.rows(_CHANGED)[0], names, int(time.monotonic() // _AGES))
        if state == self._looked:
            return False
        found_by = self._kinds if self._store.mask is not None else None
        done = finding.look(self._store, names, found_by, seconds=_SLICE)
        if not done.finished:
            return True
        self._looked = state
        if done.done:
            self._log.info("audit: %d texts looked through", done.done)
        return False

    def _kinds(self, text: str) -> dict[str, int]:
        try:
            return dict(self._settings.redactor.text(text).counts)
        except TuiMemoryError:  # the user's own rules took too long: reading masks the whole of it
            return {}
