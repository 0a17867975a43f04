"""The Ollama route against a protocol double: good answers are used, bad ones never stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.compress.double import Double
from tests.compress.make import edited, prompt, read, said, settings, turn
from tui_memory.compress.made import Compressed, Cost
from tui_memory.compress.ollama import ANSWER, Ollama
from tui_memory.compress.turns import Turn
from tui_memory.config import RemoteSettings
from tui_memory.errors import CompressError, ModelError, TuiMemoryError


def a_turn(filler: str = "") -> Turn:
    """A turn that the double's canned notes are about."""
    return turn(
        prompt(f"Charging retries double charge. One idempotency key per order? {filler}"),
        edited("src/payments.py", "key = uuid4().hex", "key = order-7"),
        said("PaymentService.charge made a fresh key for every attempt. Now the key is order-7, one key per order."),
    )


def ask(
    double: Double, model: str, made: Turn | None = None, cost: Cost | None = None, **compress: object
) -> Compressed:
    """What a model makes of a turn."""
    wanted = settings(f"ollama:{model}", **compress)
    return asyncio.run(Ollama(model, wanted, double.url).compress(made or a_turn(), cost or Cost()))


@pytest.mark.parametrize("model", ["good", "fenced", "thinking", "no-switch"])
def test_a_good_answer_becomes_a_memory(double: Double, model: str) -> None:
    made = a_turn()
    found = ask(double, model, made)
    (one,) = found.made
    assert one.body.title == "Charging retries with one idempotency key per order"
    assert (one.body.made_by.route, one.body.made_by.model, one.body.made_by.prompt_version) == ("ollama", model, 1)
    assert one.body.files == ["src/payments.py"]
    # The two events that the answer names, and the closing message: PaymentService stands nowhere else.
    assert one.sources == [item.id for item in made.observations]
    assert 0 < one.body.grounding.retained <= 1


def test_what_is_said_twice_is_kept_once(double: Double) -> None:
    assert len(ask(double, "twice").made) == 1


def test_nothing_worth_keeping_is_a_right_answer(double: Double) -> None:
    looked = turn(
        prompt("Where is the charge made?"),
        read("src/payments.py"),
        said("In PaymentService.charge of src/payments.py."),
    )
    found = ask(double, "nothing", looked)
    assert (found.made, found.skipped_reason) == ([], "the model found nothing worth keeping")
    assert len(double.asked) == 1


def test_a_turn_that_changed_something_is_kept_by_rule_where_the_model_makes_nothing_of_it(double: Double) -> None:
    (one,) = ask(double, "nothing").made
    assert one.body.made_by.route == "extractive"
    assert "order-7" in one.body.summary


def test_the_request_leaves_nothing_to_chance(double: Double) -> None:
    ask(double, "good")
    (asked,) = double.asked
    assert asked["think"] is False
    assert asked["stream"] is False
    assert asked["keep_alive"]
    assert asked["format"]["required"] == ["memories"]
    assert '"memories"' in asked["messages"][0]["content"]
    assert asked["options"] | {"num_ctx": 0} == {"num_ctx": 0, "num_predict": ANSWER, "temperature": 0, "seed": 7}
    wanted = sum(len(message["content"]) for message in asked["messages"]) // 4 + ANSWER
    assert wanted <= asked["options"]["num_ctx"] <= 8192


@pytest.mark.parametrize(
    "model",
    [
        "prose",
        "only-thinking",
        "empty",
        "echo",
        "loop",
        "placeholder",
        "wrong-shape",
        "foreign",
        "truncated",
        "question",
        "again-and-again",
    ],
)
def test_a_bad_answer_is_repaired_once_with_its_error_and_then_given_up(double: Double, model: str) -> None:
    with pytest.raises(CompressError):
        ask(double, model)
    first, second = double.asked
    assert len(second["messages"]) == len(first["messages"]) + 2
    assert "cannot be used" in second["messages"][-1]["content"]


def test_a_repaired_answer_is_used(double: Double) -> None:
    cost = Cost()
    assert len(ask(double, "mending", cost=cost).made) == 1
    assert "prose instead of JSON" in double.asked[1]["messages"][-1]["content"]
    assert cost.calls == 2
    assert cost.tokens_in > 0
    assert cost.tokens_out > 0


@pytest.mark.parametrize(
    ("model", "error", "says"),
    [
        ("absent", ModelError, "`ollama pull absent`"),
        ("truncated", CompressError, "did not end within"),
        ("cut", CompressError, "did not fit the window"),
        ("refusing", CompressError, "runner process has terminated"),
        ("redirecting", CompressError, "refused"),
        ("breaking", CompressError, "connection"),
        ("garbage", CompressError, "cannot be read"),
        ("all-invented", CompressError, "holds to its sources"),
    ],
)
def test_what_goes_wrong_says_so(double: Double, model: str, error: type[TuiMemoryError], says: str) -> None:
    with pytest.raises(error, match=says):
        ask(double, model)


def test_without_a_server_the_command_that_starts_one_is_named() -> None:
    with pytest.raises(ModelError, match="`ollama serve`"):
        asyncio.run(Ollama("good", settings(), "http://127.0.0.1:9").compress(a_turn(), Cost()))


def test_a_slow_model_is_given_up_in_time(double: Double) -> None:
    with pytest.raises(CompressError, match="did not answer within"):
        ask(double, "slow", timeout_s=0.5)
    assert len(double.asked) == 1


def test_another_machine_is_not_asked_unless_it_is_named(double: Double) -> None:
    route = Ollama("good", settings(), "http://gpu.example:11434")
    with pytest.raises(ModelError, match=r"remote\.allowed_hosts"):
        asyncio.run(route.compress(a_turn(), Cost()))
    allowed = replace(settings(), remote=RemoteSettings(allowed_hosts=("gpu.invalid",)))
    with pytest.raises(ModelError, match="`ollama serve`"):
        asyncio.run(Ollama("good", allowed, "http://gpu.invalid:11434").compress(a_turn(), Cost()))


def test_a_proxy_is_never_used(double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(double, "good").made


def test_a_question_that_was_cut_is_asked_again_in_the_whole_window(double: Double) -> None:
    assert ask(double, "short-window", num_ctx=16_384).made
    assert [asked["options"]["num_ctx"] for asked in double.asked] == [double.asked[0]["options"]["num_ctx"], 16_384]


def test_the_models_own_window_bounds_the_question(double: Double) -> None:
    double.window = 4_096
    ask(double, "good", a_turn("word " * 500), num_ctx=32_768)
    assert all(asked["options"]["num_ctx"] <= 4_096 for asked in double.asked)


def test_a_window_without_room_is_refused(double: Double) -> None:
    double.window = 2_048
    with pytest.raises(CompressError, match="window is too small"):
        ask(double, "good")


def test_a_long_turn_is_read_in_parts_and_reduced(double: Double) -> None:
    events = [prompt("Charging retries double charge."), *(read(f"src/file_{n}.py") for n in range(300))]
    events += [edited(f"src/part_{n}.py", "old " * 200, "new " * 200) for n in range(12)]
    events.append(
        said("PaymentService.charge made a fresh key for every attempt. Now the key is order-7, one key per order.")
    )
    found = ask(double, "good", turn(*events))
    assert len(double.asked) > 2
    assert "read in parts" in double.asked[-1]["messages"][0]["content"]
    assert all("Charging retries" in asked["messages"][1]["content"] for asked in double.asked[:1])
    assert len(found.made) == 1


def test_nothing_invented_is_kept(double: Double) -> None:
    (one,) = ask(double, "inventor").made
    whole = " ".join((one.body.title, one.body.summary, one.body.text, *one.body.facts))
    for invention in ("gateway_v2", "4.17", "RetryManager", "250"):
        assert invention not in whole
        assert any(invention in flagged for flagged in one.body.grounding.flagged)
    assert "one idempotency key per order" in whole
