"""lab: figures and memories of each way, and the one that is adopted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.shell import Shell
from tests.compress.double import Double
from tui_memory.engine.memory import Memory


@pytest.fixture(autouse=True)
def captured(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two observations of a turn, and a double of Ollama."""
    where = {"session_id": "s", "cwd": "/home/dev/orderly"}
    prompt = "Charging retries double charge. One idempotency key per order?"
    memory.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": prompt})
    said = "PaymentService.charge made a fresh key for every attempt. Now the key is order-7, one key per order."
    memory.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": said})
    with Double() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield


def test_it_shows_each_way_and_stores_nothing(shell: Shell, memory: Memory) -> None:
    answer = shell("lab", "--observations", "1", "2", "--config", "extractive", "ollama:inventor")
    assert answer.code == 0, answer.err
    assert "extractive · 1 memory · 0 → 0 tokens" in answer.out
    assert "ollama:inventor · 1 memory" in answer.out
    assert "taken out: " in answer.out
    assert "Nothing was stored" in answer.err
    assert memory.count(state="all") == 0


def test_one_can_be_adopted(shell: Shell, memory: Memory) -> None:
    answer = shell("lab", "--observations", "1", "2", "--adopt", "ollama:good")
    assert answer.out.endswith("Adopted ollama:good: 0 memories renewed, 1 new · tui-memory undo takes it back\n")
    found = shell(
        "lab", "--observations", "1", "2", "--config", "ollama:prose", "--adopt", "ollama:good", "--json"
    ).json
    assert [column["config"] for column in found["columns"]] == ["ollama:prose", "ollama:good"]
    assert "prose" in found["columns"][0]["failures"][0]
    assert found["adopted"] == {"renewed": [1], "made": []}


def test_what_ails_every_turn_is_said_once(shell: Shell, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.capture(
        "claude-code",
        {"session_id": "t", "cwd": "/home/dev/orderly", "hook_event_name": "UserPromptSubmit", "prompt": "Why twice?"},
    )
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    ids = [str(id_) for id_ in range(1, memory.stats()["stored"] + 1)]
    said = shell("lab", "--observations", *ids, "--config", "ollama:good").out
    assert said.count("No Ollama answers") == 1 and "failed, 2 of 2:" in said and "next route" not in said


def test_mistakes_are_named(shell: Shell) -> None:
    for words, says in (
        ((), "--observations"), (("--observations", "1"), "--config"),
        (("--observations", "9", "--config", "extractive"), "#9"), (("--observations", "1", "--config", "x"), "“x”"),
    ):  # fmt: skip
        answer = shell("lab", *words)
        assert answer.code in (2, 3) and says in answer.err
