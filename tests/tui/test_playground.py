"""Playground: a query, its results, and why each has its place."""

from __future__ import annotations

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import detail, screen_text, whole
from tui_memory.errors import ModelError


async def test_says_what_to_ask_before_anything_is_asked(drive: Drive) -> None:
    async with drive((100, 30), "4") as pilot:
        assert "Ask something." in screen_text(pilot)


async def test_results_come_as_you_type_with_the_sum_of_their_parts(drive: Drive) -> None:
    async with drive((140, 30), "4", "slash", *"number") as pilot:
        shown = screen_text(pilot)
        assert "30 results" in shown
        assert "meaning 0.50 + w▆ words 0.20 − a▁ age 0.03" in " ".join(shown.replace("│", " ").split())
        assert "● model warm" in shown
        assert "The text of memory 1." in detail(pilot)


async def test_without_the_model_it_says_so(drive: Drive, fake: FakeMemory) -> None:
    fake.degraded = ["model"]
    async with drive((100, 30), "4", "slash", *"number") as pilot:
        assert "▲ words only: the model is not ready" in screen_text(pilot)


async def test_v_shows_exactly_what_the_agent_is_given(drive: Drive) -> None:
    async with drive((100, 30), "4", "slash", *"number", "enter", "v") as pilot:
        assert whole(pilot) == "#1 3d bugfix given for number"
        assert "12 tokens · 1 memory" in screen_text(pilot)


async def test_a_question_without_an_answer_says_so(drive: Drive) -> None:
    async with drive((100, 30), "4", "slash", *"zebra") as pilot:
        assert "Nothing reaches the threshold." in screen_text(pilot)


async def test_a_search_that_fails_says_why_in_its_place(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "4") as pilot:
        fake.failing = ModelError("The model file is damaged. Nothing was changed; reinstall it.")
        await pilot.press("slash", *"number")
        await settle(pilot)
        assert "The model file is damaged." in screen_text(pilot)


async def test_the_profile_is_beside_it_when_there_is_room(drive: Drive) -> None:
    async with drive((140, 30), "4") as pilot:
        assert "0.62" in screen_text(pilot)


async def test_what_needs_a_result_is_no_hint_before_there_is_one(drive: Drive) -> None:
    async with drive((120, 30), "4") as pilot:
        hints = screen_text(pilot).splitlines()[-1]
        assert "/ query" in hints and "as agent" in hints and "relevant" not in hints and "why not" not in hints
        await pilot.press("slash", *"number", "enter")
        await settle(pilot)
        hints = screen_text(pilot).splitlines()[-1]
        assert "r relevant" in hints and "w why not" in hints
