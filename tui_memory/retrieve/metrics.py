"""How good a ranking is, by what a person said is relevant; and how sure that is, by drawing the queries again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.float64]

METRICS = ("recall@5", "recall@10", "precision@5", "mrr", "ndcg@10")
"""The names, in the order of every row of numbers here."""
DEPTH = 50
"""How many places of a ranking are looked at; only mrr sees those beyond the tenth."""
_DRAWS = 2000
_SEED = 20_261


def row(found: Sequence[int], relevant: frozenset[int]) -> tuple[float, ...]:
    """The metrics of one query, 0..1: the ids found, best first, beside the relevant ones (at least one)."""
    hits = [id_ in relevant for id_ in found[:DEPTH]]
    first = next((place for place, hit in enumerate(hits, 1) if hit), 0)
    ideal = _gain([True] * min(len(relevant), 10))
    return (
        sum(hits[:5]) / len(relevant),
        sum(hits[:10]) / len(relevant),
        sum(hits[:5]) / 5,
        1 / first if first else 0.0,
        _gain(hits[:10]) / ideal,
    )


def interval(found: Sequence[int], relevant: frozenset[int]) -> dict[str, tuple[float, float]]:
    """The 95 % interval of one query's metrics, by drawing its relevant memories again: what was judged is a sample.

    One relevant memory says nothing of others: both ends are then the metric itself.
    """
    import numpy as np

    ids = sorted(relevant)
    places = np.array([found.index(id_) + 1 if id_ in found[:DEPTH] else 0 for id_ in ids], dtype=np.int64)
    drawn = np.random.default_rng(_SEED).integers(0, len(ids), (_DRAWS, len(ids)))
    counts = np.zeros((_DRAWS, len(ids)))
    np.add.at(counts, (np.arange(_DRAWS)[:, None], drawn), 1)
    rows = _drawn_rows(counts, places)
    low, high = np.percentile(rows, [2.5, 97.5], axis=0)
    return {name: (round(float(low[at]), 4), round(float(high[at]), 4)) for at, name in enumerate(METRICS)}


def _drawn_rows(counts: Table, places: NDArray[np.int64]) -> Table:
    """The metrics of each draw (draws, metrics); `counts`: how often each relevant memory was drawn, (draws, n)."""
    import numpy as np

    whole = counts.sum(axis=1)
    within = {depth: counts[:, (places > 0) & (places <= depth)].sum(axis=1) for depth in (5, 10)}
    there = np.where((counts > 0) & (places > 0), places, np.inf)
    discounts = np.where((places > 0) & (places <= 10), 1 / np.log2(np.maximum(places, 1) + 1), 0.0)
    best = 1 / np.log2(np.arange(2, 12))
    ordered = -np.sort(-counts, axis=1)[:, :10]
    ideal = (ordered * best[: ordered.shape[1]]).sum(axis=1)
    gains = (counts * discounts).sum(axis=1) / ideal
    reciprocal = 1 / there.min(axis=1)
    return np.stack([within[5] / whole, within[10] / whole, within[5] / 5, reciprocal, gains], axis=1)


def _gain(hits: Sequence[bool]) -> float:
    """Discounted cumulative gain of places that are relevant or not."""
    return sum(1 / math.log2(place + 1) for place, hit in enumerate(hits, 1) if hit)


def means(rows: Table) -> dict[str, float]:
    """The mean of each metric over the queries (rows)."""
    return {name: round(float(value), 4) for name, value in zip(METRICS, rows.mean(axis=0), strict=True)}


def intervals(rows: Table) -> dict[str, tuple[float, float]]:
    """The 95 % interval of each metric's mean, by drawing the queries again with replacement; always the same draws."""
    import numpy as np

    drawn = np.stack(list(_drawn_means(rows)))
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return {name: (round(float(low[at]), 4), round(float(high[at]), 4)) for at, name in enumerate(METRICS)}


def _drawn_means(rows: Table) -> Iterator[Table]:
    import numpy as np

    random = np.random.default_rng(_SEED)
    for _ in range(_DRAWS):
        yield rows[random.integers(0, len(rows), len(rows))].mean(axis=0)
