"""Events into the store, one after the other on one thread; when `receive` returns, it is committed."""

from __future__ import annotations

from tui_memory import capture, redact
from tui_memory.capture import git_identity
from tui_memory.clock import now_ms
from tui_memory.store import git_deliveries, ingest
from tui_memory.store.connection import store_key
from tui_memory.store.db import Store
from tui_memory.store.git_deliveries import Payload
from tui_memory.surfaces.worker.settings import Watched

Arrived = list[tuple[ingest.Delivery, Payload]]


class Intake:
    """The writer: `receive` is the only thing on its thread."""

    def __init__(self, store: Store, settings: Watched) -> None:
        self._store = store
        self._settings = settings
        self._key = store_key(store.home)
        redact.Redactor(self._key)  # its rules are compiled now: the first event must not wait for that

    def arrived(self, fields: list[str], body: bytes) -> Arrived:
        """The events of a frame. For a git hook's it runs git: not on the writer's thread, and not on the loop's."""
        agent, delivery, cwd, project_dir, *known = fields + [""] * (4 - len(fields))
        name, _, event = agent.partition(":")
        sent = ingest.Delivery(delivery, name, now_ms(), cwd, project_dir, tuple(known))
        return git_deliveries.expanded(sent, capture.with_event(body, event), self._settings.capture)

    def receive(self, events: Arrived) -> ingest.Outcome:
        """Store events; what became of the first. StoreError where the store cannot be written."""
        outcomes = [
            ingest.receive(
                self._store.connection,
                sent,
                payload,
                self._settings.capture,
                self._key,
                identity=_own_addresses(sent, payload),
                own=self._settings.own_rules,
            )
            for sent, payload in events
        ]
        return outcomes[0]


def _own_addresses(sent: ingest.Delivery, payload: Payload) -> tuple[str, ...]:
    """The person's own e-mail addresses in the event's folder, where the event holds any address."""
    held = b"@" in payload if isinstance(payload, bytes) else "@" in str(payload)
    return git_identity.addresses(sent.project_dir or sent.cwd) if held else ()
