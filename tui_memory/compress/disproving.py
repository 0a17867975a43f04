"""A cause that was supposed in one turn of a session and denied in a later one: what the earlier turn left is replaced.

Conservative: the closing message must say that something was not the cause, and an earlier memory must have said of
the very same thing, by a name or by two telling words, that it was.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tui_memory.compress import grounding, outcome, sentences
from tui_memory.compress.made import Made
from tui_memory.compress.turns import Turn
from tui_memory.model import Kind, Memory, MemoryKind, MemoryState, Tier

if TYPE_CHECKING:
    from tui_memory.store.db import Store

_CLAIM = re.compile(
    r"\b(?:because|caused?|causes|causing|due to|reason|culprit|root|comes? from|came from|fault|responsible|to blame|"
    r"leads? to|led to|suspect(?:ed)?|must be|probably|i think|fix(?:ed|es)?|explains?)\b",
    re.IGNORECASE,
)
_ABOUT_CAUSES = frozenset(
    {
        "cause", "causes", "caused", "reason", "culprit", "problem", "fault", "blame", "help", "helped",
        "fixed", "solve", "solved", "wrong", "guess", "hypothesis", "still", "same", "fails", "failed",
        "happens", "turned", "proved", "difference", "anything", "ruled", "nothing", "really", "actual",
        "actually", "real", "instead", "herring", "dead", "track",
    }
)  # fmt: skip
"""Words of a denial that say nothing of what is denied."""


def disproved(store: Store, turn: Turn, told: list[tuple[int, Made]]) -> list[tuple[int, int]]:
    """(earlier memory, what replaces it) of the session: causes that this turn's closing message denies."""
    closing = turn.last_of(Kind.RESPONSE)
    if closing is None or not told:
        return []
    denials = [sentence for sentence in sentences.split(closing.text) if outcome.denies_cause(sentence)]
    if not denials:
        return []
    new = next((id_ for id_, made in told if closing.id in made.sources), told[0][0])
    own = {id_ for id_, _ in told}
    return [
        (memory.id, new)
        for memory in _earlier(store, turn)
        if memory.id not in own and any(claims(memory, denial) for denial in denials)
    ]


def claims(memory: Memory, denial: str) -> bool:
    """Whether a memory says that what a sentence denies was the cause."""
    said = [
        part for text in (memory.title, memory.summary, memory.text, *memory.facts) for part in sentences.split(text)
    ]
    if any(outcome.denies_cause(part) for part in (memory.title, memory.summary)):
        return False  # it is a denial itself
    subject = _subject(denial)
    names = {word.lower() for word in grounding.tokens(subject) if re.search(r"[^\W\d]{2}", word)}
    words = grounding.terms(subject) - _ABOUT_CAUSES
    for part in said:
        if not _CLAIM.search(part) or outcome.denies_cause(part):
            continue
        low = part.lower()
        if any(name in low for name in names) or sum(word in low for word in words) >= 2:
            return True
    return False


def _subject(denial: str) -> str:
    """What a denial is about: its clause that denies, without what it names as the cause instead."""
    clauses = re.split(r"[;:,—–]\s| but ", denial)
    return " ".join(clause for clause in clauses if outcome.denies_cause(clause)) or denial


def _earlier(store: Store, turn: Turn) -> list[Memory]:
    """The session's memories of turns before, that a compressor made and nobody pinned."""
    from tui_memory.store import memories

    rows = store.rows(
        "SELECT m.id FROM memories m JOIN versions v ON v.id = m.version_id WHERE m.session_id = ? AND m.state = ?"
        " AND NOT m.pinned AND v.kind <> ? AND v.tier = ? AND v.route NOT IN ('person', 'agent', 'merge')"
        " AND (SELECT max(o.turn) FROM memory_sources s JOIN observations o ON o.id = s.observation_id"
        " AND o.session_id = m.session_id WHERE s.memory_id = m.id) < ? ORDER BY m.id",
        (turn.session_id, MemoryState.ACTIVE, MemoryKind.DIGEST, Tier.EPISODIC, turn.number),
    )
    return memories.get(store, [row["id"] for row in rows])
