"""The queue, drained here and now: what the worker does by itself, for a command that waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui_memory.compress.queue import Drained
    from tui_memory.config import Settings
    from tui_memory.store.db import Store


class Compressing:
    """Turns into memories."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def drain(self, on_turn: Callable[..., None] | None) -> Drained:
        """Compress every waiting turn by the routes of the settings."""
        from tui_memory.compress.queue import drain
        from tui_memory.compress.router import Router

        return drain(self._store, Router(self._settings), worker=f"pid-{os.getpid()}", on_turn=on_turn)
