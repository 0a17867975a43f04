"""One memory as one line of an agent's index, and lines as a text within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tui_memory.capture import fence
from tui_memory.model import Memory
from tui_memory.safetext import one_line
from tui_memory.tokens import count_tokens

_TITLE = 100  # characters: what compressors write is shorter, what people write may not be
_MARKUP = re.compile(r"[<＜﹤](?=\s?[/!?|<A-Za-z])|\[(?=/?(?:INST|SYSTEM)\])|`{3,}")
_AGES = ((60, "min", 60), (3600, "h", 24), (86_400, "d", 14), (604_800, "w", 9), (2_629_800, "mo", 24))
_YEAR = 31_557_600
_TOLD = 1 / 3  # of the budget, for lines that are no memories


@dataclass(frozen=True, slots=True)
class Share:
    """A section of what an agent is given: its heading, how many memories stand there, and their tokens."""

    heading: str
    memories: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A memory that was left out, and the rule that did it: budget, score, most, shown, state."""

    memory: Memory
    rule: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What an agent is given: the whole text (empty: nothing), its tokens, and the memories in it."""

    text: str
    tokens: int
    memories: list[int]
    shares: tuple[Share, ...] = ()
    """What each section costs; the rest of the tokens is the frame around them."""
    cut: tuple[Cut, ...] = ()
    """What had a claim to a line and got none."""
    degraded: tuple[str, ...] = ()
    """What was missing for a full answer to a prompt, as in a search's result."""


NOTHING = Disclosure("", 0, [])


@dataclass(slots=True)
class Section:
    """A heading and the memories under it, most wanted first."""

    heading: str
    memories: Sequence[Memory]
    summaries: bool = False
    """Whether each memory's summary follows its line."""
    told: Sequence[str] = ()
    """Lines that are no memories, before those that are: as many as a third of the budget has room for."""


@dataclass(slots=True)
class _Page:
    budget: int
    lines: list[str] = field(default_factory=list)
    memories: list[int] = field(default_factory=list)

    def fits(self, *more: str, share: float = 1.0) -> bool:
        return count_tokens(fence.wrap("\n".join((*self.lines, *more)))) <= share * self.budget


def age(then: int, now: int) -> str:
    """How long ago, in one unit: now, 5min, 3h, 2d, 3w, 4mo, 2y."""
    seconds = max(now - then, 0) // 1000
    if seconds < 60:
        return "now"
    for size, unit, most in _AGES:
        if seconds // size < most:
            return f"{seconds // size}{unit}"
    return f"{seconds // _YEAR}y"


def line(memory: Memory, now: int) -> str:
    """`#12 3d bugfix Retry reuses the idempotency key (210 t)`: the memory's text made harmless.

    Where it names what the repository no longer has: `(210 t, stale: 2 gone)`; of a team's hub: `(210 t, from ana)`.
    """
    pinned = " pinned" if memory.pinned else ""
    stale = f", stale: {len(memory.gone)} gone" if memory.gone else ""
    shared = f", from {harmless(memory.shared_by)}" if memory.shared_by else ""
    told = f"{memory.kind}{pinned} {harmless(memory.title)} ({memory.tokens} t{stale}{shared})"
    return f"{memory.name} {age(memory.created, now)} {told}"


def harmless(text: str) -> str:
    """One clean line that cannot end a fence, open a tag, or start a code block."""
    return _MARKUP.sub(lambda match: "''" if match.group()[0] == "`" else "‹", one_line(text, _TITLE))


def page(lead: str, sections: Sequence[Section], footer: str, budget: int, now: int) -> Disclosure:
    """The sections' lines as far as the budget goes, whole lines only; nothing where not one memory fits."""
    content, shares, cut = _Page(budget, [lead]), list[Share](), list[Cut]()
    for section in sections:
        wanted = [memory for memory in section.memories if memory.id not in content.memories]
        held, start = len(content.memories), len(content.lines)
        for told in section.told:
            heading = [] if len(content.lines) > start else [section.heading]
            if content.fits(*heading, told, share=_TOLD):
                content.lines += [*heading, told]
        for memory in wanted:
            heading = [] if len(content.lines) > start else [section.heading]
            new = [*heading, *_lines(memory, section.summaries, now)]
            if not content.fits(*new, footer):
                break  # a shorter one further down would jump the queue
            content.lines += new
            content.memories.append(memory.id)
        taken = len(content.memories) - held
        cut += [Cut(memory, "budget") for memory in wanted[taken:]]
        if len(content.lines) > start:
            shares.append(Share(section.heading, taken, count_tokens("\n".join(content.lines[start:]))))
    left = tuple({one.memory.id: one for one in cut if one.memory.id not in content.memories}.values())
    if not content.memories:
        return replace(NOTHING, cut=left)
    text = fence.wrap("\n".join((*content.lines, footer)))
    return Disclosure(text, count_tokens(text), content.memories, tuple(shares), left)


def _lines(memory: Memory, summaries: bool, now: int) -> list[str]:
    summary = harmless(memory.summary) if summaries else ""
    return [line(memory, now), *([f"   {summary}"] if summary else [])]
