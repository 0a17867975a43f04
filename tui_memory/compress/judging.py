"""Whether a newer memory makes an older one untrue, asked of a model and held to what both say; the ways of any turn.

A verdict is evidence for a person: nothing acts on it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tui_memory.clock import iso
from tui_memory.compress import grounding, injection, merging, modelled, prompts, sentences, validate
from tui_memory.compress.made import Compressed, Cost, Route
from tui_memory.compress.router import Router
from tui_memory.errors import CompressError

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from tui_memory.compress.budget import Budget
    from tui_memory.compress.modelled import Chat
    from tui_memory.compress.turns import Turn
    from tui_memory.model import Memory

Holds = Literal["older", "newer", "both"]
HOLDS: tuple[Holds, ...] = ("older", "newer", "both")
_MOST = 240
"""Characters of the sentence."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says of an older and a newer memory; `holds`: both, where they do not contradict."""

    contradicts: bool
    holds: Holds
    why: str
    model: str
    prompt: int
    """The prompt's version."""


class _Answer(BaseModel):
    """A verdict as a model writes it."""

    model_config = ConfigDict(extra="ignore", strict=True)

    contradicts: bool
    holds: Holds
    why: str = Field(min_length=8, max_length=600)


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "why": {"type": "string"},
        "contradicts": {"type": "boolean"},
        "holds": {"type": "string", "enum": list(HOLDS)},
    },
    "required": ["why", "contradicts", "holds"],
}


@runtime_checkable
class _Asks(Protocol):
    """A route that can be asked for answers of any shape."""

    def chat(self, form: dict[str, Any]) -> AbstractAsyncContextManager[Chat]:
        """The model, to be asked for answers of this JSON schema."""


class Asked:
    """The models of a router, asked for verdicts. Use one for a whole run: it remembers who could not be had."""

    def __init__(self, router: Router, limit: Budget) -> None:
        self._routes = [_Judging(route) for route in router.routes if route.model and isinstance(route, _Asks)]
        self._router = Router(router.settings, routes=self._routes)
        self.limit = limit

    @property
    def has_models(self) -> bool:
        """Whether the settings name a model at all."""
        return bool(self._routes)

    @property
    def was_answered(self) -> bool:
        """Whether a model answered the last question, if only with what is of no use."""
        return any(route.verdict is not None or route.was_useless for route in self._routes)

    def judge(self, older: Memory, newer: Memory) -> Verdict | None:
        """The first model's verdict that is of use; None where none was. Blocks for as long as the models may take."""
        for route in self._routes:
            route.ask((older, newer))
        self._router.compress(merging.turn((older, newer)), self.limit)
        return next((route.verdict for route in self._routes if route.verdict is not None), None)


class _Judging:
    """A route that judges instead of compressing: budgets and absent models are the router's matter here too."""

    def __init__(self, route: Route) -> None:
        self.name, self.model, self._route = route.name, route.model, route
        self._pair: tuple[Memory, Memory] | None = None
        self.verdict: Verdict | None = None
        self.was_useless = False
        """Whether it answered, and neither its answer nor the one it was asked for again could be used."""

    def ask(self, pair: tuple[Memory, Memory]) -> None:
        """What it is to be asked next."""
        self._pair, self.verdict, self.was_useless = pair, None, False

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """The verdict is kept aside; what comes back holds no memory. CompressError, ModelError: the next is asked."""
        assert self._pair is not None and isinstance(self._route, _Asks)
        async with self._route.chat(_SCHEMA) as chat:
            try:
                self.verdict = await _ask(chat, *self._pair, self.model, cost)
            except _UselessError:
                self.was_useless = True
                raise
        return Compressed(route=self.name, model=self.model)


class _UselessError(CompressError):
    """An answer that is no verdict on the two memories."""


async def _ask(chat: Chat, older: Memory, newer: Memory, model: str, cost: Cost) -> Verdict:
    prompt = prompts.load("judge")
    filled = prompt.fill(schema=json.dumps(_SCHEMA))
    room = (await chat.room() * modelled.CHARS_PER_TOKEN - len(filled)) // 2
    if room < 500:
        raise CompressError("the model's window is too small for the prompt")
    told = [_told(memory, room) for memory in (older, newer)]
    text = json.dumps(
        {name: {"written": iso(memory.created), "says": said}
         for name, memory, said in zip(("older", "newer"), (older, newer), told, strict=True)},
        ensure_ascii=False, indent=1,
    )  # fmt: skip

    def read(said: str) -> Verdict:
        try:
            answer = _parse(said, told[0], told[1])
        except CompressError as error:
            raise _UselessError(error.message) from None
        return Verdict(answer.contradicts, answer.holds, answer.why, model, prompt.version)

    return await modelled.answer(chat, filled, text, cost, read, "rejudge")


def _told(memory: Memory, room: int) -> str:
    """What a memory says, as much of it as there is room for (characters)."""
    facts = "\n".join(f"- {fact}" for fact in memory.facts)
    whole = "\n".join(part for part in (memory.title, memory.summary, memory.text, facts) if part)
    return injection.without_orders(whole)[: room // 2]  # JSON may write a character as two


def _parse(said: str, older: str, newer: str) -> _Answer:
    """The verdict in an answer; CompressError says what is wrong."""
    value = validate.value(said)
    try:
        answer = _Answer.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise CompressError(f"the answer has the wrong shape: {where}: {first['msg']}") from None
    if answer.contradicts == (answer.holds == "both"):
        raise CompressError("“contradicts” and “holds” do not agree: both hold only where nothing contradicts")
    _check(answer.why, older, newer)
    answer.why = sentences.fit(answer.why, _MOST)
    return answer


def _check(why: str, older: str, newer: str) -> None:
    """The sentence is of both memories and of nothing else."""
    both = f"{older}\n{newer}"
    if validate.repeats(why) or injection.reads_as_orders(why) or validate.is_foreign(why, both):
        raise CompressError("“why” is no sentence about the two notes")
    if invented := grounding.invented(why, both):
        raise CompressError(f"“why” names what neither note says: {', '.join(invented)[:120]}")
    named = grounding.terms(why)
    for name, text in (("older", older), ("newer", newer)):
        if not named & grounding.terms(text):
            raise CompressError(f"“why” says nothing of what the {name} note states")
