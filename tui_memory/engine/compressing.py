"""The queue, drained here and now: what the worker does by itself, for a command that waits for it; and once more."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tui_memory.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from tui_memory.compress.again import Again
    from tui_memory.compress.pulling import Pulled
    from tui_memory.compress.queue import Drained
    from tui_memory.compress.router import Router
    from tui_memory.config import Settings
    from tui_memory.engine.lab import Lab
    from tui_memory.store.db import Store


class Compressing:
    """Turns into memories."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def drain(self, on_turn: Callable[..., None] | None, route: str = "") -> Drained:
        """Compress every waiting turn by the routes of the settings, or by this route. UsageError: no such route."""
        from tui_memory.compress.queue import drain

        return drain(self._store, self.router(route), worker=f"pid-{os.getpid()}", on_turn=on_turn)

    def again(
        self, ids: Sequence[int | str], route: str = "", on_turn: Callable[[int, int], None] | None = None
    ) -> Again:
        """Compress the turns of these memories once more, as `compress.again` does, by a person's order.

        NotFoundError where an id does not exist, UsageError where the route does not; then nothing was done.
        """
        from tui_memory.compress.again import again
        from tui_memory.store import memories

        router = self.router(route)
        return again(self._store, router, [memories.resolve(self._store, id_) for id_ in ids], on_turn=on_turn)

    def lab(self) -> Lab:
        """Several ways of compressing side by side."""
        from tui_memory.engine.lab import Lab

        return Lab(self._store, self._settings)

    def router(self, route: str = "") -> Router:
        """What compresses: the settings' routes, or one route alone (and extractive after it)."""
        from tui_memory.compress.router import Router

        if not route:
            return Router(self._settings)
        try:
            return Router(replace(self._settings, compress=replace(self._settings.compress, routes=(route,))))
        except ConfigError:
            raise UsageError(
                f"“{route}” is no route. Nothing was compressed."
                " There are ollama:MODEL, openai:URL#MODEL and extractive."
            ) from None


def pull_model(name: str, on_progress: Callable[[Pulled], None] | None = None, *, settings: Settings) -> None:
    """Have Ollama fetch a model, and wait. ModelError: no Ollama, no such model, or it broke off; asking again goes on.

    `on_progress` may raise to stop it: what was fetched until then is kept by Ollama.
    """
    from tui_memory.compress.pulling import pull

    pull(name, settings.remote.allowed_hosts, on_progress)
