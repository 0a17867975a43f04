"""What was made by rule while no model could be had, made anew by the model that has come back: a little at a time.

Called when the queue is empty and a model has just answered. What was imported stays by rule: a history is too much
to ask a model for unasked. Each memory is tried once with a model, whatever comes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.compress.again import Again, again
from tui_memory.compress.budget import Budget
from tui_memory.errors import StoreError
from tui_memory.store import counters

if TYPE_CHECKING:
    from tui_memory.compress.router import Router
    from tui_memory.store.db import Store

MOST = 2
"""Turns at once: what comes in meanwhile waits for them."""
_SHARE = 0.5
"""The share of a day's budget from which on it is left to what comes in."""
_MARK = "upgraded:"

_NEXT = (
    "SELECT m.id FROM memories m JOIN versions v ON v.id = m.version_id"
    " WHERE m.id > ? AND m.state = 'active' AND v.route = 'extractive' AND m.session_id IS NOT NULL"
    " AND NOT EXISTS (SELECT 1 FROM memory_sources s JOIN observations o ON o.id = s.observation_id"
    " WHERE s.memory_id = m.id AND (o.detail ->> 'transcript' IS NOT NULL OR o.detail ->> 'event' = 'history'))"
    " ORDER BY m.id LIMIT 1"
)


def upgrade(store: Store, router: Router, budget: Budget, *, most: int = MOST) -> list[int]:
    """Compress a few older turns again with the model that answered last; the memories with a new version."""
    route = router.answering
    if route is None:
        return []
    alone = router.only(route)
    renewed: list[int] = []
    for _ in range(most):
        rows = store.rows(_NEXT, (_mark(store, route.name),))
        if not rows or budget.share() >= _SHARE:
            break
        try:
            done = again(store, alone, [rows[0][0]], actor="worker")
        except StoreError:
            raise
        except Exception:
            # Whatever one old turn does to a model's route, what comes in must not stop for it: it stays as it is.
            counters.bump(store.connection, "compress:upgrade-failed")
            done = Again()
        if alone.is_away(route):
            break
        _put_mark(store, route.name, rows[0][0])
        renewed += done.renewed
    return renewed


def _mark(store: Store, route: str) -> int:
    rows = store.rows("SELECT value FROM meta WHERE key = ?", (_MARK + route,))
    return int(rows[0][0]) if rows else 0


def _put_mark(store: Store, route: str, memory: int) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MARK + route, str(memory)))
