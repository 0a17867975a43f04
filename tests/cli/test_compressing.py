"""compress: by which way, and once more."""

from __future__ import annotations

import pytest

from tests.cli.shell import Shell
from tests.compress.double import Double
from tui_memory.engine.memory import Memory


@pytest.fixture
def made(memory: Memory) -> int:
    """The id of a memory that was made by rule."""
    where = {"session_id": "s", "cwd": "/home/dev/orderly"}
    prompt = "Charging retries double charge. One idempotency key per order?"
    memory.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": prompt})
    said = "PaymentService.charge made a fresh key for every attempt. Now the key is order-7, one key per order."
    memory.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": said})
    memory.compressing.drain(None, "extractive")
    return memory.memories()[0].id


def test_again_gives_a_memory_a_new_version(made: int, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with Double() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        answer = shell("compress", "--route", "ollama:good", "--again", str(made))
    assert answer.out == "1 memory got a new version, 0 new · tui-memory undo takes it back\n"
    assert shell("show", str(made), "--json").json["memories"][0]["made_by"]["model"] == "good"
    assert shell("undo").code == 0
    assert shell("show", str(made), "--json").json["memories"][0]["made_by"]["route"] == "extractive"


def test_a_model_that_cannot_be_had_leaves_it_and_says_so(
    made: int, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    answer = shell("compress", "--route", "ollama:good", "--again", str(made))
    assert answer.out == f"0 memories got a new version, 0 new\n#{made} is left as it is: no model could compress it\n"
    assert "`ollama serve`" in answer.err
    left = shell("compress", "--route", "ollama:good", "--again", str(made), "--json").json["left"]
    assert left == {str(made): "no model could compress it"}


def test_mistakes_are_named(shell: Shell) -> None:
    for words, says in (
        (("--route", "gpt"), "ollama:MODEL"), (("--again", "99"), "99"), (("12",), "--again"),
    ):  # fmt: skip
        answer = shell("compress", *words)
        assert answer.code in (2, 3) and says in answer.err, answer


def test_a_model_is_fetched_and_how_it_is_used_is_said(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with Double() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        answer = shell("compress", "--pull", "good")
        assert answer.code == 0
        assert "good is here." in answer.err and "name ollama:good first under compress.routes" in answer.err
        assert shell("compress", "--pull", "good", "--json").json == {"pulled": "good"}


@pytest.mark.parametrize(("model", "says"), [("absent", "Look at its name"), ("broken", "Ask again to go on")])
def test_a_model_that_cannot_be_fetched_says_what_to_do(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, model: str, says: str
) -> None:
    with Double() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        answer = shell("compress", "--pull", model)
        assert (answer.code, says in answer.err) == (1, True), answer.err


def test_offline_a_fetch_names_what_starts_ollama(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    answer = shell("compress", "--pull", "good")
    assert answer.code == 1 and "`ollama serve` starts it" in answer.err


def test_the_next_route_is_named_only_where_there_is_one(
    made: int, shell: Shell, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    assert "next route" not in shell("compress", "--route", "ollama:good", "--again", str(made)).err
    where = {"session_id": "t", "cwd": "/home/dev/orderly"}
    prompt = "Use one idempotency key per order, never one per attempt."
    memory.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": prompt})
    memory.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": "Every order has one."})
    assert shell("compress", "--route", "ollama:good").err.count("went to the next route") == 1
