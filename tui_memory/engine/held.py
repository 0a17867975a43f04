"""What an import holds of the queue, compressed here and now."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui_memory.compress import keeping, turns
from tui_memory.compress.budget import Budget
from tui_memory.errors import NotFoundError, StoreError
from tui_memory.store import imports, queue

if TYPE_CHECKING:
    from tui_memory.compress.made import Compressed
    from tui_memory.compress.router import Router
    from tui_memory.compress.turns import Turn
    from tui_memory.store.db import Store


HISTORY = "git-"
"""Before the process id in the name of a walk through a history."""


@dataclass(slots=True)
class Made:
    """What held turns became."""

    turns: int = 0
    memories: int = 0
    failed: list[str] = field(default_factory=list)


def compress_held(
    store: Store, router: Router, holder: str, *, into: Made | None = None, on_job: Callable[[], None] | None = None
) -> Made:
    """Memories of the turns that `holder` keeps; one that fails goes back to the queue. StoreError is raised.

    `into`: where it is counted, for a caller whose `on_job`, called before each turn, may raise to end it.
    """
    budget = Budget(store, router.settings.compress)
    made = into if into is not None else Made()
    for job in imports.held(store.connection, holder):
        if on_job is not None:
            on_job()
        try:
            turn = turns.load(store, job.session_id, job.turn)
        except NotFoundError as error:
            queue.fail(store, job, error.message, None)
            continue
        try:
            _keep(store, job, turn, router.compress(turn, budget), made)
        except StoreError:
            raise
        except Exception as error:  # whatever one turn does to a compressor, the rest goes on; the worker retries
            made.failed.append(f"turn {job.turn} of session {job.session_id}: {type(error).__name__}")
            queue.fail(store, job, f"{type(error).__name__}: {error}"[:500], 0)
    return made


def is_alive(holder: str) -> bool:
    """Whether the import, or the walk through a history, that calls itself so still runs."""
    try:
        os.kill(int(holder.removeprefix(imports.IMPORTED).removeprefix(HISTORY)), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _keep(store: Store, job: queue.Job, turn: Turn, found: Compressed, made: Made) -> None:
    with store.transaction():
        if queue.done(store, job):
            kept = keeping.keep(store, turn, found)
            made.turns += 1
            made.memories += len(kept.added) + len(kept.renewed)
