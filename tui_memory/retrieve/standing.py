"""Why a candidate has no place: the rule that kept it out, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui_memory.retrieve import ranking
from tui_memory.retrieve.profile import Profile
from tui_memory.retrieve.result import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_memory.retrieve.candidates import Candidates
    from tui_memory.retrieve.search import Searcher

_NO_FLOOR = -1e9


@dataclass(frozen=True, slots=True)
class Out:
    """A candidate without a place. `rule`: near, threshold, cap or diversity; `short`: by how much, in its own unit."""

    hit: Hit
    rule: str
    short: float
    place: int
    """Where its score alone would put it, from 1."""
    like: int | None = None
    """Of diversity: the memory before it that it is most like."""
    alike: float = 0.0
    """How like, as a cosine."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """What the floors of a profile look at: the best cosine (None without a model), and the coverage."""

    meaning: float | None
    words: float


def kept_out(
    searcher: Searcher, found: Candidates, given: Sequence[Hit], profile: Profile, *, limit: int, most: int, now: int
) -> list[Out]:
    """The best `most` of the candidates that `given`, ranked by the profile with this limit, has not; best first."""
    import numpy as np

    opened = replace(profile, near_meaning=0.0, near_words=0.0, diversity=0.0, cap=float(len(found) + 1))
    wanted = len(given) + most
    ordered = searcher.rank(found, limit=wanted, profile=opened, min_score=_NO_FLOOR, now=now).results
    held = {hit.id for hit in given}
    rows = found.columns.rows_of_ids(np.array([hit.id for hit in ordered], dtype=np.int64))
    near = ranking.near(found, profile)[np.searchsorted(found.rows, rows)] if ordered else ()
    last = given[-1].score if given else 0.0
    out = []
    for place, (hit, is_near) in enumerate(zip(ordered, near, strict=True), 1):
        if hit.id not in held:
            out.append(_judged(found, hit, bool(is_near), given, profile, place, last))
    return out


def _judged(
    found: Candidates, hit: Hit, is_near: bool, given: Sequence[Hit], profile: Profile, place: int, last: float
) -> Out:
    if not is_near:
        return Out(hit, "near", _to_floor(nearness(found, hit.id), found, profile), place)
    if hit.score < profile.threshold - 1e-9:
        return Out(hit, "threshold", profile.threshold - hit.score, place)
    if profile.diversity and hit.score > last:
        like, alike = _likest(found, hit.id, [one.id for one in given])
        return Out(hit, "diversity", 0.0, place, like, alike)
    return Out(hit, "cap", max(last - hit.score, 0.0), place)


def nearness(found: Candidates, memory: int) -> Nearness:
    """What a candidate has of what the floors ask for."""
    at = _at(found, memory)
    meaning = None
    if "dense" in found.signals:
        meaning = max(float(found.signals[name][at]) for name in ("dense", "passage"))
    return Nearness(meaning, float(found.signals["coverage"][at]))


def _to_floor(has: Nearness, found: Candidates, profile: Profile) -> float:
    """What is missing to the nearer of both floors."""
    by_words = profile.near_words - has.words
    return by_words if has.meaning is None else min(by_words, ranking.meaning_floor(found, profile) - has.meaning)


def _likest(found: Candidates, memory: int, others: Sequence[int]) -> tuple[int | None, float]:
    """The one of these that a memory's head is nearest to, and the cosine."""
    if found.heads is None or not others:
        return None, 0.0
    mine = found.heads[_at(found, memory)]
    alike = [float(found.heads[_at(found, other)] @ mine) for other in others]
    best = max(range(len(alike)), key=alike.__getitem__)
    return others[best], alike[best]


def _at(found: Candidates, memory: int) -> int:
    """The place of a candidate in the arrays."""
    import numpy as np

    row = found.columns.rows_of_ids(np.array([memory], dtype=np.int64))[0]
    return int(np.searchsorted(found.rows, row))
