"""While another model embeds everything anew, the old vectors serve, and queries are embedded for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.index.fakes import WordEmbedder
from tests.index.test_work import add
from tui_memory import Memory
from tui_memory.errors import ModelError
from tui_memory.index import serving
from tui_memory.index.faiss_index import FaissIndex
from tui_memory.index.work import embed_missing
from tui_memory.retrieve.search import Searcher
from tui_memory.store import vectors
from tui_memory.store.db import Store


class Turned(WordEmbedder):
    """Another space of the same dimension: every number is another one's."""

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """As WordEmbedder, reversed."""
        return super().encode(texts, query=query)[:, ::-1].copy()


OLD, NEW = WordEmbedder("old"), Turned("new")


def opened(name: str) -> WordEmbedder:
    """The models that this machine has."""
    return {"old": OLD, "new": NEW}[name]


def half_done(store: Store) -> None:
    """Four memories that the old model has seen, and the new one only the first of."""
    add(store, "zebra stripes", "giraffe necks", "lion manes", "hippo teeth")
    embed_missing(store, OLD)
    model = vectors.model(store, NEW.name, NEW.dimension)
    ((chunk, text),) = vectors.missing(store, model, 1)
    vectors.put(store, model, [(chunk, NEW.encode([text])[0].astype("<f2").tobytes())])


def test_nothing_serves_before_there_are_vectors(store: Store) -> None:
    add(store, "zebra")
    assert serving.model(store) is None
    assert serving.Serving(store).embedder(NEW, opened) is NEW


def test_the_old_serves_until_the_new_has_seen_everything(store: Store) -> None:
    half_done(store)
    who = serving.Serving(store)
    assert who.embedder(NEW, opened) is OLD
    add(store, "a rhino arrived meanwhile")
    assert who.embedder(NEW, opened) is OLD
    embed_missing(store, NEW)
    assert who.embedder(NEW, opened) is NEW
    assert serving.model(store) == (2, "new", NEW.dimension)


def test_searches_find_by_meaning_before_during_and_after(store: Store) -> None:
    half_done(store)
    who = serving.Serving(store)
    searcher = Searcher(store, embed=lambda texts, query: who.embedder(NEW, opened).encode(texts, query=query))
    for _ in range(2):
        best = searcher.search("lion manes").results[0]
        assert best.memory.title == "lion manes"
        assert best.scores["cosine"] == pytest.approx(1, abs=0.01)
        assert searcher.search("lion manes").degraded == []
        embed_missing(store, NEW)


def test_an_old_model_that_is_gone_leaves_words_and_never_another_space(store: Store) -> None:
    half_done(store)

    def gone(name: str) -> WordEmbedder:
        raise ModelError(f"no {name}")

    with pytest.raises(ModelError):
        serving.Serving(store).embedder(NEW, gone)


def test_stats_and_doctor_tell_the_recall_of_the_index(store: Store) -> None:
    with Memory(store.home, embedding="none") as memory:
        assert memory.stats()["index"] == {"saved": 0, "recall@10": 1.0}
        add(store, "zebra stripes", "lion manes")
        embed_missing(store, OLD)
        assert "every search is exact" in said(memory)
        FaissIndex(store, 1).snapshot()
        assert memory.stats()["index"] == {"saved": 2, "recall@10": 1.0}
        assert said(memory) == "vectors of old: 2 saved, exact, recall@10 1.000"


def said(memory: Memory) -> str:
    """What the doctor says of the index."""
    return next(str(check["what"]) for check in memory.doctor()["checks"] if check["id"] == "index")
