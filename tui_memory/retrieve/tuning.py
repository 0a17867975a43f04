"""A better profile for a person's own questions: weights searched on half of them, judged by the other half."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tui_memory.retrieve import metrics
from tui_memory.retrieve.profile import RANGES, SIGNALS, Profile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.retrieve.candidates import Candidates
    from tui_memory.retrieve.judgments import Judged
    from tui_memory.retrieve.search import Searcher

    Table = NDArray[np.float64]

TUNED = (*SIGNALS, "trust", "context", "neighbours", "age")
"""What is searched. The floors are not: judgments say nothing of what should not have been found."""
SEED = 7
LEAST = 10
"""Queries that tuning needs: fewer say nothing of the next one."""
_ROUNDS = 2
_FACTORS = (0.0, 0.5, 0.75, 1.33, 2.0, 4.0)
_LEAPS = 40  # profiles with every weight moved at random: steps of one weight alone stop at the nearest hill
_LEAST_GAIN = 1e-4
TRIALS = _ROUNDS * len(TUNED) * len(_FACTORS) + _LEAPS

Progress = Callable[[int, int], None]
"""(profiles tried, of so many at most)."""


@dataclass(frozen=True, slots=True)
class Question:
    """A judged query with its candidates, gathered once: ranking them again asks neither model nor index."""

    judged: Judged
    found: Candidates


@dataclass(frozen=True, slots=True)
class Tuned:
    """What the search came to; the rows of numbers are those of the half that it never saw, a query a row."""

    profile: Profile
    tried: int
    cancelled: bool
    learned_on: int
    before: Table
    after: Table


def placed(searcher: Searcher, questions: Sequence[Question], profile: Profile, now: int | None) -> list[list[int]]:
    """What a profile finds for each question, best first; `now`: the moment that ages are counted from."""
    return [searcher.ids(one.found, limit=metrics.DEPTH, profile=profile, now=now) for one in questions]


def table(searcher: Searcher, questions: Sequence[Question], profile: Profile, now: int | None) -> Table:
    """The metrics of each question (questions, metrics)."""
    found = placed(searcher, questions, profile, now)
    return measured([one.judged for one in questions], found)


def measured(judged: Sequence[Judged], found: Sequence[Sequence[int]]) -> Table:
    """The metrics of what was found for each judged query (queries, metrics)."""
    import numpy as np

    return np.array([metrics.row(ids, one.relevant) for one, ids in zip(judged, found, strict=True)])


def tune(
    searcher: Searcher,
    questions: Sequence[Question],
    base: Profile,
    *,
    now: int,
    seed: int = SEED,
    on_progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Tuned:
    """Search on a half drawn by the seed, report on the other. The same questions and seed come to the same."""
    import numpy as np

    random = np.random.default_rng(seed)
    order = random.permutation(len(questions))
    half = (len(questions) + 1) // 2
    learn, report = ([questions[at] for at in part] for part in (order[:half], order[half:]))
    best, score, tried = base, float(table(searcher, learn, base, now).mean()), 0
    stopped = False
    for move in _moves(random):
        if stopped := cancelled is not None and cancelled():
            break
        candidate = move(best)
        tried += 1
        if candidate != best and (value := float(table(searcher, learn, candidate, now).mean())) > score + _LEAST_GAIN:
            best, score = candidate, value
        if on_progress is not None:
            on_progress(tried, TRIALS)
    before, after = (table(searcher, report, profile, now) for profile in (base, best))
    return Tuned(best, tried, stopped, len(learn), before, after)


def regressed(tuned: Tuned) -> list[str]:
    """The metrics that the half which was not learned from has less of than before."""
    before, after = metrics.means(tuned.before), metrics.means(tuned.after)
    return [name for name in metrics.METRICS if after[name] < before[name]]


def _moves(random: np.random.Generator) -> Iterator[Callable[[Profile], Profile]]:
    """Steps from the best profile so far: leaps first, then each weight for itself."""
    for _ in range(_LEAPS):
        factors = dict(zip(TUNED, map(float, 2 ** random.normal(0, 0.5, len(TUNED))), strict=True))
        yield partial(_scaled, factors=factors)
    for _ in range(_ROUNDS):
        for name in random.permutation(TUNED):
            for factor in _FACTORS:
                yield partial(_scaled, factors={str(name): factor})


def _scaled(profile: Profile, factors: dict[str, float]) -> Profile:
    """Some weights multiplied, within their ranges; one that is nothing starts from a step of its control."""
    values = {}
    for name, factor in factors.items():
        low, high, step = RANGES[name]
        own = getattr(profile, name) or (step if factor > 1 else 0.0)
        values[name] = round(min(max(own * factor, low), high), 4)
    return replace(profile, **values)  # type: ignore[arg-type]  # all of them are numbers
