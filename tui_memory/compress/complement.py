"""What a model left out of a turn, put back from what the rules make of it; what tells nothing makes room for it.

A small model often says little in many words, or nothing of a turn that ended in a commit. The rules quote the turn's
own sentences, so they hold to their sources. Of both, the sentences are kept that tell most of the sources' telling
words for their tokens, until a memory has its room; a large model's memory, which says it all, stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tui_memory.compress import grounding, sentences, titles
from tui_memory.compress.made import Made
from tui_memory.model import Body, MemoryKind
from tui_memory.tokens import count_tokens

ROOM = 120
"""Tokens of a memory above which no further sentence is put into it."""
_LEAST = 2
"""Telling words that a sentence must add."""
_EACH = 3
"""Tokens that any sentence costs beside its own: of two short ones and one long one that say the same, the long one."""
RULES = (MemoryKind.CONVENTION, MemoryKind.PREFERENCE)
"""Kinds that are a memory of their own, whatever else the turn was about."""


def complete(made: Sequence[Made], ruled: Sequence[Made], telling: set[str]) -> list[Made]:
    """The model's memories with what the rules say beside them, and the rules' own where no model's is about it.

    `telling`: the sources' telling words, as `grounding.salient` gives them.
    """
    found = list(made)
    for rule in ruled:
        pair = max(found, key=lambda one: _shared(one, rule), default=None)
        if pair is None or _is_another(pair, rule):
            found.append(rule)
        else:
            found[found.index(pair)] = _joined(pair, rule, telling)
    return found


def _shared(one: Made, other: Made) -> float:
    """How much of the shorter one's telling words the other has too."""
    mine, theirs = _words(one.body), _words(other.body)
    return len(mine & theirs) / max(min(len(mine), len(theirs)), 1)


def _is_another(one: Made, rule: Made) -> bool:
    """A rule that a person stated is a memory of its own, unless the model's is that rule."""
    return rule.body.kind in RULES and one.body.kind not in RULES and _shared(one, rule) < 0.5


def _joined(one: Made, rule: Made, telling: set[str]) -> Made:
    """The model's memory with the rules' sentences where they tell more."""
    mine, ruled = one.body, rule.body
    title = _title(mine, ruled, telling)
    texts = list(dict.fromkeys([*_lines(mine.summary, mine.text), *_lines(ruled.summary, ruled.text)]))
    facts = list(dict.fromkeys([*mine.facts, *ruled.facts]))
    chosen = _chosen([*texts, *facts], title, telling)
    kept = [line for line in texts if line in chosen]
    summary = next((line for line in kept if line in mine.summary), titles.best(kept) or mine.summary)
    text = "\n\n".join(line for line in kept if line != summary)
    sort = ruled if ruled.kind in RULES else mine
    body = replace(
        mine, title=title, tier=sort.tier, kind=sort.kind, summary=sentences.fit(summary, 240), text=text or summary,
        facts=[fact for fact in facts if fact in chosen],
        files=list(dict.fromkeys([*mine.files, *ruled.files])),
        labels=list(dict.fromkeys([*mine.labels, *ruled.labels]))[:6],
    )  # fmt: skip
    return replace(one, body=body, sources=sorted({*one.sources, *rule.sources}))


def _title(mine: Body, ruled: Body, telling: set[str]) -> str:
    """The model's title, unless the rules' says twice as much."""
    own, other = (len(_of(body.title) & telling) for body in (mine, ruled))
    return ruled.title if other >= 2 * max(own, 1) else mine.title


def _chosen(lines: Sequence[str], title: str, telling: set[str]) -> set[str]:
    """The lines that tell most for their tokens."""
    known, room, chosen = _of(title), ROOM - count_tokens(title), set[str]()
    left = dict.fromkeys(lines)

    def adds(line: str) -> set[str]:
        return (_of(line) & telling) - known

    while left:
        line = max(left, key=lambda line: len(adds(line)) / (count_tokens(line) + _EACH))
        del left[line]
        if len(adds(line)) < _LEAST:
            break
        if count_tokens(line) <= room:
            chosen.add(line)
            room -= count_tokens(line)
            known |= adds(line)
    return chosen


def _lines(*texts: str) -> list[str]:
    return [line for text in texts for part in text.split("\n") for line in sentences.split(part)]


def _words(body: Body) -> set[str]:
    return _of("\n".join((body.title, body.summary, body.text, *body.facts)))


def _of(text: str) -> set[str]:
    return grounding.terms(text)
