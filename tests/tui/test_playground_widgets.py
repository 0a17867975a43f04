"""The Playground's own widgets, without a terminal: tracks, sliders, moves, charts."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tests.tui.fake import memory
from tui_memory.retrieve.profile import DEFAULT, RANGES, Profile
from tui_memory.retrieve.result import Hit
from tui_memory.retrieve.standing import Out
from tui_memory.tui.screens import playground_rows
from tui_memory.tui.widgets import evaluation_chart, weight_slider
from tui_memory.tui.widgets.evaluation_chart import METRICS, Figures

VALUES = DEFAULT.as_dict()
FIGURES = Figures("default", 42, {name: (0.81, 0.75, 0.87) for name in METRICS})
FORMER = Figures("older", 40, {name: (0.74, 0.6, 0.8) for name in METRICS})


def every() -> list[weight_slider.Weight]:
    """Every weight of the default profile."""
    return weight_slider.weights(VALUES, VALUES, ())


@pytest.mark.parametrize("weight", every(), ids=lambda weight: weight.name)
def test_a_weight_keeps_to_its_range_and_every_place_of_it_makes_a_profile(weight: weight_slider.Weight) -> None:
    low, high, _ = weight.range
    values = [weight.placed(share / 10) for share in range(-2, 13)]
    values += [weight.moved(steps, big) for steps in (-99999, -1, 1, 99999) for big in (False, True)]
    for value in values:
        Profile.from_dict(weight_slider.put(VALUES, weight.name, value))
        assert 0 <= weight.at(value) <= 1
    if weight.name != "fusion":
        assert min(values) == low and max(values) == high
    assert weight.says and len(weight.written) <= 6
    assert weight.moved(1, big=False) != weight.value or weight.value == high


@pytest.mark.parametrize(
    ("rule", "short", "said"),
    [("near", 0.004, "just too little to do with it"), ("near", 0.02, "too little to do with it by 0.02"),
     ("threshold", 0.001, "just below the threshold"), ("cap", 0.0, "over the cap")],
)  # fmt: skip
def test_what_kept_a_memory_out_says_by_how_much_or_that_it_was_close(rule: str, short: float, said: str) -> None:
    out = Out(Hit(1, 0.5, {}, memory(1)), rule, short, 12)
    shown = playground_rows.draw(playground_rows.Kept(out, None), 100, 1.0)
    assert said in [cell.text for cell in shown]


def test_the_line_above_what_is_kept_out_fits_the_narrowest_list() -> None:
    (cell,) = playground_rows.draw(playground_rows.Line(0.25), 34, 1.0)
    assert cell.text == "── kept out · threshold 0.25 ─────"


def test_every_number_of_a_profile_and_every_kind_has_a_slider() -> None:
    names = {weight.name for weight in every()}
    assert names >= {*RANGES, "fusion"} and sum(name.startswith("half_life.") for name in names) == 10


@pytest.mark.parametrize("width", [0, 1, 20, 29, 40, 200])
def test_a_sliders_row_is_as_wide_as_it_says(width: int) -> None:
    for weight in every():
        wide = weight_slider.track_width(width)
        assert sum(cell_len(text) for text, _ in weight_slider.track(weight, wide)) == wide


def test_a_track_shows_the_knob_and_where_the_profile_has_it() -> None:
    moved = weight_slider.Weight(0, "dense", 0.8, 0.2)
    drawn = "".join(text for text, _ in weight_slider.track(moved, 11))
    assert drawn == "━━┊━━━━━●──"
    still = weight_slider.Weight(0, "dense", 0.5, 0.5, idle=True)
    assert "".join(text for text, _ in weight_slider.track(still, 11)) == "━━━━━○─────"
    row = weight_slider.draw(moved, 40)
    assert [row[2].text, row[3].text] == ["0.80", "*"] and weight_slider.draw(still, 40)[3].text == "▲"


def test_moves_are_written_with_a_glyph_and_a_number() -> None:
    assert [playground_rows.move(by)[0] for by in (2, -1, 0, playground_rows.NEW, None)] == ["▲2", "▼1", "—", "new", ""]
    assert [playground_rows.mark(said)[0] for said in (True, False, None)] == ["r", "i", "·"]


def test_a_chart_has_mean_interval_and_the_figure_before() -> None:
    drawn = "".join(text for text, _ in evaluation_chart.track((0.5, 0.2, 0.8), 0.3, 12))
    assert drawn == "──├○━━●━━┤──"
    said = "".join(text for text, _ in evaluation_chart.number((0.81, 0.75, 0.87), 0.74))
    assert said == "0.81 ±.06 ▲ was 0.74"
    assert "▼ was 0.90" in "".join(text for text, _ in evaluation_chart.number((0.81, 0.75, 0.87), 0.90))


@pytest.mark.parametrize("size", [(10, 3), (32, 6), (36, 12), (60, 20)])
def test_a_chart_is_drawn_at_any_size(size: tuple[int, int]) -> None:
    plain = evaluation_chart.chart(FIGURES, FORMER, *size).plain
    assert all(name in plain for name in METRICS) and "42 queries" in plain and "was 0.74" in plain
    assert ("●" in plain) is (size[0] >= 48 or size[1] > 10)


def test_figures_come_back_from_what_was_kept_or_not_at_all() -> None:
    assert Figures.recalled(FIGURES.kept()) == FIGURES
    for wrong in (None, 3, {}, {"name": "x", "queries": 1, "metrics": {"mrr": [1]}}, FIGURES.kept() | {"queries": "x"}):
        assert Figures.recalled(wrong) is None
