"""A turn through a language model, whatever serves it: parts, answer, one repair, grounding, memories."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol, TypeVar

from tui_memory.compress import (
    complement,
    extractive,
    grounding,
    injection,
    prompts,
    render,
    scene,
    schema,
    sentences,
    validate,
)
from tui_memory.compress.digest import TOO_LITTLE, with_enough
from tui_memory.compress.made import Compressed, Cost, Made, Unfinished
from tui_memory.compress.prompts import Prompt
from tui_memory.compress.schema import Note, Notes
from tui_memory.compress.turns import MERGING, Turn
from tui_memory.errors import CompressError
from tui_memory.model import Body, MadeBy, MemoryKind, Tier

Message = dict[str, str]
T = TypeVar("T")
CHARS_PER_TOKEN = 3
"""On the safe side: code has about three characters a token, prose four."""

_PROMPTS = {0: "session", MERGING: "merge"}


class Chat(Protocol):
    """A model that can be asked."""

    async def room(self) -> int:
        """Tokens that a question may have beside the answer."""

    async def ask(self, messages: list[Message], cost: Cost) -> str:
        """The answer's text. CompressError for one that is of no use, ModelError where the model cannot be had."""


async def compress(
    turn: Turn, chat: Chat, route: str, model: str, cost: Cost, *, single: bool = False, variant: str = ""
) -> Compressed:
    """The memories that a model makes of a turn; `single`: it is given one event at a time; `variant`: of the prompts.

    CompressError, ModelError: the next route is tried.
    """
    if turn.number == 0 and not with_enough(turn):
        return Compressed(route=route, model=model, skipped_reason=TOO_LITTLE)
    prompt = prompts.load(_PROMPTS.get(turn.number, "turn"), variant)
    said = prompt.fill(schema=json.dumps(schema.json_schema()))
    room = await chat.room() * CHARS_PER_TOKEN - len(said)
    if room < 1_000:
        raise CompressError("the model's window is too small for the prompt")
    notes, events = await _notes(turn, chat, said, room, cost, single)
    made = _made(turn, notes, events, MadeBy(_family(route), model, prompt.version, schema.VERSION))
    if notes.memories and not made:
        raise CompressError("nothing in the answer holds to its sources")
    ruled = _ruled(turn, made) if turn.number > 0 and not single else []
    made = complement.complete(made, ruled, grounding.salient(turn.observations))
    for one in made:
        if one not in ruled:
            grounding.measure(one, turn)
            injection.hold(one, turn)
    return Compressed(made, route, model, "" if made else "the model found nothing worth keeping")


def _family(route: str) -> str:
    return route.split(":", 1)[0]


async def _notes(
    turn: Turn, chat: Chat, prompt: str, room: int, cost: Cost, single: bool
) -> tuple[Notes, dict[int, int]]:
    """The notes of a turn: of its one part, or of each part and then of the notes together."""
    if turn.number == 0:
        text = render.session(turn)
        return await _answer(chat, prompt, text[:room], cost), {}
    parts = render.parts(turn, room, single=single)
    events = {number: id_ for part in parts for number, id_ in part.events.items()}
    found = [await _answer(chat, prompt, part.text, cost) for part in parts]
    notes = [note for answer in found for note in answer.memories]
    if single:
        return Notes.model_construct(memories=notes), events
    if len(found) == 1 or len(notes) <= 1:
        return Notes(memories=notes), events
    reduce = prompts.load("reduce").fill(schema=json.dumps(schema.json_schema()))
    text = json.dumps([note.model_dump() for note in notes], ensure_ascii=False)
    return await _answer(chat, reduce, text[:room], cost), events


async def _answer(chat: Chat, prompt: str, text: str, cost: Cost) -> Notes:
    """One answer's notes, repaired once."""
    return await answer(chat, prompt, text, cost, lambda said: validate.parse(said, text), "repair")


async def answer(chat: Chat, prompt: str, text: str, cost: Cost, read: Callable[[str], T], repair: str) -> T:
    """What `read` makes of an answer; repaired once, by the prompt of this name, with `read`'s CompressError shown."""
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": text}]
    try:
        said = await chat.ask(messages, cost)
    except Unfinished as error:
        said, wrong = error.said, error.message
    else:
        try:
            return read(said)
        except CompressError as error:
            wrong = error.message
    cost.repairs += 1
    again = _repair(prompts.load(repair), wrong)
    messages += [{"role": "assistant", "content": said[:1_500]}, {"role": "user", "content": again}]
    return read(await chat.ask(messages, cost))


def _repair(prompt: Prompt, error: str) -> str:
    return prompt.fill(error=error)


def _made(turn: Turn, notes: Notes, events: dict[int, int], made_by: MadeBy) -> list[Made]:
    """The notes as memories that hold to their sources."""
    seen = scene.lay_out(turn)
    said = grounding.source_text([*turn.observations, *turn.earlier, *turn.requests])
    said += "".join(f"\n{memory.title}\n{memory.summary}\n{memory.text}" for memory in turn.taught)
    files = list(dict.fromkeys(path for item in turn.observations for path in item.files))
    found: list[Made] = []
    titles: set[str] = set()
    for note in notes.memories:
        sources = sorted({events[number] for number in note.events if number in events}) or seen.sources()
        written = _body(turn, note, made_by, _files(turn, sources, seen.files))
        body = grounding.ground(written, said, files)
        if body is None:
            continue
        body.title = sentences.title(body.title)
        if body.title.casefold() in titles or body.title.endswith("?"):
            continue  # said already, or nothing but a question is left of it
        titles.add(body.title.casefold())
        carriers = grounding.carriers(body, sources, [*turn.observations, *turn.earlier, *turn.requests])
        found.append(Made(body, carriers, written=written))
    return found[:1] if turn.number == 0 else found


def _ruled(turn: Turn, made: list[Made]) -> list[Made]:
    """What the rules say beside the model. Its "nothing" is right, unless the turn came to something."""
    ruled = extractive.make(turn).made
    if made or scene.lay_out(turn).came_to_something:
        return ruled
    return [one for one in ruled if one.body.kind in complement.RULES]


def _files(turn: Turn, sources: list[int], changed: list[str]) -> list[str]:
    """The files of the events a memory comes from; where those name none, what the turn changed."""
    wanted = set(sources)
    named = [path for item in turn.observations if item.id in wanted for path in item.files if path in changed]
    return list(dict.fromkeys(named)) or changed


def _body(turn: Turn, note: Note, made_by: MadeBy, files: list[str]) -> Body:
    is_digest = turn.number == 0
    return Body(
        " ".join(note.title.split()),
        summary=sentences.fit(note.summary, 240) if note.summary.strip() else "",
        text=note.text.strip()[:1_500],
        facts=[" ".join(fact.split())[:300] for fact in note.facts if fact.strip()][:8],
        tier=Tier.EPISODIC if is_digest else note.tier,
        kind=MemoryKind.DIGEST if is_digest else note.kind,
        labels=[" ".join(label.split())[:40] for label in note.labels if label.strip()][:6],
        files=files,
        made_by=made_by,
    )
