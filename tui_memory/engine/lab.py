"""The lab: the same observations compressed by several configurations, side by side, without storing; adopt one.

A configuration is written ROUTE, or ROUTE@GRANULARITY: `extractive`, `ollama:qwen2.5-coder:1.5b@event`. Only what the
models were asked is counted, against the same budgets as ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tui_memory.compress import keeping, render, turns
from tui_memory.compress.budget import Budget
from tui_memory.compress.made import Compressed
from tui_memory.errors import ConfigError, NotFoundError, UsageError
from tui_memory.store import observations, rows
from tui_memory.tokens import count_tokens

if TYPE_CHECKING:
    from tui_memory.compress.keeping import Kept
    from tui_memory.compress.router import Router
    from tui_memory.compress.turns import Turn
    from tui_memory.config import Settings
    from tui_memory.store.db import Store

GRANULARITIES = ("turn", "event")
"""What a configuration may say after `@`; a session cannot be chosen by some of its observations."""
_LOOK_S = 0.1


@dataclass(slots=True)
class Result:
    """What one configuration made of one turn; `failure` says why it made nothing of use."""

    turn: Turn
    found: Compressed
    failure: str = ""


@dataclass(slots=True)
class Column:
    """All that one configuration made, and what it cost."""

    name: str
    results: list[Result] = field(default_factory=list)
    cancelled: bool = False

    @property
    def tokens_made(self) -> int:
        """Tokens of all memories."""
        return sum(rows.tokens(made.body) for one in self.results for made in one.found.made)

    @property
    def ratio(self) -> float:
        """Tokens of the memories to those of what they were made of."""
        given = sum(count_tokens(item.text) for one in self.results for item in one.turn.observations)
        return round(self.tokens_made / given, 3) if given else 0.0

    @property
    def retained(self) -> float:
        """The mean share of the sources' telling words that the memories kept; 0 where there are none."""
        shares = [made.body.grounding.retained for one in self.results for made in one.found.made]
        return round(sum(shares) / len(shares), 3) if shares else 0.0

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        made = [(one, memory) for one in self.results for memory in one.found.made]
        return {
            "config": self.name,
            "tokens_in": sum(one.found.tokens_in for one in self.results),
            "tokens_out": sum(one.found.tokens_out for one in self.results),
            "seconds": round(sum(one.found.ms for one in self.results) / 1000, 3),
            "ratio": self.ratio,
            "retained": self.retained,
            "flagged": [word for _, memory in made for word in memory.body.grounding.flagged],
            "memories": [
                {
                    "title": memory.body.title, "summary": memory.body.summary, "text": memory.body.text,
                    "facts": memory.body.facts, "tier": str(memory.body.tier), "kind": str(memory.body.kind),
                    "labels": memory.body.labels, "files": memory.body.files, "state": str(memory.state),
                    "retained": memory.body.grounding.retained, "flagged": memory.body.grounding.flagged,
                    "sources": memory.sources, "turn": one.turn.number,
                }
                for one, memory in made
            ],
            "failures": [one.failure for one in self.results if one.failure],
            "skipped": [one.found.skipped_reason for one in self.results if one.found.skipped_reason],
            "cancelled": self.cancelled,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would ask a model: turns, and tokens read, for one configuration."""

    turns: int
    tokens: int


class Lab:
    """Runs of configurations over chosen observations."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store, self._settings = store, settings

    def estimate(self, ids: Sequence[int]) -> Estimate:
        """What compressing the turns of these observations would cost a model, roughly. NotFoundError as for `run`."""
        chosen = self._turns(ids)
        room = max(self._settings.compress.num_ctx - 3_000, 500) * 3
        texts = [part.text for turn in chosen for part in render.parts(turn, room)]
        return Estimate(len(chosen), sum(count_tokens(text) for text in texts) + 1_000 * len(texts))

    def run(
        self,
        ids: Sequence[int],
        configs: Sequence[str],
        *,
        on_progress: Callable[[str, int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Column]:
        """A column for each configuration, in order; nothing is stored. Not inside a running event loop.

        `on_progress(configuration, done, total)` after each turn; `cancelled` is asked all the while, and ends the
        column that runs. UsageError: no such configuration. NotFoundError: no such observation. Then nothing was asked.
        """
        routers = {name: self._router(name) for name in dict.fromkeys(configs)}
        chosen = self._turns(ids)
        columns = []
        for name, router in routers.items():
            column = Column(name)
            columns.append(column)
            for turn in chosen:
                found = asyncio.run(self._compress(router, turn, cancelled))
                if found is None:
                    column.cancelled = True
                    break
                column.results.append(_result(router, turn, found))
                if on_progress:
                    on_progress(name, len(column.results), len(chosen))
        return columns

    def adopt(self, column: Column) -> Kept:
        """Store what a configuration made, as a person's change: the turns' memories get new versions in place."""
        whole = keeping.Kept()
        for one in column.results:
            if one.found.made and not one.failure:
                kept = keeping.keep(self._store, one.turn, one.found, actor="person", action="adopt")
                whole.added += kept.added
                whole.renewed += kept.renewed
        return whole

    async def _compress(self, router: Router, turn: Turn, cancelled: Callable[[], bool] | None) -> Compressed | None:
        """One turn; None where it was cancelled meanwhile."""
        task = asyncio.create_task(router.compress_async(turn, Budget(self._store, self._settings.compress)))
        while not task.done():
            if cancelled is not None and cancelled():
                task.cancel()
                await asyncio.wait({task})
                return None
            await asyncio.wait({task}, timeout=_LOOK_S)
        return task.result()

    def _router(self, name: str) -> Router:
        from tui_memory.compress.router import Router

        route, _, granularity = name.rpartition("@") if "@" in name else (name, "", "turn")
        if granularity not in GRANULARITIES:
            raise UsageError(f"“{name}”: after @ comes {' or '.join(GRANULARITIES)}. Nothing was compressed.")
        compress = replace(self._settings.compress, routes=(route,), granularity=granularity)
        try:
            return Router(replace(self._settings, compress=compress))
        except ConfigError:
            raise UsageError(
                f"“{name}” is no configuration. Nothing was compressed."
                " It is ollama:MODEL, openai:URL#MODEL or extractive, and @event after it where wanted."
            ) from None

    def _turns(self, ids: Sequence[int]) -> list[Turn]:
        """The turns of the observations, each with the chosen ones alone."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            raise UsageError("The lab needs at least one observation. `tui-memory observations` lists them.")
        marks = ", ".join("?" * len(wanted))
        found = self._store.rows(f"SELECT id, session_id, turn FROM observations WHERE id IN ({marks})", tuple(wanted))
        if missing := set(wanted) - {row["id"] for row in found}:
            named = ", ".join(f"#{id_}" for id_ in sorted(missing))
            raise NotFoundError(f"There is no observation {named}. Nothing was compressed.")
        groups: dict[tuple[int, int], list[int]] = {}
        for row in sorted(found, key=lambda row: row["id"]):
            groups.setdefault((row["session_id"], row["turn"]), []).append(row["id"])
        return [
            replace(turns.load(self._store, *place), observations=observations.get(self._store, chosen))
            for place, chosen in groups.items()
        ]


def _result(router: Router, turn: Turn, found: Compressed) -> Result:
    """What the configuration itself made: where another route stepped in, it failed."""
    if found.route == router.routes[0].name:
        return Result(turn, found)
    return Result(turn, Compressed(route=router.routes[0].name), "; ".join(found.failures))
