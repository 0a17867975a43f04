"""Whether two memories say the same: meaning and words together, and what only one of them names.

Two tellings of one event share their names and numbers, whatever words they use and in whatever order; the same
sentence about another version, port or file shares every word but one, in the same order. So a difference in names on
both sides, or in any word of two sentences of one build, weighs more than every likeness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from tui_memory.upkeep.wording import STOP, Said, listed, stem_of, words

NEGATIONS = listed("not no never none nobody without cannot can't don't doesn't didn't isn't aren't won't")
TURNS = NEGATIONS | listed("on off enabled disabled allowed forbidden always true false")
"""Words that turn a statement round where only one of two has them."""
_ONE_BUILD = 0.9  # of the likeness in order of the words both have; two tellings of one event reach 0.8
_APART = 0.25  # what a likeness loses where the two name different things
_OTHER_WORD = 8.0  # of a text of so many words, one other word loses all of that; of a longer text its share
_MEANING = 0.55  # share of the vectors in a likeness; the words have the rest


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two memories are, and what each of them names that the other does not."""

    score: float
    text: float
    low_only: tuple[str, ...] = ()
    high_only: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether they are about different things: then they are never made one without a person."""
        return bool(self.low_only or self.high_only)

    def evidence(self, cosine: float | None, *, exact: bool) -> dict[str, Any]:
        """JSON for a person who compares the two."""
        return {
            "vector": None if cosine is None else round(cosine, 4),
            "text": round(self.text, 4),
            "exact": exact,
            "differs": {"low": list(self.low_only), "high": list(self.high_only)},
        }


def likeness(low: Said, high: Said, cosine: float | None) -> Likeness:
    """How alike two memories are, 0 to 1; without vectors by their words alone."""
    one, other = low.text.casefold(), high.text.casefold()
    alike = (fuzz.token_sort_ratio(one, other) + fuzz.token_set_ratio(one, other)) / 200
    score = alike if cosine is None else _MEANING * cosine + (1 - _MEANING) * alike
    named = _named(low, high)
    spoken, share = _spoken(low, high)
    loss = _APART if named[0] else _APART * min(1.0, _OTHER_WORD * share)
    low_only, high_only = ({*named[at], *spoken[at]} for at in (0, 1))
    return Likeness(max(0.0, min(score * (1 - loss), 1.0)), alike, tuple(sorted(low_only)), tuple(sorted(high_only)))


def _named(low: Said, high: Said) -> tuple[set[str], set[str]]:
    """Numbers, identifiers, files that only one of the two has, where both have some of their own."""
    found: tuple[set[str], set[str]] = (set(), set())
    for one, other in ((low.numbers, high.numbers), (low.names, high.names)):
        if one - other and other - one:
            found[0].update(one - other)
            found[1].update(other - one)
    if low.files and high.files and not low.files & high.files:
        found[0].update(low.files)
        found[1].update(high.files)
    return found


def _spoken(low: Said, high: Said) -> tuple[tuple[set[str], set[str]], float]:
    """(words that only one of two texts of one build has, their share of all words); nothing where they are not."""
    one, other = ([stem_of(word) for word in words(said.text) if not word[0].isdigit()] for said in (low, high))
    mine, yours = set(one) - set(other), set(other) - set(one)
    shared = [word for word in one if word not in mine], [word for word in other if word not in yours]
    telling = mine - _QUIET, yours - _QUIET
    turned = (mine | yours) & TURNS
    if (not turned and not all(telling)) or Indel.normalized_similarity(*shared) < _ONE_BUILD:
        return (set(), set()), 0.0
    count = len([word for word in (*one, *other) if word in telling[0] or word in telling[1]])
    return telling, 1.0 if turned else count / max(len(one) + len(other), 1)


_QUIET = frozenset(stem_of(word) for word in STOP) - TURNS
