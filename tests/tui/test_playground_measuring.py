"""Measuring and tuning in the Playground: the evaluation, the search for better weights, profiles."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from tests.tui.conftest import settle
from tests.tui.playing import SUBJECTS, home, judge_all, opened, press, room, value
from tests.tui.reading import screen_text, toasts, whole
from tui_memory.engine.memory import Memory
from tui_memory.retrieve.profile import DEFAULT

__all__ = ["home"]


async def test_e_draws_the_evaluation_beside_the_one_before(home: Path) -> None:
    judge_all(home)
    async with opened(home, "escape", "e") as pilot:
        shown = screen_text(pilot)
        assert "default · 12 queries" in shown and "recall@5" in shown and "±" in shown and "─●" in shown
        await press(pilot, "p", "j", "j", *["L"] * 10, "escape", "e")
        shown = screen_text(pilot)
        assert "default* · 12 queries · was default" in shown and "was " in shown
        await press(pilot, "E")
        assert "retry waits deadline stops" in whole(pilot) and "[" in whole(pilot)


async def test_e_with_nothing_judged_says_how(home: Path) -> None:
    async with opened(home, "escape", "e") as pilot:
        assert "needs 1 judged query" in " ".join(screen_text(pilot).replace("│", " ").split())


@pytest.mark.parametrize(("key", "needed"), [("e", "1 judged query"), ("t", "10 judged queries")])
async def test_with_too_few_judgments_the_keys_that_judge_are_named(home: Path, key: str, needed: str) -> None:
    async with opened(home, "escape", key) as pilot:
        shown = " ".join(screen_text(pilot).replace("│", " ").split())
        assert "Too few judged queries" in shown and f"needs {needed}; there are 0" in shown
        assert "r (it answers) and i (it does not)" in shown
        assert not any(word in shown for word in ("Not understood", "--queries", "tui-memory judge"))


async def test_t_searches_and_what_is_better_goes_to_the_sliders_or_is_saved(home: Path) -> None:
    judge_all(home)
    with Memory(home, embedding="none") as memory:
        memory.evaluating.save_profile(
            "wrong", {"lexical": 0.02, "names": 1, "coverage": 0.05, "title": 0, "phrase": 0}
        )
    async with opened(home, "escape", "o", "j", "enter", "t") as pilot:
        shown = screen_text(pilot)
        assert "Better, and nothing worse" in shown and "before" in shown
        await press(pilot, "enter")
        assert room(pilot).weights.title == "wrong*"
        await press(pilot, "escape", "o", "enter", "o", "j", "enter", "t", "s")
        pilot.app.screen.query_one("#name", Input).value = "mended"
        await press(pilot, "enter")
        assert "Saved the profile mended" in toasts(pilot) and room(pilot).weights.title == "mended"
    with Memory(home, embedding="none") as memory:
        assert "mended" in [one.name for one in memory.evaluating.profiles()]


async def test_t_refuses_what_gained_nothing(home: Path) -> None:
    with Memory(home, embedding="none") as memory:
        for at, subject in enumerate(SUBJECTS):
            memory.evaluating.judge(f"{subject} deadline stops", 2 * at + 2, relevant=True)
    async with opened(home, "escape", "t", "s") as pilot:
        assert "No better weights were found" in screen_text(pilot)
        assert "Nothing was saved" in toasts(pilot)
        await press(pilot, "escape")
        assert pilot.app.screen is room(pilot)


async def test_esc_stops_a_tuning_and_nothing_is_changed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tui_memory.engine.evaluating import Evaluating

    search = Evaluating.tune

    def until_stopped(evaluating: Evaluating, *, cancelled: Callable[[], bool], **wanted: Any) -> Any:
        while not cancelled():
            time.sleep(0.01)
        return search(evaluating, cancelled=cancelled, **wanted)

    monkeypatch.setattr(Evaluating, "tune", until_stopped)
    judge_all(home)
    async with opened(home, "escape") as pilot:
        await pilot.press("t")
        await pilot.press("escape")
        await settle(pilot)
        assert "Stopped before its end" in screen_text(pilot)
        await press(pilot, "s")
        assert "Nothing was saved" in toasts(pilot)


async def test_s_saves_the_sliders_under_a_name(home: Path) -> None:
    async with opened(home, "escape", "p", "right", "escape", "s", *"mine", "enter") as pilot:
        assert "Saved the profile mine" in toasts(pilot)
        assert "profile · mine" in screen_text(pilot) and not room(pilot).weights.changed
    with Memory(home, embedding="none") as memory:
        assert memory.evaluating.profile("mine").values == {"dense": pytest.approx(DEFAULT.dense + 0.01)}


async def test_a_name_that_is_taken_is_refused_and_nothing_is_lost(home: Path) -> None:
    async with opened(home, "escape", "p", "right", "escape", "s", *"default", "enter") as pilot:
        assert "program's own" in toasts(pilot)
        assert value(pilot, "dense") == pytest.approx(DEFAULT.dense + 0.01)
