"""The lab: several ways side by side, nothing stored until one is adopted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.compress.double import Double
from tui_memory import Memory
from tui_memory.engine.lab import Lab
from tui_memory.errors import NotFoundError, UsageError


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    """A running double of Ollama."""
    with Double() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A store with one turn, which is compressed by rule."""
    where = {"session_id": "s", "cwd": "/home/dev/orderly"}
    prompt = "Charging retries double charge. One idempotency key per order?"
    memory.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": prompt})
    said = "PaymentService.charge made a fresh key for every attempt. Now the key is order-7, one key per order."
    memory.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": said})
    memory.compressing.drain(None)
    return memory


def lab(memory: Memory) -> tuple[Lab, list[int]]:
    """A lab, and all observations."""
    return Lab(memory.store, memory.settings), [item.id for item in memory.observations()]


def test_configurations_side_by_side_and_nothing_stored(told: Memory, double: Double) -> None:
    bench, ids = lab(told)
    before = told.memories(state="all")
    steps: list[tuple[str, int, int]] = []
    rules, model = bench.run(ids, ["extractive", "ollama:inventor"], on_progress=lambda *step: steps.append(step))
    assert steps == [("extractive", 1, 1), ("ollama:inventor", 1, 1)]
    by_rule, by_model = rules.public(), model.public()
    assert (by_rule["tokens_in"], by_rule["flagged"], by_rule["failures"]) == (0, [], [])
    assert by_model["tokens_in"] > 0 and by_model["tokens_out"] > 0
    assert any("gateway_v2" in word for word in by_model["flagged"])
    assert 0 < by_model["retained"] <= 1 and by_model["ratio"] > 0
    assert by_model["memories"][0]["sources"] == sorted(ids)
    assert told.memories(state="all") == before


def test_a_way_that_fails_says_so_and_hides_behind_no_other(told: Memory, double: Double) -> None:
    bench, ids = lab(told)
    (column,) = bench.run(ids, ["ollama:prose"])
    assert column.public()["memories"] == []
    assert "prose" in column.public()["failures"][0]
    assert bench.adopt(column).renewed == []


def test_what_is_adopted_is_a_new_version_that_undo_takes_back(told: Memory, double: Double) -> None:
    (before,) = told.memories()
    bench, ids = lab(told)
    (column,) = bench.run(ids, ["ollama:good"])
    assert bench.adopt(column).renewed == [before.id]
    (after,) = told.memories()
    assert (after.id, after.made_by.model) == (before.id, "good")
    told.undo()
    assert told.memories()[0].made_by.route == "extractive"


def test_only_the_chosen_observations_are_compressed(told: Memory, double: Double) -> None:
    bench, ids = lab(told)
    bench.run([max(ids)], ["ollama:good@event"])
    assert "Charging retries" not in double.asked[0]["messages"][1]["content"]


def test_a_run_that_is_cancelled_ends_the_call(told: Memory, double: Double) -> None:
    bench, ids = lab(told)
    asked = iter([False, True])
    (column,) = bench.run(ids, ["ollama:slow"], cancelled=lambda: next(asked, True))
    assert column.cancelled and column.results == []


@pytest.mark.parametrize("name", ["gpt", "extractive@day", "ollama:good@session", "ollama:"])
def test_a_configuration_that_does_not_exist_is_a_mistake(told: Memory, name: str) -> None:
    bench, ids = lab(told)
    with pytest.raises(UsageError, match="Nothing was compressed"):
        bench.run(ids, [name])


def test_observations_that_do_not_exist_are_named(told: Memory) -> None:
    bench, ids = lab(told)
    with pytest.raises(NotFoundError, match="#99"):
        bench.run([*ids, 99], ["extractive"])
    with pytest.raises(UsageError, match="at least one observation"):
        bench.run([], ["extractive"])


def test_an_estimate_comes_before_a_selection_is_compressed(told: Memory) -> None:
    bench, ids = lab(told)
    estimate = bench.estimate(ids)
    assert estimate.turns == 1
    assert 1_000 < estimate.tokens < 2_000
