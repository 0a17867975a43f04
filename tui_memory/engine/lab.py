"""The lab: the same observations compressed by several configurations, side by side, without storing; adopt one.

A configuration is written ROUTE, with @GRANULARITY and +PROMPT after it where wanted: `extractive`,
`ollama:qwen2.5-coder:1.5b@event`, `ollama:qwen2.5-coder:1.5b+terse`. PROMPT is a variant of the prompts that the user
has beside the settings. Only what the models were asked is counted, against the same budgets as ever.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tui_memory.compress import keeping, render, turns
from tui_memory.compress.budget import Budget
from tui_memory.compress.made import Compressed, Made
from tui_memory.errors import ConfigError, ModelError, NotFoundError, UsageError
from tui_memory.store import observations, rows
from tui_memory.store.changes import Changes
from tui_memory.tokens import count_tokens

if TYPE_CHECKING:
    from tui_memory.compress.keeping import Kept
    from tui_memory.compress.router import Router
    from tui_memory.compress.turns import Turn
    from tui_memory.config import Settings
    from tui_memory.store.db import Store

GRANULARITIES = ("turn", "event", "session")
"""What a configuration may say after `@`; `session`: what was chosen of each session as one."""
EXTRACTIVE = "extractive"
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
    """The configuration, as it was written."""
    results: list[Result] = field(default_factory=list)
    cancelled: bool = False

    @property
    def made(self) -> list[Made]:
        """Every memory, in order."""
        return [memory for one in self.results for memory in one.found.made]

    @property
    def failures(self) -> list[str]:
        """Why turns came to nothing, each reason once."""
        return list(dict.fromkeys(one.failure for one in self.results if one.failure))

    @property
    def flagged(self) -> list[str]:
        """What was taken out of the memories because their sources do not hold it."""
        return [word for made in self.made for word in made.body.grounding.flagged]

    @property
    def tokens_made(self) -> int:
        """Tokens of all memories."""
        return sum(rows.tokens(made.body) for made in self.made)

    @property
    def ratio(self) -> float:
        """Tokens of the memories to those of what they were made of."""
        given = sum(count_tokens(item.text) for one in self.results for item in one.turn.observations)
        return round(self.tokens_made / given, 3) if given else 0.0

    @property
    def retained(self) -> float:
        """The mean share of the sources' telling words that the memories kept; 0 where there are none."""
        shares = [made.body.grounding.retained for made in self.made]
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
            "flagged": self.flagged,
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
    """What a run would ask a model: turns, tokens read, and seconds by what it took before (None: never asked)."""

    turns: int
    tokens: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """The configurations that there are: routes (the settings', the models on hand), variants; what is missing."""

    routes: tuple[str, ...]
    variants: tuple[str, ...] = ()
    trouble: str = ""
    """Why no model can be asked, and what to do; "" where one can."""


class Lab:
    """Runs of configurations over chosen observations."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store, self._settings = store, settings

    def offer(self) -> Offer:
        """What can be chosen. Asks Ollama what it has, where `remote` allows its host: up to two seconds."""
        from tui_memory.compress import on_hand, prompts

        own = [route for route in self._settings.compress.routes if route != EXTRACTIVE]
        try:
            here = on_hand.models(self._settings.remote.allowed_hosts)
            trouble = "" if here else "Ollama has no model yet."
        except ModelError as error:
            here, trouble = [], error.message
        have = {f"ollama:{model.name}" for model in here}
        asked = [route for route in own if route.startswith("openai:") or _named(route, have)]
        routes = tuple(dict.fromkeys([*asked, *sorted(have), EXTRACTIVE]))
        return Offer(routes, tuple(prompts.variants()), "" if len(routes) > 1 else trouble)

    def widened(self, ids: Sequence[int], *, session: bool) -> list[int]:
        """The observations of the turns of these, or of their sessions."""
        marks = ", ".join("?" * len(ids))
        same = "o.session_id = c.session_id" + ("" if session else " AND o.turn = c.turn")
        found = self._store.rows(
            f"SELECT DISTINCT o.id FROM observations c JOIN observations o ON {same}"
            f" WHERE c.id IN ({marks}) ORDER BY 1",
            tuple(ids),
        )
        return [row["id"] for row in found]

    def estimate(self, ids: Sequence[int], route: str = "") -> Estimate:
        """What compressing the turns of these observations would cost, roughly; `route`: by this one, nothing by rule.

        NotFoundError as for `run`.
        """
        chosen = self._turns(ids)
        if route == EXTRACTIVE:
            return Estimate(len(chosen), 0, 0.0)
        room = max(self._settings.compress.num_ctx - 3_000, 500) * 3
        texts = [part.text for turn in chosen for part in render.parts(turn, room)]
        tokens = sum(count_tokens(text) for text in texts) + 1_000 * len(texts)
        rate = self._rate()
        return Estimate(len(chosen), tokens, round(tokens * rate, 1) if rate else None)

    def _rate(self) -> float:
        """Seconds for a token read, by all that models were asked lately; 0 where they never were."""
        row = self._store.rows("SELECT sum(ms) AS ms, sum(tokens_in) AS tokens FROM usage")[0]
        return row["ms"] / 1_000 / row["tokens"] if row["tokens"] else 0.0

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
        self._turns(ids)  # what does not exist is said before anything is asked
        columns = []
        for name, router in routers.items():
            column = Column(name)
            columns.append(column)
            chosen = self._turns(ids, whole=router.settings.compress.granularity == "session")
            for turn in chosen:
                found = asyncio.run(self._compress(router, turn, cancelled))
                if found is None:
                    column.cancelled = True
                    break
                column.results.append(_result(router, turn, found))
                if on_progress:
                    on_progress(name, len(column.results), len(chosen))
        return columns

    def adopt(self, column: Column, *, action: str = "adopt") -> Kept:
        """Store what a configuration made, as a person's change that one undo takes back.

        The turns' memories get new versions in place; what came to nothing stays as it is.
        """
        whole, changes = keeping.Kept(), Changes(self._store)
        with changes.group(action):
            for one in column.results:
                if one.found.made and not one.failure:
                    kept = keeping.keep(self._store, one.turn, one.found, changes=changes)
                    whole.added += kept.added
                    whole.renewed += kept.renewed
                    whole.changed |= kept.changed
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
        from tui_memory.compress import prompts
        from tui_memory.compress.router import Router

        route, granularity, variant = _parts(name)
        if granularity not in GRANULARITIES:
            raise UsageError(f"“{name}”: after @ comes {', '.join(GRANULARITIES)}. Nothing was compressed.")
        if variant and variant not in prompts.variants():
            raise UsageError(
                f"“{name}”: there is no variant “{variant}” of a prompt. Nothing was compressed."
                f" A file turn.{variant}.md in {prompts.folder()} makes it."
            )
        compress = replace(self._settings.compress, routes=(route,), granularity=granularity, prompt=variant)
        try:
            return Router(replace(self._settings, compress=compress))
        except ConfigError:
            raise UsageError(
                f"“{name}” is no configuration. Nothing was compressed. It is ollama:MODEL, openai:URL#MODEL or"
                " extractive, with @event or @session after it where wanted, and +PROMPT for a variant of the prompts."
            ) from None

    def _turns(self, ids: Sequence[int], *, whole: bool = False) -> list[Turn]:
        """The turns of the observations, each with the chosen ones alone; `whole`: each session as one."""
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
            place = row["session_id"], turns.WHOLE if whole else row["turn"]
            groups.setdefault(place, []).append(row["id"])
        return [
            replace(turns.load(self._store, *place), observations=observations.get(self._store, chosen))
            for place, chosen in groups.items()
        ]


def _parts(name: str) -> tuple[str, str, str]:
    """(route, granularity, variant) of a configuration; an address may hold `@` and `+`, a name after them no `/`."""
    head, plus, variant = name.rpartition("+")
    if not plus or not re.fullmatch(r"[\w-]+", variant):
        head, variant = name, ""
    route, at, granularity = head.rpartition("@")
    return (route, granularity, variant) if at and re.fullmatch(r"\w+", granularity) else (head, "turn", variant)


def _named(route: str, have: set[str]) -> bool:
    """Whether Ollama has a route's model: without a tag it is the latest."""
    return route in have or f"{route}:latest" in have


def _result(router: Router, turn: Turn, found: Compressed) -> Result:
    """What the configuration itself made: where another route stepped in, it failed."""
    if found.route == router.routes[0].name:
        return Result(turn, found)
    return Result(turn, Compressed(route=router.routes[0].name), "; ".join(found.failures))
