"""Events in: the library's way to the same ingest that the worker and the hook's fallback use."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tui_memory import capture
from tui_memory.capture import git_identity
from tui_memory.clock import now_ms
from tui_memory.errors import UsageError
from tui_memory.store import git_deliveries, ingest, projects
from tui_memory.store.connection import store_key

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.store.db import Store
    from tui_memory.store.guard import Own


class Capturing:
    """Normalise, redact and store one event; the project is resolved at once."""

    def __init__(self, store: Store, settings: Settings, own: Own | None = None) -> None:
        self._store = store
        self._settings = settings
        self._own = own

    def capture(self, agent: str, payload: Mapping[str, Any], *, time: int | None = None) -> int | None:
        """The stored observation's id, or None where it was dropped (the counters say why).

        `time`: when it happened, in milliseconds; now where absent. UsageError for an unknown agent, and for a
        payload that is no JSON object.
        """
        if agent not in capture.AGENTS:
            raise UsageError(f"No agent is called {agent!r}. Nothing was stored. Known: {', '.join(capture.AGENTS)}.")
        if not isinstance(payload, Mapping):
            raise UsageError(
                f"An event is a JSON object (a mapping), and this is {type(payload).__name__}. Nothing was stored."
            )
        delivery = ingest.Delivery(
            id=secrets.token_hex(16),
            agent=agent,
            received=now_ms() if time is None else time,
            cwd=str(payload.get("cwd") or os.getcwd()),
        )
        key = store_key(self._store.home)
        outcomes = [
            ingest.receive(
                self._store.connection,
                one,
                content,
                self._settings.capture,
                key,
                identity=git_identity.addresses(delivery.cwd),
                own=self._own,
            )
            for one, content in git_deliveries.expanded(delivery, dict(payload), self._settings.capture)
        ]
        projects.assign(self._store)
        return outcomes[0].observation
