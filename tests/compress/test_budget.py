"""A day's budget stops a model, not the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compress.make import settings
from tests.compress.test_router import Fixed, a_turn
from tui_memory.compress.budget import Budget
from tui_memory.compress.router import Router
from tui_memory.store.db import Store


def test_what_a_model_was_asked_is_counted(tmp_path: Path) -> None:
    budget = Budget(Store(tmp_path), settings().compress)
    for _ in range(2):
        budget.spend("m", calls=1, tokens_in=100, tokens_out=20, ms=1_500)
    assert budget.spent() == (2, 240, 3.0)
    assert budget.stop() == ""


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ({"calls_per_day": 1}, "1 model calls"),
        ({"tokens_per_day": 120}, "120 tokens"),
        ({"seconds_per_day": 1}, "1 seconds"),
    ],
)
def test_each_limit_stops_with_a_note(tmp_path: Path, limit: dict[str, int], says: str) -> None:
    budget = Budget(Store(tmp_path), settings(**limit).compress)
    budget.spend("m", calls=1, tokens_in=100, tokens_out=20, ms=1_500)
    assert says in budget.stop()


def test_a_spent_budget_sends_turns_to_the_next_route(tmp_path: Path) -> None:
    wanted = settings(calls_per_day=2)
    route = Fixed("a")
    router, budget = Router(wanted, routes=[route]), Budget(Store(tmp_path), wanted.compress)
    routes = [router.compress(a_turn(), budget).route for _ in range(4)]
    assert routes == ["a", "a", "extractive", "extractive"]
    assert route.asked == 2


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ({"calls_per_session": 1}, "1 model calls a session"),
        ({"tokens_per_session": 120}, "120 tokens a session"),
        ({"seconds_per_session": 1}, "1 seconds of model time a session"),
    ],
)
def test_one_session_cannot_take_it_all(tmp_path: Path, limit: dict[str, int], says: str) -> None:
    budget = Budget(Store(tmp_path), settings(**limit).compress)
    budget.spend("m", calls=1, tokens_in=100, tokens_out=20, ms=1_500, session_id=1)
    assert says in budget.stop(1)
    assert budget.stop(2) == budget.stop() == ""


def test_a_turns_cost_is_its_sessions(tmp_path: Path) -> None:
    wanted = settings(calls_per_session=1)
    router, budget = Router(wanted, routes=[Fixed("a")]), Budget(Store(tmp_path), wanted.compress)
    routes = [router.compress(a_turn(), budget).route for _ in range(2)]
    assert routes == ["a", "extractive"]
    assert budget.spent_on(1)[0] == 1


def test_how_much_of_a_day_is_spent(tmp_path: Path) -> None:
    budget = Budget(Store(tmp_path), settings(calls_per_day=4, tokens_per_day=160).compress)
    budget.spend("m", calls=1, tokens_in=100, tokens_out=20, ms=1_500)
    assert budget.share() == 0.75


def test_failures_cost_as_well(tmp_path: Path) -> None:
    from tui_memory.errors import CompressError

    wanted = settings()
    budget = Budget(Store(tmp_path), wanted.compress)
    Router(wanted, routes=[Fixed("a", CompressError("prose"))]).compress(a_turn(), budget)
    assert budget.spent()[0] == 1
