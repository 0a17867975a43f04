"""From signals to places: fused score, neighbours, age, use, pin, affinity; what is not near, or too alike, goes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tui_memory.model import MemoryState
from tui_memory.retrieve import fusion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.candidates import Candidates
    from tui_memory.retrieve.profile import Profile

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_DAY_MS = 86_400_000
_ENOUGH_USES = 5.0  # fetches that earn half of what use can give
_FEW, _CROWD = 100, 0.2  # memories; how much more nearness each ten times as many of them ask for
_STEP = 1e-4  # how far a superseded memory stands below what replaced it, at the least


def parts(found: Candidates, profile: Profile, now: int) -> dict[str, Floats]:
    """Everything that adds up to each candidate's score, by name; the names are those of the weights."""
    given = fusion.fuse(found.signals, profile, found.words.asked)
    fused = sum(given.values(), start=_zeros(found))
    given["neighbours"] = profile.neighbours * lent(found, fused)
    given["age"] = profile.age * freshness(found, profile, now)
    given["use"] = profile.use * found.uses / (found.uses + _ENOUGH_USES)
    given["pin"] = _floats(profile.pin * found.columns.numbers["pinned"][found.rows])
    given["affinity"] = profile.branch * found.branch + profile.files * found.files
    if found.elsewhere is not None:
        given["hub"] = (profile.hub - 1) * found.elsewhere * sum(given.values(), start=_zeros(found))
    given["superseded"] = _succession(found, profile, sum(given.values(), start=_zeros(found)))
    return given


def lent(found: Candidates, fused: Floats) -> Floats:
    """The scores of the candidates right before and after each one in its session, added."""
    import numpy as np

    whole = np.zeros(len(found.columns) + 1, dtype=np.float32)  # the last place is for -1: no neighbour
    whole[found.rows] = fused
    before, after = found.columns.beside
    together: Floats = whole[before[found.rows]] + whole[after[found.rows]]
    return together


def freshness(found: Candidates, profile: Profile, now: int) -> Floats:
    """1 for a memory of this moment, a half after each half-life of its kind."""
    import numpy as np

    kinds = found.columns.words["kind"][found.rows]
    lives = np.full(len(found), 180.0, dtype=np.float32)
    for kind, days in profile.half_life.items():
        lives[kinds == found.columns.code("kind", kind)] = days
    days_old = np.maximum(now - found.columns.numbers["created"][found.rows], 0) / _DAY_MS
    fresh: Floats = (0.5 ** (days_old / lives)).astype(np.float32)
    return fresh


def _links(found: Candidates) -> list[tuple[int, int]]:
    """Places of superseded candidates, each with the place of what replaced it, where that is a candidate too."""
    place = {int(row): at for at, row in enumerate(found.rows)}
    successors = found.columns.rows_of_ids(found.columns.numbers["superseded_by"][found.rows])
    return [(at, place[int(row)]) for at, row in enumerate(successors) if int(row) in place and place[int(row)] != at]


def _succession(found: Candidates, profile: Profile, scores: Floats) -> Floats:
    """What superseded memories lose, and what their successors gain to stand where the old ones would have stood."""
    state = found.columns.code("state", MemoryState.SUPERSEDED)
    old = found.columns.words["state"][found.rows] == state
    gains, links = _zeros(found), _links(found)
    for _ in links:  # each pass settles at least one link of a chain of replacements
        low = [(at, to) for at, to in links if scores[to] + gains[to] < scores[at] + gains[at]]
        for at, to in low:
            gains[to] = scores[at] + gains[at] - scores[to]
        if not low:
            break
    gains[old] -= max(profile.superseded, _STEP)
    return gains


def meaning_floor(found: Candidates, profile: Profile) -> float:
    """The cosine from which a candidate is near by meaning alone: higher among many, where chance brings some nearer.

    Measured on questions that no memory answers: the nearest of a hundred has 0.15, of two thousand 0.2, with as much
    between them; what answers a question stands higher, or too low in the crowd to be among the first.
    """
    return profile.near_meaning * (1 + _CROWD * math.log10(max(found.searched, _FEW) / _FEW))


def near(found: Candidates, profile: Profile) -> Mask:
    """Which candidates have to do with the query at all: by meaning, by words, or by some of both."""
    import numpy as np

    mask: Mask = found.signals["coverage"] >= profile.near_words
    if "dense" in found.signals:
        mask = mask | (np.maximum(found.signals["dense"], found.signals["passage"]) >= meaning_floor(found, profile))
    for at, to in _links(found):
        mask[to] |= mask[at]
    return mask


def order(found: Candidates, scores: Floats, keep: Mask, count: int, diversity: float) -> Ints:
    """Places of the kept candidates, best first; with diversity, each next one is the best that is unlike them."""
    import numpy as np

    ids = found.columns.ids[found.rows]
    places = np.lexsort((-ids, -scores))
    places = places[keep[places]]
    if not diversity or found.heads is None or len(places) < 2:
        return places[:count]
    return _unlike(found.heads, scores, places[: 4 * count], count, diversity)


def _unlike(heads: Floats, scores: Floats, places: Ints, count: int, diversity: float) -> Ints:
    """Maximal marginal relevance over the first places; scores themselves stay as they are."""
    import numpy as np

    vectors, left = heads[places], scores[places].astype(np.float32)
    closest = np.zeros(len(places), dtype=np.float32)
    chosen: list[int] = []
    while len(chosen) < min(count, len(places)):
        at = int(np.argmax((1 - diversity) * left - diversity * closest))
        chosen.append(at)
        left[at] = -np.inf
        closest = np.maximum(closest, vectors @ vectors[at])
    return places[np.array(chosen, dtype=np.int64)]


def _zeros(found: Candidates) -> Floats:
    import numpy as np

    return np.zeros(len(found), dtype=np.float32)


def _floats(values: NDArray[Any]) -> Floats:
    import numpy as np

    return values.astype(np.float32)
