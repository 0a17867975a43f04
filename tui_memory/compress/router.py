"""Which way a turn is compressed: the settings' routes in their order, the first that works; extractive always last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui_memory.compress.extractive import Extractive
from tui_memory.compress.made import Compressed, Cost, Route
from tui_memory.compress.turns import Turn
from tui_memory.errors import CompressError, ConfigError, ModelError

if TYPE_CHECKING:
    from tui_memory.compress.budget import Budget
    from tui_memory.config import Settings

REST_MS = 60_000
"""How long a model that could not be had is not asked again."""


class Router:
    """The routes of the settings. Use one for a whole run: it remembers which model could not be had."""

    def __init__(self, settings: Settings, *, routes: Sequence[Route] | None = None) -> None:
        self.settings = settings
        self.routes: list[Route] = list(routes) if routes is not None else _routes(settings)
        if not any(route.name == Extractive.name for route in self.routes):
            self.routes.append(Extractive())
        self._away: dict[str, tuple[float, str]] = {}
        self.answering: Route | None = None
        """The model that answered last, while none that was asked since could not be had."""

    def compress(self, turn: Turn, budget: Budget | None = None) -> Compressed:
        """The memories of a turn, from the first route that works; never fails. Not inside a running event loop."""
        return asyncio.run(self.compress_async(turn, budget))

    async def compress_async(self, turn: Turn, budget: Budget | None = None) -> Compressed:
        """As `compress`, for a caller with an event loop of its own (who may cancel it)."""
        failures: list[str] = []
        for route in self.routes:
            try:
                found = await self._try(route, turn, budget)
            except (CompressError, ModelError) as error:
                failures.append(f"{route.name}: {error.message}")
                continue
            found.failures = failures
            return found
        return Compressed(route="none", skipped_reason="no route is left", failures=failures)

    def only(self, route: Route) -> Router:
        """A router that asks this one route first, and knows nothing of the others."""
        return Router(self.settings, routes=[route])

    def is_away(self, route: Route) -> bool:
        """Whether a route could not be had a short while ago."""
        return time.monotonic() < self._away.get(route.name, (0.0, ""))[0]

    async def _try(self, route: Route, turn: Turn, budget: Budget | None) -> Compressed:
        if not route.model:
            return await route.compress(turn, Cost())
        if self.is_away(route):
            raise ModelError(self._away[route.name][1])
        if budget and (note := budget.stop(turn.session_id)):
            raise CompressError(note)
        cost = Cost()
        try:
            found = await route.compress(turn, cost)
        except ModelError as error:
            self.answering = None
            self._away[route.name] = (time.monotonic() + REST_MS / 1000, error.message)
            raise
        finally:
            if budget and cost.calls:
                budget.spend(
                    route.model, calls=cost.calls, tokens_in=cost.tokens_in, tokens_out=cost.tokens_out, ms=cost.ms,
                    session_id=turn.session_id,
                )  # fmt: skip
        found.tokens_in, found.tokens_out, found.ms = cost.tokens_in, cost.tokens_out, cost.ms
        found.repairs = cost.repairs
        if found.route == route.name:
            self.answering = route
        return found


def _routes(settings: Settings) -> list[Route]:
    """The routes that the settings name; ConfigError for one that does not exist."""
    return [_route(name, settings) for name in settings.compress.routes]


def _route(name: str, settings: Settings) -> Route:
    kind, _, model = name.partition(":")
    if name == Extractive.name:
        return Extractive()
    if kind == "ollama" and model:
        from tui_memory.compress.ollama import Ollama

        return Ollama(model, settings)
    if kind == "openai":
        from tui_memory.compress.openai import OpenAI

        return OpenAI(model, settings)
    raise ConfigError(
        f"compress.routes names “{name}”, which is no route. Nothing was compressed."
        " There are ollama:MODEL, openai:URL#MODEL and extractive."
    )
