"""One process at a time does upkeep of a store: a lock that the system takes back when its holder dies."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from tui_memory.store import filelock


def lease(home: Path) -> AbstractContextManager[bool]:
    """Whether this process may do upkeep now; others need not wait for it."""
    return filelock.held(home / "upkeep.lock")
