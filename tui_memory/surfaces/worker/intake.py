"""Events into the store, one after the other on one thread; when `receive` returns, it is committed."""

from __future__ import annotations

from tui_memory import capture, redact
from tui_memory.model import now_ms
from tui_memory.store import ingest
from tui_memory.store.connection import store_key
from tui_memory.store.db import Store
from tui_memory.surfaces.worker.settings import Watched


class Intake:
    """The writer: the only thing on its thread."""

    def __init__(self, store: Store, settings: Watched) -> None:
        self._store = store
        self._settings = settings
        self._key = store_key(store.home)
        redact.Redactor(self._key)  # its rules are compiled now: the first event must not wait for that

    def receive(self, fields: list[str], body: bytes) -> ingest.Outcome:
        """Store one event of a frame. StoreError where the store cannot be written; then nothing was."""
        agent, delivery, cwd, project_dir, *known = fields + [""] * (4 - len(fields))
        name, _, event = agent.partition(":")
        return ingest.receive(
            self._store.connection,
            ingest.Delivery(delivery, name, now_ms(), cwd, project_dir, tuple(known)),
            capture.with_event(body, event),
            self._settings.capture,
            self._key,
        )
