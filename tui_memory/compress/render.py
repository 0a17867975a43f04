"""A turn as a model reads it: numbered events, each cut to what tells, in parts that fit a window."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui_memory.compress import injection, outcome, reading
from tui_memory.compress.turns import Turn
from tui_memory.model import Kind, Observation
from tui_memory.safetext import clean

_ROOM = {
    Kind.PROMPT: 3_000,
    Kind.RESPONSE: 4_000,
    Kind.NOTE: 3_000,
    Kind.COMMIT: 2_500,
    Kind.MERGE: 1_500,
    Kind.ERROR: 1_500,
    Kind.EDIT: 1_500,
    Kind.COMMAND: 1_000,
    Kind.TOOL_USE: 1_000,
    Kind.READ: 200,
    Kind.SEARCH: 200,
}
"""Characters of one event that are shown, by kind."""
_MOST_SINGLES = 40
"""Parts of single events that one turn may have."""
_OURS = (Kind.PROMPT, Kind.NOTE, Kind.EDIT)
"""Kinds that the person or the agent writes: nothing in them is taken for a stranger's orders."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a turn: its text, and the observation ids of the event numbers in it."""

    text: str
    events: dict[int, int]


def parts(turn: Turn, most: int, *, single: bool = False) -> list[Part]:
    """The turn in parts of about `most` characters, cut between events; each has the question and the outcome.

    `single`: a part for each event that tells something, with the prompts before it.
    """
    shown = [item for item in turn.observations if item.kind != Kind.LIFECYCLE]
    events = [(number, item, _event(number, item)) for number, item in enumerate(shown, 1)]
    head, tail = _head(turn), _tail(turn)
    room = max(most - len(head) - len(tail), 500)
    if single:
        return _singles(events, head, tail, room)
    groups: list[list[tuple[int, Observation, str]]] = [[]]
    used = 0
    for event in events:
        if groups[-1] and used + len(event[2]) > room:
            groups.append([])
            used = 0
        groups[-1].append((*event[:2], _cut(event[2], room)))
        used += len(groups[-1][-1][2]) + 1
    return [
        Part(
            "\n".join(filter(None, (head, *(text for _, _, text in group), tail))), {n: item.id for n, item, _ in group}
        )
        for group in groups
        if group
    ]


def _singles(events: list[tuple[int, Observation, str]], head: str, tail: str, room: int) -> list[Part]:
    """One part an event, the prompts with each; of very many, those that tell most by their kind."""
    asked = [event for event in events if event[1].kind == Kind.PROMPT]
    asked_text = _cut("\n".join(text for _, _, text in asked), room // 2)
    telling = [event for event in events if event[1].kind not in (Kind.PROMPT, Kind.READ, Kind.SEARCH)]
    ranked = sorted(telling, key=lambda event: -_ROOM.get(Kind(event[1].kind), 500))[:_MOST_SINGLES]
    return [
        Part(
            "\n".join(filter(None, (head, asked_text, _cut(text, room - len(asked_text)), tail))),
            {n: one.id for n, one, _ in [*asked, (number, item, text)]},
        )
        for number, item, text in sorted(ranked, key=lambda event: event[0])
    ]


def session(turn: Turn) -> str:
    """A whole session for its digest: what was asked, and the memories of its turns."""
    asked = [f"- {_cut(clean(item.text), 400)}" for item in turn.of(Kind.PROMPT)[:20]]
    learned = [f"- {memory.title}. {memory.summary}" for memory in turn.taught[:30]]
    return "\n".join(["Asked:", *asked, "Memories of the session:", *learned])


def _head(turn: Turn) -> str:
    before = [f"- {_cut(clean(item.text), 300)}" for item in turn.earlier[-2:]]
    shown = [f"- {_cut(injection.without_orders(clean(item.text)), 1_500)}" for item in turn.requests[:2]]
    parts = ["Asked earlier in the session:", *before] if before else []
    parts += ["The pull request that was merged, as it was shown:", *shown] if shown else []
    return "\n".join([*parts, "Events of this turn:"] if parts else ["Events:"])


def _tail(turn: Turn) -> str:
    came = outcome.read(turn)
    said = came.sentences()
    if came.disproved:
        said.append("The attempt came to nothing: what was supposed is disproved.")
    return "Outcome: " + " ".join(said) if said else ""


def _event(number: int, item: Observation) -> str:
    text = clean(item.text).strip()
    if item.kind in (Kind.COMMAND, Kind.ERROR):
        line, _, printed = text.partition("\n")
        text = f"{line}\n{injection.without_orders(printed)}".rstrip()
    elif item.kind not in _OURS:
        text = injection.without_orders(text)
    if item.kind == Kind.COMMAND and reading.failed(item):
        text += "\n(failed)"
    return f"[{number}] {item.kind}: {_cut(text, _ROOM.get(Kind(item.kind), 500))}"


def _cut(text: str, limit: int) -> str:
    """Head and tail of a text that is too long, cut at line ends where there are some."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 2 // 3], text[-limit // 3 :]
    head = re.sub(r"\n[^\n]{0,200}\Z", "", head)
    tail = re.sub(r"\A[^\n]{0,200}\n", "", tail)
    return f"{head}\n… ({len(text) - len(head) - len(tail)} characters left out) …\n{tail}"
