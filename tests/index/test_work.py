"""Versions become chunks and vectors."""

from __future__ import annotations

import pytest

from tests.index.fakes import WordEmbedder
from tui_memory.errors import ModelError
from tui_memory.index.work import embed_missing
from tui_memory.model import Body, NewMemory
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store


def add(store: Store, *titles: str) -> list[int]:
    """Memories of these titles."""
    return Changes(store).add([NewMemory(Body(title)) for title in titles])


def vectors(store: Store) -> int:
    """How many vectors there are."""
    return int(store.rows("SELECT COUNT(*) FROM vectors")[0][0])


def test_what_has_no_vectors_gets_them_once(store: Store, embedder: WordEmbedder) -> None:
    add(store, "one", "two", "three")
    assert embed_missing(store, embedder, batch=2) == 3
    assert embed_missing(store, embedder) == 0
    assert vectors(store) == 3


def test_another_model_embeds_the_same_chunks(store: Store, embedder: WordEmbedder) -> None:
    add(store, "one", "two")
    embed_missing(store, embedder)
    embed_missing(store, WordEmbedder("other", 32))
    assert vectors(store) == 4
    assert store.rows("SELECT COUNT(*) FROM chunks")[0][0] == 2


def test_what_was_embedded_before_a_failure_stays(store: Store, embedder: WordEmbedder) -> None:
    class Failing(WordEmbedder):
        def encode(self, texts: object, *, query: bool = False) -> object:  # type: ignore[override]
            if self.calls:
                raise ModelError("gone")
            return super().encode(texts, query=query)  # type: ignore[arg-type]

    add(store, "one", "two", "three")
    with pytest.raises(ModelError):
        embed_missing(store, Failing(), batch=2)  # type: ignore[arg-type]
    assert vectors(store) == 2
    assert embed_missing(store, embedder) == 1
    assert vectors(store) == 3


def test_long_memories_are_embedded_a_few_at_a_time(store: Store, embedder: WordEmbedder) -> None:
    log = " ".join(f"line{n}" for n in range(40_000))
    Changes(store).add([NewMemory(Body(f"Log {n}", text=log)) for n in range(20)])
    told: list[int] = []
    assert embed_missing(store, embedder, on_batch=told.append) == 20
    assert told == [7, 14, 20]  # 33 chunks each


def test_each_batch_is_told(store: Store, embedder: WordEmbedder) -> None:
    add(store, "one", "two", "three")
    told: list[int] = []
    embed_missing(store, embedder, batch=2, on_batch=told.append)
    assert told == [2, 3]
