"""The Playground over the real engine, by words alone: every key, and what it left in the store."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.tui.conftest import settle
from tests.tui.playing import ask, hits, home, judge_all, opened, press, room, rows, value
from tests.tui.reading import screen_text, toasts, whole
from tests.tui.test_engine import Quiet
from tui_memory.engine.memory import Memory
from tui_memory.retrieve.profile import DEFAULT
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.screens.playground_rows import Kept, Line, Pair, Ranked
from tui_memory.tui.widgets.detail import Detail

__all__ = ["home"]


async def test_a_weight_that_moves_ranks_again_without_asking_and_marks_what_moved(home: Path) -> None:
    async with opened(home) as pilot:
        await ask(pilot)
        before, asked = hits(pilot), room(pilot).given.asked  # type: ignore[union-attr]
        assert before[:2] == [2, 1]
        await press(pilot, "p", "j", "j", "j", *["H"] * 10, *["j", *["H"] * 10] * 3, *["k"] * 4, *["L"] * 10)
        assert (value(pilot, "names"), value(pilot, "coverage"), value(pilot, "lexical")) == (0, 0, 1)
        assert room(pilot).given.asked is asked  # type: ignore[union-attr]
        shown = screen_text(pilot)
        assert hits(pilot)[0] == 1 and "▲1" in shown and "▼1" in shown
        assert "profile · default*" in shown and "ranked in" in shown


async def test_left_and_right_are_a_step_shift_a_tenth_and_equals_goes_back(home: Path) -> None:
    async with opened(home, "escape", "p", "right", "right", "left") as pilot:
        assert value(pilot, "dense") == pytest.approx(DEFAULT.dense + 0.01)
        await press(pilot, "shift+right")
        assert value(pilot, "dense") == pytest.approx(DEFAULT.dense + 0.11)
        await press(pilot, "shift+left", "h", "h")
        assert value(pilot, "dense") == pytest.approx(DEFAULT.dense - 0.01)
        await press(pilot, "equals_sign")
        assert value(pilot, "dense") == DEFAULT.dense and not room(pilot).weights.changed
        await press(pilot, *["shift+left"] * 12)
        assert value(pilot, "dense") == 0


async def test_every_setting_of_a_profile_is_a_slider(home: Path) -> None:
    async with opened(home, "escape", "p") as pilot:
        sliders = room(pilot).sliders
        names = {sliders.source.rows[at].name.partition(".")[0] for at in range(sliders.total)}  # type: ignore[union-attr]
        assert names == set(room(pilot).weights.values)
        for _ in range(sliders.total):
            before = room(pilot).weights.values
            await pilot.press("right" if sliders.record.value != 3650 else "left")  # type: ignore[union-attr]
            await settle(pilot)
            assert room(pilot).weights.values != before, sliders.record
            await press(pilot, "j")
        assert room(pilot).weights.profile.half_life["digest"] == 65


async def test_the_mouse_drags_a_weight(home: Path) -> None:
    async with opened(home, "escape") as pilot:
        sliders = room(pilot).sliders
        await pilot.mouse_down("#weights", offset=(16, 3))
        await pilot.hover("#weights", offset=(22, 3))
        await settle(pilot)
        await pilot.mouse_up("#weights", offset=(22, 3))
        await settle(pilot)
        assert sliders.cursor == 2
        assert value(pilot, "lexical") > 0.05


async def test_a_depth_is_asked_anew_with_the_same_vector(home: Path) -> None:
    async with opened(home) as pilot:
        await ask(pilot)
        room(pilot).weigh({**room(pilot).weights.values, "depth": 20.0})
        await settle(pilot)
        assert room(pilot).given.asked.depth == 20  # type: ignore[union-attr]


async def test_below_the_threshold_stands_what_was_kept_out_and_by_how_much(home: Path) -> None:
    async with opened(home, size=(200, 50)) as pilot:
        await ask(pilot)
        top = room(pilot).listing.record.hit.score  # type: ignore[union-attr]
        threshold = round(min(top - 0.01, 1.0), 2)
        room(pilot).weigh({**room(pilot).weights.values, "threshold": threshold})
        await settle(pilot)
        shown = screen_text(pilot)
        assert f"threshold {threshold:.2f}" in shown and "below the threshold by" in shown
        kept = [row for row in rows(pilot) if isinstance(row, Kept)]
        assert kept and any(isinstance(row, Line) for row in rows(pilot))
        room(pilot).listing.go(rows(pilot).index(kept[0]))
        await press(pilot, "w")
        assert "below the threshold of" in whole(pilot) and "would let it in" in whole(pilot)


async def test_r_and_i_judge_and_again_takes_back(home: Path) -> None:
    async with opened(home) as pilot:
        await ask(pilot)
        query = "retry deadline stops"
        await press(pilot, "r", "j", "i")
        with Memory(home, embedding="none") as other:
            assert other.evaluating.judged(query) == {hits(pilot)[0]: True, hits(pilot)[1]: False}
        assert "”: irrelevant · e measures by it" in toasts(pilot) and "#" not in toasts(pilot)
        assert [row.judged for row in rows(pilot)[:2]] == [True, False]  # type: ignore[attr-defined]
        await press(pilot, "i", "k", "r")
        with Memory(home, embedding="none") as other:
            assert other.evaluating.judged(query) == {}
        assert "taken back" in toasts(pilot)


async def test_a_judgment_without_a_result_says_what_it_needs(home: Path) -> None:
    async with opened(home, "escape", "r") as pilot:
        assert "needs a query and a result" in toasts(pilot)


async def test_w_asks_which_and_says_which_rule_kept_it_out(home: Path) -> None:
    with Memory(home, embedding="none") as memory:
        memory.delete([9])
    async with opened(home) as pilot:
        await ask(pilot)
        await press(pilot, "w", *"9", "enter")
        await press(pilot, "enter") if not pilot.app.screen.query("LineView") else None
        assert "#9 is in the trash" in whole(pilot)
        await press(pilot, "escape", "f", "enter", "j", "enter")
        assert room(pilot).chosen == {"kind": "decision"}
        await press(pilot, "w", *"1")
        await press(pilot, "enter")
        assert "kept out by the filter kind decision: its own is bugfix" in whole(pilot)
        await press(pilot, "escape", "F", "w", *"invoice")
        await press(pilot, "enter", "enter")
        assert "#" in whole(pilot) and ("kept out" in screen_text(pilot) or "is there" in screen_text(pilot))


async def test_tab_puts_two_profiles_side_by_side(home: Path) -> None:
    async with opened(home) as pilot:
        await ask(pilot)
        away = ["j", "j", "j", *["H"] * 3, *["j", *["H"] * 4] * 3]
        await press(pilot, "p", *away, *["k"] * 4, *["L"] * 9, "escape", "tab")
        assert all(isinstance(row, Pair) for row in rows(pilot))
        first = rows(pilot)[0]
        assert isinstance(first, Pair) and (first.left.id, first.right.id, first.move) == (2, 1, 1)  # type: ignore[union-attr]
        assert "A default · B default*" in screen_text(pilot)
        await press(pilot, "tab")
        assert isinstance(rows(pilot)[0], Ranked)


async def test_tab_asks_for_the_other_profile_where_nothing_was_moved(home: Path) -> None:
    with Memory(home, embedding="none") as memory:
        memory.evaluating.save_profile("words", {"lexical": 1, "names": 0, "coverage": 0, "title": 0, "phrase": 0})
    async with opened(home) as pilot:
        await ask(pilot)
        await press(pilot, "tab", "j", "enter")
        assert "A default · B words" in screen_text(pilot)
        first = rows(pilot)[0]
        assert isinstance(first, Pair) and (first.left.id, first.right.id) == (2, 1)  # type: ignore[union-attr]
        await press(pilot, "escape", "o", "j", "enter")
        assert room(pilot).weights.name == "words" and hits(pilot)[0] == 1


async def test_v_shows_the_text_its_tokens_by_section_and_what_was_cut(home: Path) -> None:
    async with opened(home) as pilot:
        await ask(pilot, "waits for the deadline and stops")
        await press(pilot, "v")
        account = pilot.app.screen.query_one("#account", Detail).content.plain
        assert "About this prompt" in account and "in all" in account and "Cut: " in account
        assert "#1" in whole(pilot)
        await press(pilot, "escape", "/", "escape", "escape", "v")
        assert "at a session's start" in screen_text(pilot)


async def test_filters_are_chosen_by_key_and_by_click_and_end_with_F(home: Path) -> None:
    async with opened(home) as pilot:
        await ask(pilot)
        await press(pilot, "f", "enter", "j", "enter")
        assert "kind decision" in screen_text(pilot)
        assert all(id_ % 2 == 0 for id_ in hits(pilot))
        await pilot.click("#filters")
        await settle(pilot)
        assert "Filter by" in screen_text(pilot)
        await press(pilot, "escape", "F")
        assert room(pilot).chosen == {} and 1 in hits(pilot)


@pytest.mark.parametrize("width", [60, 79])
async def test_in_a_narrow_terminal_p_shows_the_weights_and_esc_the_results(home: Path, width: int) -> None:
    async with opened(home, size=(width, 24)) as pilot:
        await ask(pilot)
        assert "dense" not in screen_text(pilot)
        await press(pilot, "p", "right")
        assert f"{DEFAULT.dense + 0.01:.2f}" in screen_text(pilot)
        await pilot.resize_terminal(140, 40)
        await settle(pilot)
        assert room(pilot).sliders.has_focus and "results" in screen_text(pilot)
        await pilot.resize_terminal(width, 24)
        await press(pilot, "escape")
        assert "profile" not in screen_text(pilot) and "result" in screen_text(pilot)


async def test_what_an_empty_list_says_are_keys_that_work_where_the_focus_is(home: Path) -> None:
    async with opened(home) as pilot:
        assert "/ writes the query" in screen_text(pilot) and "esc leaves the box" not in screen_text(pilot)
        await press(pilot, "slash")
        assert "esc leaves the box" in screen_text(pilot) and "/ writes" not in screen_text(pilot)


async def test_weights_filters_and_the_last_figures_come_back(home: Path) -> None:
    from tui_memory.store import ui_state

    judge_all(home)
    async with opened(home, "escape", "p", "right", "escape", "e", "f", "enter", "j", "enter") as pilot:
        cast(TuiMemoryApp, pilot.app).keep()
        await settle(pilot)
    app = TuiMemoryApp(lambda: Quiet(home, embedding="none"), home, kept=ui_state.read(home))
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        shown = screen_text(pilot)
        assert "profile · default*" in shown and f"{DEFAULT.dense + 0.01:.2f}" in shown
        assert "kind decision" in shown and "12 queries" in shown


@pytest.mark.parametrize("broken", [3, "x", {"weights": {"name": 7, "changed": {"dense": "much"}}, "evaluation": [1]}])
async def test_what_was_kept_and_makes_no_sense_is_left_out(home: Path, broken: object) -> None:
    from tui_memory.store.ui_state import Kept

    plain = broken if isinstance(broken, dict) else {"weights": broken, "evaluation": broken}
    kept = Kept({"app": {"screen": "playground"}, "playground": plain}, {"playground": {"filters": {"since": "x"}}})
    app = TuiMemoryApp(lambda: Quiet(home, embedding="none"), home, kept=kept)
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        assert "profile · default" in screen_text(pilot) and value(pilot, "dense") == DEFAULT.dense
