"""The route through OpenAI's chat protocol: every server's strictest form, the same fences as for Ollama."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.compress.make import settings
from tests.compress.openai_double import OpenAIDouble
from tests.compress.test_ollama import a_turn
from tui_memory.compress.made import Compressed, Cost
from tui_memory.compress.openai import ANSWER, KEY, OpenAI
from tui_memory.compress.router import Router
from tui_memory.config import RemoteSettings
from tui_memory.errors import CompressError, ConfigError, ModelError, TuiMemoryError


@pytest.fixture
def server() -> Iterator[OpenAIDouble]:
    """A running double."""
    with OpenAIDouble() as double:
        yield double


def ask(server: OpenAIDouble, model: str, cost: Cost | None = None, **compress: object) -> Compressed:
    """What a model makes of a turn."""
    route = OpenAI(f"{server.url}#{model}", settings(**compress))
    return asyncio.run(route.compress(a_turn(), cost or Cost()))


def test_a_proxy_is_never_used(server: OpenAIDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(server, "good").made


def test_a_good_answer_becomes_a_memory(server: OpenAIDouble) -> None:
    cost = Cost()
    (one,) = ask(server, "good", cost).made
    assert one.body.title == "Charging retries with one idempotency key per order"
    assert (one.body.made_by.route, one.body.made_by.model) == ("openai", "good")
    assert (cost.calls, cost.tokens_in, cost.tokens_out) == (1, 900, 120)
    (asked,) = server.asked
    assert asked["response_format"]["json_schema"]["schema"]["required"] == ["memories"]
    assert '"memories"' in asked["messages"][0]["content"]
    assert (asked["temperature"], asked["max_tokens"], asked["stream"]) == (0, ANSWER, False)


@pytest.mark.parametrize(("takes", "calls"), [(("json_object", "none"), 2), (("none",), 3)])
def test_a_server_without_schemas_is_asked_in_the_form_it_takes_and_not_again_in_another(
    server: OpenAIDouble, takes: tuple[str, ...], calls: int
) -> None:
    server.takes = takes
    route = OpenAI(f"{server.url}#good", settings())
    assert asyncio.run(route.compress(a_turn(), Cost())).made
    assert len(server.asked) == calls
    assert asyncio.run(route.compress(a_turn(), Cost())).made
    assert len(server.asked) == calls + 1


def test_what_it_invents_is_taken_out(server: OpenAIDouble) -> None:
    (one,) = ask(server, "inventor").made
    assert "gateway_v2" not in one.body.text
    assert one.body.grounding.flagged


def test_a_bad_answer_is_repaired_once(server: OpenAIDouble) -> None:
    assert ask(server, "mending").made
    with pytest.raises(CompressError, match="prose"):
        ask(server, "prose")


@pytest.mark.parametrize(
    ("model", "error", "says"),
    [
        ("absent", ModelError, "no model absent"),
        ("locked", ModelError, KEY),
        ("refusing", CompressError, "out of memory"),
        ("redirecting", CompressError, "refused"),
        ("garbage", CompressError, "cannot be read"),
        ("breaking", CompressError, "broke"),
        ("shapeless", CompressError, "no choices"),
        ("silent", CompressError, "empty"),
        ("truncated", CompressError, "did not end within"),
        ("cut", CompressError, "did not fit the window"),
    ],
)
def test_what_goes_wrong_says_so(server: OpenAIDouble, model: str, error: type[TuiMemoryError], says: str) -> None:
    with pytest.raises(error, match=says):
        ask(server, model)


@pytest.mark.parametrize("told", [{"max_model_len": 2_000}, {"meta": {"n_ctx": 2_000, "n_ctx_train": 32_768}}])
def test_the_servers_own_window_bounds_the_question(server: OpenAIDouble, told: dict[str, object]) -> None:
    server.models = [{"id": "other", "max_model_len": 100}, {"id": "good", **told}]
    with pytest.raises(CompressError, match="window is too small"):
        ask(server, "good")


def test_a_key_is_sent_only_where_one_is_given_for_it(server: OpenAIDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the agent's own")
    ask(server, "good")
    monkeypatch.setenv(KEY, "for this server")
    ask(server, "good")
    assert server.keys == ["", "Bearer for this server"]


def test_another_machine_is_not_asked_unless_it_is_named() -> None:
    target = "http://gpu.invalid:8000/v1#qwen"
    with pytest.raises(ModelError, match=r"remote\.allowed_hosts"):
        asyncio.run(OpenAI(target, settings()).compress(a_turn(), Cost()))
    allowed = replace(settings(), remote=RemoteSettings(allowed_hosts=("gpu.invalid",)))
    with pytest.raises(ModelError, match="No server answers"):
        asyncio.run(OpenAI(target, allowed).compress(a_turn(), Cost()))


@pytest.mark.parametrize("target", ["", "http://127.0.0.1:8080/v1", "127.0.0.1:8080#m", "file:///tmp/x#m", "#m"])
def test_an_address_that_is_none_is_a_mistake_in_the_settings(target: str) -> None:
    with pytest.raises(ConfigError, match="openai:URL#MODEL"):
        Router(settings(f"openai:{target}"))


def test_a_server_that_is_away_leaves_the_turn_to_the_next_route() -> None:
    found = Router(settings("openai:http://127.0.0.1:9/v1#qwen", "extractive")).compress(a_turn())
    assert found.route == "extractive"
    assert "No server answers" in found.failures[0]
