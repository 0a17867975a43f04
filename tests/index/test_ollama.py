"""Ollama's embedding models behind the one interface, on this machine alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.index.fakes import WordEmbedder
from tests.index.ollama_double import Double
from tests.index.test_work import add
from tui_memory.config import EmbedSettings
from tui_memory.errors import ModelError
from tui_memory.index.embedders import open_embedder
from tui_memory.index.serving import Serving
from tui_memory.index.work import embed_missing
from tui_memory.retrieve.search import Searcher
from tui_memory.store.db import Store


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    """The double, where OLLAMA_HOST points."""
    with Double() as opened:
        monkeypatch.setenv("OLLAMA_HOST", opened.url)
        yield opened


def test_a_proxy_is_never_used(server: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert open_embedder(EmbedSettings(model="ollama:words")).dimension == 32 and server.asked


def test_vectors_are_unit_and_in_the_order_of_the_texts(server: Double) -> None:
    model = open_embedder(EmbedSettings(model="ollama:words"))
    texts = [f"text number {n} " * (1 + n % 5) for n in range(70)]
    found = model.encode(texts)
    assert (model.name, model.dimension) == ("ollama:words", 32)
    assert np.allclose(found, WordEmbedder(dimension=32).encode(texts), atol=1e-5)
    assert max(len(asked["input"]) for asked in server.asked) <= 32
    assert all(asked["truncate"] for asked in server.asked)


def test_a_query_gets_the_prefix_of_its_models_family(server: Double) -> None:
    model = open_embedder(EmbedSettings(model="ollama:e5-small"))
    model.encode(["why"], query=True)
    model.encode(["because"])
    assert [asked["input"] for asked in server.asked[1:]] == [["query: why"], ["passage: because"]]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("absent", "ollama pull absent"),
        ("refusing", "refused"),
        ("redirecting", "307"),
        ("short", "no vectors"),
        ("empty", "no vectors"),
        ("other", "is other an embedding model"),
    ],
)
def test_a_model_that_does_not_answer_is_an_error(server: Double, model: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        open_embedder(EmbedSettings(model=f"ollama:{model}"))


@pytest.mark.parametrize(("model", "said"), [("changing", "another length"), ("nan", "numbers that are none")])
def test_an_answer_of_another_kind_than_before_is_an_error(server: Double, model: str, said: str) -> None:
    opened = open_embedder(EmbedSettings(model=f"ollama:{model}"))
    with pytest.raises(ModelError, match=said):
        opened.encode(["a text"])


def test_no_server_is_an_error_that_says_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with Double() as gone:
        monkeypatch.setenv("OLLAMA_HOST", gone.url)
    with pytest.raises(ModelError, match="ollama serve"):
        open_embedder(EmbedSettings(model="ollama:words"))


def test_another_machine_is_asked_only_where_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://gpu.invalid:9")
    with pytest.raises(ModelError, match="nothing was sent"):
        open_embedder(EmbedSettings(model="ollama:words"))
    with pytest.raises(ModelError, match="No Ollama answers"):
        open_embedder(EmbedSettings(model="ollama:words"), ["gpu.invalid"])


def test_another_model_takes_over_once_it_has_embedded_everything(store: Store, server: Double) -> None:
    old = WordEmbedder()
    add(store, *(f"topic{n} is here" for n in range(6)))
    embed_missing(store, old)
    new, who = open_embedder(EmbedSettings(model="ollama:words")), Serving(store)
    searcher = Searcher(store, embed=lambda texts, query: who.embedder(new, lambda _: old).encode(texts, query=query))
    before = len(server.asked)
    assert searcher.search("topic3").degraded == []
    assert len(server.asked) == before
    embed_missing(store, new)
    assert searcher.search("topic3").degraded == []
    assert server.asked[-1]["input"] == ["topic3"]
    assert searcher.search("topic3").results[0].scores["cosine"] > 0.3
