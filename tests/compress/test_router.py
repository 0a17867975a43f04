"""Routes in the order of the settings, the first that works, extractive always last."""

from __future__ import annotations

import pytest

from tests.compress.make import FIXED, edited, prompt, said, settings, turn
from tui_memory.compress.made import Compressed, Cost
from tui_memory.compress.router import Router
from tui_memory.compress.turns import Turn
from tui_memory.errors import CompressError, ConfigError, ModelError, TuiMemoryError


class Fixed:
    """A route that does as it is told."""

    def __init__(self, name: str, *errors: TuiMemoryError | None) -> None:
        self.name, self.model = name, name
        self.errors, self.asked = list(errors), 0

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """Raise the next error, or answer."""
        self.asked += 1
        cost.calls += 1
        error = self.errors.pop(0) if self.errors else None
        if error:
            raise error
        return Compressed(route=self.name, model=self.model)


def a_turn() -> Turn:
    """A turn that teaches something."""
    answer, edit = FIXED
    return turn(prompt("Customers are charged twice, fix it."), edited(*edit), said(answer))


def test_the_first_that_works_is_used() -> None:
    bad, good, last = Fixed("a", CompressError("prose")), Fixed("b"), Fixed("c")
    found = Router(settings(), routes=[bad, good, last]).compress(a_turn())
    assert (found.route, found.failures) == ("b", ["a: prose"])
    assert last.asked == 0


def test_extractive_is_last_even_where_the_settings_forget_it() -> None:
    found = Router(settings(), routes=[Fixed("a", CompressError("prose"))]).compress(a_turn())
    assert found.route == "extractive"
    assert found.failures == ["a: prose"]
    assert found.made


def test_a_model_that_cannot_be_had_is_not_asked_for_every_turn() -> None:
    away = Fixed("a", ModelError("no server"))
    router = Router(settings(), routes=[away])
    assert [router.compress(a_turn()).failures for _ in range(3)] == [["a: no server"]] * 3
    assert away.asked == 1


def test_a_model_that_answered_badly_is_asked_again_for_the_next_turn() -> None:
    route = Fixed("a", CompressError("prose"), None)
    router = Router(settings(), routes=[route])
    assert [router.compress(a_turn()).route for _ in range(2)] == ["extractive", "a"]


def test_no_server_leaves_a_good_memory_and_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    found = Router(settings("ollama:qwen2.5-coder:1.5b", "extractive")).compress(a_turn())
    assert found.route == "extractive"
    assert "`ollama serve`" in found.failures[0]


def test_a_route_that_does_not_exist_is_a_mistake_in_the_settings() -> None:
    with pytest.raises(ConfigError, match=r"compress\.routes names “gpt”"):
        Router(settings("gpt"))
