"""Profiles: every number in its range, every mistake named."""

from __future__ import annotations

import numpy as np
import pytest

from tui_memory.errors import ConfigError
from tui_memory.retrieve.fusion import fuse, min_max
from tui_memory.retrieve.profile import DEFAULT, RANGES, Profile


def test_a_profile_goes_to_a_mapping_and_back() -> None:
    changed = Profile.from_dict({"dense": 0.5, "fusion": "rank", "half_life": {"bugfix": 30}})
    assert Profile.from_dict(changed.as_dict()) == changed
    assert changed.half_life["bugfix"] == 30
    assert changed.half_life["decision"] == DEFAULT.half_life["decision"]


def test_every_default_is_in_its_range() -> None:
    assert all(allowed.low <= getattr(DEFAULT, name) <= allowed.high for name, allowed in RANGES.items())


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"dens": 1}, "did you mean dense"),
        ({"dense": 2}, "from 0 to 1"),
        ({"dense": "much"}, "must be a number"),
        ({"dense": True}, "must be a number"),
        ({"dense": float("nan")}, "must be a number"),
        ({"fusion": "magic"}, "weighted, rank"),
        ({"half_life": 3}, "map kinds to days"),
        ({"half_life": {"bug": 3}}, "did you mean bugfix"),
        ({"half_life": {"bugfix": 0}}, "from 1 to 3650"),
    ],
)
def test_a_mistake_is_named(values: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Profile.from_dict(values)


def signals(**values: list[float]) -> dict[str, np.ndarray]:
    """Signals of candidates; what is not given is nought."""
    size = len(next(iter(values.values())))
    every = dict.fromkeys(("lexical", "names", "coverage", "title", "phrase", "context"), [0.0] * size) | values
    return {name: np.array(numbers, dtype=np.float32) for name, numbers in every.items()}


@pytest.mark.parametrize(
    ("values", "scaled"),
    [([], []), ([0, 0], [0, 0]), ([1, 3], [0, 1]), ([3, 3], [1, 1]), ([4, 3.5], [1, 0.5])],
)
def test_values_are_scaled_and_small_differences_stay_small(values: list[float], scaled: list[float]) -> None:
    assert min_max(np.array(values, dtype=np.float32)).tolist() == pytest.approx(scaled)


def test_a_missing_signal_leaves_its_weight_to_the_others() -> None:
    given = fuse(signals(lexical=[0, 5], names=[0, 1], coverage=[0, 1], title=[0, 1], phrase=[0, 1]), DEFAULT, 3)
    assert sum(values[1] for values in given.values()) == pytest.approx(1)


def test_words_side_by_side_count_less_in_a_long_query() -> None:
    values = signals(coverage=[0, 1], phrase=[0, 1])
    asked, pasted = (fuse(values, DEFAULT, terms) for terms in (6, 120))
    assert asked["phrase"][1] > 5 * pasted["phrase"][1] > 0
    assert sum(pasted[name][1] for name in ("coverage", "phrase")) <= 1


def test_words_count_less_where_nobody_has_them() -> None:
    given = fuse(signals(dense=[0, 1], passage=[0, 1], coverage=[0.1, 0]), DEFAULT, 3)
    assert given["coverage"][0] == pytest.approx(0.1 / DEFAULT.trust * DEFAULT.coverage, rel=0.01)
    assert given["dense"][1] == pytest.approx(DEFAULT.dense, rel=0.01)


def test_ranks_instead_of_values_where_asked() -> None:
    by_rank = Profile(fusion="rank", rank_constant=1)
    given = fuse(signals(lexical=[1, 1000, 2], coverage=[1, 1, 1]), by_rank, 3)["lexical"]
    assert given[1] > given[2] > given[0] > 0
    assert given[2] / given[1] == pytest.approx(2 / 3)
