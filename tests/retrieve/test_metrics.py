"""The metrics of a ranking, by hand, and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tui_memory.retrieve import metrics


def measured(found: list[int], relevant: set[int]) -> dict[str, float]:
    """A query's metrics by name."""
    return dict(zip(metrics.METRICS, metrics.row(found, frozenset(relevant)), strict=True))


def test_a_perfect_ranking_has_all_of_everything() -> None:
    found = measured([3, 1, 9, 8, 7], {1, 3})
    assert (found["recall@5"], found["recall@10"], found["mrr"], found["ndcg@10"]) == (1, 1, 1, 1)
    assert found["precision@5"] == pytest.approx(2 / 5)


def test_places_count_as_the_formulas_say() -> None:
    found = measured([9, 1, 8, 7, 6, 5, 4, 2], {1, 2, 3, 33})
    assert found["recall@5"] == 1 / 4
    assert found["recall@10"] == 2 / 4
    assert found["mrr"] == 1 / 2
    gained = 1 / math.log2(3) + 1 / math.log2(9)
    assert found["ndcg@10"] == pytest.approx(gained / sum(1 / math.log2(place + 1) for place in (1, 2, 3, 4)))


def test_nothing_found_is_nothing() -> None:
    assert set(measured([], {1}).values()) == {0}


def test_an_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    rows = np.array([metrics.row([1, 2, 3], frozenset([one])) for one in (1, 2, 3, 4, 1, 2)])
    first, mean = metrics.intervals(rows), metrics.means(rows)
    for name, (low, high) in first.items():
        assert 0 <= low <= mean[name] <= high <= 1
    assert first["recall@5"][0] < first["recall@5"][1]
    assert metrics.intervals(rows) == first


def test_a_single_query_has_an_interval_of_no_width() -> None:
    rows = np.array([metrics.row([1], frozenset([1]))])
    assert metrics.intervals(rows)["mrr"] == (1.0, 1.0)


def test_a_querys_interval_holds_its_metrics_and_is_a_point_for_one_relevant_memory() -> None:
    found = [9, 1, 8, 2, 7, 6, 3, 5, 4, 10]
    relevant = frozenset({1, 2, 3, 99})
    for name, value in zip(metrics.METRICS, metrics.row(found, relevant), strict=True):
        low, high = metrics.interval(found, relevant)[name]
        assert low <= value <= high and (low < high or name == "mrr"), name
    assert metrics.interval(found, relevant) == metrics.interval(found, relevant)
    alone = frozenset({2})
    assert [metrics.interval(found, alone)[name] for name in metrics.METRICS] == [
        (round(value, 4), round(value, 4)) for value in metrics.row(found, alone)
    ]
    assert set(metrics.interval([], alone).values()) == {(0.0, 0.0)}
