"""A session's digest: what was asked, learned, done and left open, where at least two turns taught something."""

from __future__ import annotations

import re

from tui_memory.compress import classify, outcome, passages, sentences, titles
from tui_memory.compress.commits import noise
from tui_memory.compress.made import Made
from tui_memory.compress.turns import Turn
from tui_memory.model import Body, Kind, Memory, MemoryKind, Observation, Tier

TOO_LITTLE = "fewer than two turns of the session taught something"
_OPEN = re.compile(
    r"\b(?:todo|left open|still (?:open|to do|missing|needs?)|remains? (?:open|to)|"
    r"not (?:yet|been run|done yet)|follow-?up|"
    r"(?:must|has to|have to|should|needs? to) be (?:\w+ )?"
    r"(?:rotated|checked|repaired|done|removed|moved|mended|added))\b",
    re.IGNORECASE,
)
_LESS = (MemoryKind.DISCOVERY, MemoryKind.PREFERENCE, MemoryKind.CONVENTION)
"""Kinds that a session is named after only where it has no other."""


def make(turn: Turn) -> tuple[list[Made], str]:
    """The digest of a session whose turns are compressed, or the reason why it has none."""
    if not with_enough(turn):
        return [], TOO_LITTLE
    learned = [memory.title for memory in turn.taught]
    left = _left_open(turn)
    head = next((memory for memory in turn.taught if memory.kind not in _LESS), turn.taught[0]).title
    summary = sentences.fit("; ".join(title for title in learned if title != head) or head, 240)
    asked = passages.unsaid([sentences.fit(item.text, 110) for item in _prompts(turn)], head, summary)
    done = passages.unsaid(_done(turn, learned), head, summary)
    parts = [
        "Asked: " + " / ".join(asked) if asked else "",
        "Done: " + "; ".join(done) + "." if done else "",
        "Left open: " + " ".join(left) if left else "",
    ]
    more = len(turn.taught) - 1
    body = Body(
        sentences.fit(f"Session: {head}", sentences.TITLE - len(f" (+{more})")) + f" (+{more})",
        summary=summary,
        text="\n\n".join(sentences.fit(part, 330) for part in parts if part) or summary,
        tier=Tier.EPISODIC,
        kind=MemoryKind.DIGEST,
        labels=[],
        files=list(dict.fromkeys(path for memory in turn.taught for path in memory.files))[:20],
    )
    closings = [item.id for item in turn.of(Kind.RESPONSE)]
    return [Made(body, sorted({item.id for item in _prompts(turn)} | set(closings)))], ""


def with_enough(turn: Turn) -> bool:
    """Whether at least two turns of the session taught something."""
    return len({_turn_of(turn, memory) for memory in turn.taught}) >= 2


def _turn_of(turn: Turn, memory: Memory) -> int:
    """The turn that a memory came from: the latest of its sources'."""
    numbers = {item.id: item.turn for item in turn.observations}
    return max((numbers.get(source, 0) for source in memory.sources), default=0)


def _prompts(turn: Turn) -> list[Observation]:
    return [
        item
        for item in turn.of(Kind.PROMPT)
        if not classify.is_acknowledgement(item.text) and not classify.is_status_request(item.text)
    ][:8]


def _done(turn: Turn, learned: list[str]) -> list[str]:
    """What was committed and is not said by what was learned."""
    made = [commit.message for commit in outcome.read(turn).commits if not noise(commit.message, commit.files)]
    return [title for title in dict.fromkeys(map(titles.of_commit, made)) if title not in learned]


def _left_open(turn: Turn) -> list[str]:
    """What the closing messages leave to do, and a last test run that failed with nothing committed after it."""
    said = [text for item in turn.of(Kind.RESPONSE) for text in classify.telling(item.text) if _OPEN.search(text)]
    came = outcome.read(turn)
    last = came.runs[-1] if came.runs else None
    if last and not last.ok and not any(commit.source > last.source for commit in came.commits):
        said.append(f"{last.command} failed last{f': {last.error}' if last.error else ''}".rstrip(".") + ".")
    return [sentences.fit(text, 240) for text in said[-4:]]
