"""Compression by a person's order: which way, and once more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.compress.double import Double
from tui_memory import Memory, config
from tui_memory.compress.pulling import Pulled
from tui_memory.engine.compressing import pull_model
from tui_memory.errors import ModelError, UsageError


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    """A running double of Ollama."""
    with Double() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A store with one closed turn that waits."""
    where = {"session_id": "s", "cwd": "/home/dev/orderly"}
    prompt = "Charging retries double charge. One idempotency key per order?"
    memory.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": prompt})
    said = "PaymentService.charge made a fresh key for every attempt. Now the key is order-7, one key per order."
    memory.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": said})
    return memory


def test_a_route_by_name_instead_of_the_settings(told: Memory, double: Double) -> None:
    assert told.compressing.drain(None, "ollama:good").memories == 1
    (made,) = told.memories()
    assert made.made_by.model == "good"


def test_what_was_made_by_rule_once_more_by_a_model_and_back(told: Memory, double: Double) -> None:
    told.compressing.drain(None)
    (before,) = told.memories()
    done = told.compressing.again([f"#{before.id}"], "ollama:good")
    (after,) = told.memories()
    assert done.renewed == [before.id]
    assert (before.made_by.route, after.made_by.route, after.id) == ("extractive", "ollama", before.id)
    told.undo()
    assert told.memories()[0].title == before.title


@pytest.mark.parametrize("route", ["gpt", "openai:nowhere", "ollama:"])
def test_a_route_that_does_not_exist_is_a_mistake_of_the_command(told: Memory, route: str) -> None:
    with pytest.raises(UsageError, match="is no route"):
        told.compressing.drain(None, route)


def test_a_model_is_fetched_with_its_progress(double: Double) -> None:
    seen: list[Pulled] = []
    pull_model("good", seen.append, settings=config.Settings())
    assert [(step.step, step.done, step.total) for step in seen] == [
        ("pulling manifest", 0, 0), ("pulling a", 10, 100), ("pulling b", 60, 150), ("pulling a", 150, 150),
        ("success", 150, 150),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "says"), [("absent", "cannot fetch absent"), ("broken", "broke off"), ("early", "ended early")]
)
def test_a_model_that_cannot_be_fetched_says_why(double: Double, model: str, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        pull_model(model, settings=config.Settings())


def test_without_a_server_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    with pytest.raises(ModelError, match="`ollama serve`"):
        pull_model("good", settings=config.Settings())


def test_another_machine_is_not_asked_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://gpu.invalid")
    with pytest.raises(ModelError, match=r"remote\.allowed_hosts"):
        pull_model("good", settings=config.Settings())
