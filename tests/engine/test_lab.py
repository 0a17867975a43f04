"""The lab: several ways side by side, nothing stored until one is adopted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.compress.double import Double
from tui_memory import Memory
from tui_memory.compress import on_hand, prompts
from tui_memory.engine.lab import Estimate, Lab, Offer
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


@pytest.mark.parametrize("name", ["gpt", "extractive@day", "ollama:good+none", "ollama:", "ollama:good@turn+none"])
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


def test_a_variant_of_a_prompt_is_what_the_model_is_told(told: Memory, double: Double) -> None:
    bench, ids = lab(told)
    folder = prompts.folder()
    folder.mkdir(parents=True)
    (folder / "turn.terse.md").write_text("version: 3\nBe terse. {schema}")
    plain, terse = bench.run(ids, ["ollama:good", "ollama:good+terse"])
    assert "Be terse." not in double.asked[0]["messages"][0]["content"]
    assert "Be terse." in double.asked[1]["messages"][0]["content"]
    assert [made.body.made_by.prompt_version for made in terse.made] == [3] * len(terse.made)
    assert bench.offer().variants == ("terse",)
    assert plain.name == "ollama:good"


def test_what_is_chosen_of_a_session_can_be_compressed_as_one(told: Memory, double: Double) -> None:
    where = {"session_id": "s", "cwd": "/home/dev/orderly"}
    told.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": "Also cap the retries."})
    told.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": "Capped at 3 in pay.py"})
    bench, ids = lab(told)
    by_turn, whole = bench.run(ids, ["ollama:good", "ollama:good@session"])
    assert (len(by_turn.results), len(whole.results)) == (2, 1)
    assert "Also cap the retries." in double.asked[-1]["messages"][1]["content"]
    assert "Charging retries" in double.asked[-1]["messages"][1]["content"]


def test_a_selection_widens_to_its_turns_or_its_session(told: Memory) -> None:
    where = {"session_id": "s", "cwd": "/home/dev/orderly"}
    told.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": "Also cap the retries."})
    bench, ids = lab(told)
    first = min(ids)
    assert bench.widened([first], session=False) == sorted(ids)[:2]
    assert bench.widened([first], session=True) == sorted(ids)


def test_one_undo_takes_back_all_that_was_adopted(told: Memory, double: Double) -> None:
    where = {"session_id": "t", "cwd": "/home/dev/orderly"}
    told.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": "Why was it charged twice?"})
    told.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": "Retries had new keys."})
    told.compressing.drain(None)
    before = told.memories()
    bench, ids = lab(told)
    (column,) = bench.run(ids, ["ollama:good"])
    kept = bench.adopt(column)
    assert len(kept.renewed) + len(kept.added) == 2
    told.undo()
    assert told.memories() == before


def test_an_estimate_says_how_long_by_what_it_took_before(told: Memory, double: Double) -> None:
    bench, ids = lab(told)
    assert bench.estimate(ids).seconds is None
    bench.run(ids, ["ollama:good"])
    assert bench.estimate(ids).seconds is not None
    assert bench.estimate(ids, "extractive") == Estimate(1, 0, 0.0)


def test_what_can_be_chosen_and_what_is_missing(told: Memory, double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, _ = lab(told)
    assert "no Ollama" in bench.offer().trouble, "what answers there has no list of models"
    with monkeypatch.context() as patch:
        patch.setattr(on_hand, "models", lambda allowed: [on_hand.Model("good:latest", 1, loaded=False)])
        assert bench.offer() == Offer(("ollama:good:latest", "extractive"))
        patch.setattr(on_hand, "models", lambda allowed: [])
        assert bench.offer() == Offer(("extractive",), (), "Ollama has no model yet.")
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    assert bench.offer().routes == ("extractive",)
    assert "ollama serve" in bench.offer().trouble


def test_what_a_model_wrote_is_there_beside_what_its_sources_hold(told: Memory, double: Double) -> None:
    bench, ids = lab(told)
    (column,) = bench.run(ids, ["ollama:inventor"])
    (made,) = column.made
    assert made.written is not None and "gateway_v2" in made.written.text
    assert "gateway_v2" not in made.body.text
    assert any("gateway_v2" in word for word in column.flagged)
