"""Whether a newer memory makes an older one untrue: by what it says instead, by a value, by a turned statement.

Candidates only: a person judges them. Each reason quotes the sentence of either side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from rapidfuzz.distance import Indel

from tui_memory.upkeep.likeness import NEGATIONS, TURNS
from tui_memory.upkeep.wording import Said, listed, names, numbers, stem_of, stems, words

# What a sentence says is over: the words after these, up to the end of the clause.
_OVER = re.compile(
    r"\b(?:instead of|rather than|replac(?:es?|ed|ing)|no longer(?: in)?|in place of|(?:stopped|stop) using"
    r"|(?:switched|moved|migrated|changed|renamed|went)\b[^.;,]{0,60}?\bfrom|not)\s+([^.;,:]{2,80})",
    re.I,
)
# Without one of these nothing is: looked for first, for most sentences have none.
_ENDS = re.compile(
    r"instead|rather than|replac|no longer|in place of|using|from|\bnot\b|remov|revert|drop|retired|gone|deprecated"
    r"| off\b|taken out",
    re.I,
)
# What a sentence says is over: the words before these.
_GONE = re.compile(
    r"([^.;,:]{2,80}?)\b(?:is|was|were|are|has been|have been)\s+(?:removed|reverted|dropped|replaced|retired|gone"
    r"|deprecated|switched off|turned off|taken out)\b",
    re.I,
)
_REVERT = re.compile(r"\brevert(?:s|ed|ing)?\b|\brolled back\b", re.I)
_CHANGE = re.compile(
    r"\bnow\b|\bagain\b|any ?more\b|\bno longer\b|\binstead\b|\braised?\b|\blowered\b|\bmoved\b|\bswitched\b"
    r"|\breplac|\brevert|\brenamed\b|\bsince then\b|\bused to\b",
    re.I,
)
# Numbers that name a thing (a migration, a release, a step from one to another): no values that change.
_NAMED_BY_NUMBER = re.compile(
    r"\bfrom v?\d+(?:[.,:]\d+)* to v?\d+(?:[.,:]\d+)*|(?:\b(?:releases?|versions?|migrations?|issues?|tickets?"
    r"|decisions?|steps?|sprints?|sessions?|commits?|parts?|pull requests?|pr|adr|phases?|bump|day)\s+#?|#)"
    r"v?\d+(?:[.,:]\d+)*",
    re.I,
)
_TOPIC = 0.5  # of the smaller sentence's stems, from which two sentences are about one thing
_CLOSE = 0.6
SURE = 0.6
"""From this weight a reason is worth a person's look."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the newer one contradicts the older one, and the sentences that show it."""

    what: str
    """instead, reverted, value, turned"""
    weight: float
    low: str
    high: str

    def public(self) -> dict[str, Any]:
        """JSON."""
        return {"reason": self.what, "low": self.low, "high": self.high}


def reasons(older: Said, newer: Said) -> list[Reason]:
    """Why the newer memory makes the older one untrue, weightiest first; empty where it does not."""
    found: dict[str, Reason] = {}
    told = older.sentences[1:] or older.sentences  # a title names a matter, its text says what is so
    for low, high in product(older.sentences, newer.sentences):
        for reason in _between(low, high, older, newer):
            if reason.what != "value" and low not in told:
                continue
            if reason.what not in found or found[reason.what].weight < reason.weight:
                found[reason.what] = reason
    if reverted := _reverted(older, newer):
        found["reverted"] = reverted
    return sorted(found.values(), key=lambda reason: -reason.weight)


def score(found: list[Reason]) -> float:
    """How sure all reasons together are, 0 to 1."""
    left = 1.0
    for reason in found:
        left *= 1 - reason.weight
    return 1 - left


def _between(low: str, high: str, older: Said, newer: Said) -> list[Reason]:
    """What two sentences have against each other."""
    one, other = stems(low), stems(high)
    shared = len(one & other) / max(min(len(one), len(other)), 1)
    found = []
    if one & other and (weight := _instead(high, one, older, newer)):
        found.append(Reason("instead", weight, low, high))
    if shared >= _TOPIC and len(one & other) >= 2:
        if weight := _value(low, high, newer):
            found.append(Reason("value", weight, low, high))
        if shared >= _CLOSE and (weight := _turned(low, high)):
            found.append(Reason("turned", weight, low, high))
    return found


def _instead(high: str, said_low: frozenset[str], older: Said, newer: Said) -> float:
    """The newer sentence says that something is over which the older one states."""
    for over in _over(high):
        stated = over & said_low
        if stated and 2 * len(stated) >= len(over) and not any(stated & one for one in _over_in(older)):
            return 0.8 if (newer.stems - over) & said_low else 0.0
    return 0.0


@lru_cache(1 << 12)
def _over(sentence: str) -> tuple[frozenset[str], ...]:
    """What a sentence says is over: the stems of each such part."""
    if not _ENDS.search(sentence):
        return ()
    found = (match[1].split(" to ")[0] for pattern in (_OVER, _GONE) for match in pattern.finditer(sentence))
    return tuple(filter(None, (stems(part) - _VAGUE for part in found)))


def _over_in(said: Said) -> Iterator[frozenset[str]]:
    """What a memory itself says is over: where both do, they say the same."""
    return (part for sentence in said.sentences for part in _over(sentence))


_VAGUE = frozenset(stem_of(word) for word in listed("use used using way thing old new"))


def _reverted(older: Said, newer: Said) -> Reason | None:
    """The newer one takes back what the older one did."""
    for high in newer.sentences:
        if not _REVERT.search(high):
            continue
        mine = stems(high) - {"revert", "roll"}
        for low in older.sentences:
            both = stems(low) & mine
            if not _REVERT.search(low) and len(both) >= 2 and len(both) >= 0.4 * min(len(mine), len(stems(low))):
                return Reason("reverted", 0.8, low, high)
    return None


def _value(low: str, high: str, newer: Said) -> float:
    """Both give a number of one thing, and the numbers differ."""
    one, other = (numbers(_NAMED_BY_NUMBER.sub("", sentence)) for sentence in (low, high))
    if not (one - other and other - one) or len(one | other) > 4 or _is_other_thing(low, high):
        return 0.0
    build = Indel.normalized_similarity(_around(low), _around(high))
    if build < 0.6:
        return 0.0
    changed = any(_CHANGE.search(sentence) for sentence in newer.sentences)
    return min(0.9, 0.75 * build + (0.2 if changed else 0.0))


def _around(sentence: str) -> list[str]:
    """The stems of a sentence in their order, without its numbers and words of change."""
    return [stem_of(word) for word in words(_CHANGE.sub("", sentence)) if not word[0].isdigit()]


def _is_other_thing(low: str, high: str) -> bool:
    """Whether each sentence names something where the other names something else."""
    for one, other in ((names(low), names(high)), (set(_around(low)), set(_around(high)))):
        if one - other and len(one - other) == len(other - one):
            return True
    return False


def _turned(low: str, high: str) -> float:
    """One sentence says yes and the other no."""
    one, other = set(words(low)), set(words(high))
    if bool(one & NEGATIONS) != bool(other & NEGATIONS):
        apart = stems(low) ^ stems(high)
        return 0.65 if len(apart) <= 3 else 0.0
    turned = (one ^ other) & (TURNS - NEGATIONS)
    return 0.7 if len(turned) >= 2 and len(stems(low) ^ stems(high)) <= 1 else 0.0
