"""The worker's part in upkeep: pairs and stale names as memories arrive, a model's verdicts, limits once an hour."""

from __future__ import annotations

import threading
import time
from logging import Logger
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.engine.services import Services
from tui_memory.store import marks

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.surfaces.worker.settings import Watched

REST = 20.0  # seconds between two looks: a burst of changes is looked at once
HOUR_MS = 3_600_000
ENFORCED = "upkeep:enforced"
_STAMP = """
SELECT (SELECT max(id) FROM journal),
    (SELECT group_concat(value) FROM meta WHERE key LIKE 'embedded_to:%'),
    (SELECT max(id) FROM observations WHERE agent = 'git')
"""


class Keeping:
    """On a thread of its own. What a person asks for meanwhile waits for nothing of this."""

    def __init__(self, home: Path, settings: Watched, log: Logger, stopping: threading.Event) -> None:
        self._home, self._settings, self._log, self._stopping = home, settings, log, stopping
        self._services: Services | None = None
        self._made_for: Settings | None = None
        self._seen: tuple[object, ...] = ()
        self._looked = -REST

    def keep(self) -> bool:
        """Look where something changed since last time, then at the limits where an hour has passed; any change."""
        services = self._open()
        changed = False
        stamp = tuple(services.store.rows(_STAMP)[0])
        if stamp != self._seen and time.monotonic() - self._looked >= REST:
            found = services.upkeep.refresh(cancelled=self._stopping.is_set)
            self._looked = time.monotonic()
            if not found.busy and not found.cancelled:
                self._seen = stamp
            changed = bool(found.merged)
            if found.examined:
                self._log.info("upkeep: %d looked at, %d merged", found.examined, len(found.merged))
        judged = services.upkeep.judge(cancelled=self._stopping.is_set)
        if judged.pairs or judged.in_vain:
            self._log.info("upkeep: %d contradictions judged, %d in vain", judged.pairs, judged.in_vain)
        return self._enforce(services) or changed or judged.waiting

    def _enforce(self, services: Services) -> bool:
        since = now_ms() - marks.get(services.store, ENFORCED)
        if 0 <= since < HOUR_MS or self._stopping.is_set():  # less than 0: the clock was set back
            return False
        done = services.upkeep.enforce(cancelled=self._stopping.is_set)
        if done.busy:
            return False
        marks.put(services.store, {ENFORCED: now_ms()})
        went = (done.observations, done.versions, len(done.trashed), len(done.purged))
        if any(went):
            self._log.info("limits: %d observations, %d texts went, %d memories to the trash, %d deleted", *went)
        return any(went)

    def _open(self) -> Services:
        """The store by today's settings."""
        settings = self._settings.all
        if self._services is None or self._made_for is not settings:
            if self._services is not None:
                self._services.close()
            self._services = Services(self._home, actor="upkeep", embedding="none", settings=settings)
            self._made_for = settings
        return self._services
