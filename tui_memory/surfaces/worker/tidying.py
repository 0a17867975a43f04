"""The worker's part in forgetting: today's rules over what older ones kept, and purges that a reader held up."""

from __future__ import annotations

from logging import Logger
from typing import TYPE_CHECKING

from tui_memory.errors import UnfinishedError
from tui_memory.store import erasing, projects, rules, scrubbing
from tui_memory.store.db import Store

if TYPE_CHECKING:
    from tui_memory.config import RedactSettings
    from tui_memory.surfaces.worker.settings import Watched

_SLICE = 0.5  # seconds of scrubbing at once: new events' projects must not wait long
_PATIENCE = 2.0


class Tidying:
    """On the house's thread. A purge or scrub that is asked for by a person does not wait for this."""

    def __init__(self, store: Store, settings: Watched, log: Logger) -> None:
        self._store, self._settings, self._log = store, settings, log
        self._seen: RedactSettings | None = None
        self._behind = False
        settings.folders = lambda: projects.recent_folders(store)

    def watch(self) -> None:
        """Look whether the rules, the program's or the settings', are others than those that masked the store."""
        redact = self._settings.all.redact
        if redact != self._seen:
            rules.watch(self._store, redact, lambda: self._settings.redactor)
            self._seen, self._behind = redact, self._store.mask is not None

    def scrub_some(self) -> bool:
        """Mask a little of what is behind; whether there is more to do."""
        self.watch()
        if not self._behind:
            return False
        today = rules.today(self._settings.all.redact)
        done = scrubbing.scrub(self._store, self._settings.redactor, today, resume=True, seconds=_SLICE)
        if not done.finished:
            return True
        self._behind = False
        if not done.unscanned:
            self._store.mask = None
        self._log.info("scrubbed: %d rows, %d could not be scanned", done.total, done.unscanned)
        self.finish()
        return False

    def finish(self) -> None:
        """Take what is deleted out of the files, where that was not done or could not be."""
        if not erasing.pending(self._store):
            return
        try:
            erasing.finish(self._store, patience=_PATIENCE)
        except UnfinishedError:
            self._log.info("erasing: somebody still reads what was deleted; tried again later")
            return
        self._log.info("erasing: finished")
