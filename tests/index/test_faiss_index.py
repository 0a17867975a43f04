"""The vector index: exact, follows the store, and never believes its own files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.index.fakes import WordEmbedder
from tests.index.test_work import add
from tui_memory import places
from tui_memory.errors import NotFoundError
from tui_memory.index import approximate, faiss_index, serving, snapshot
from tui_memory.index.faiss_index import FaissIndex
from tui_memory.index.work import embed_missing, save_index
from tui_memory.store import vectors
from tui_memory.store.db import Store

TITLES = [f"memory number{n} about topic{n % 7}" for n in range(60)]


@pytest.fixture
def index(store: Store, embedder: WordEmbedder) -> FaissIndex:
    """Sixty memories, embedded."""
    add(store, *TITLES)
    embed_missing(store, embedder)
    return again(store, embedder)


def again(store: Store, embedder: WordEmbedder) -> FaissIndex:
    """The index as another process would open it."""
    return FaissIndex(store, vectors.model(store, embedder.name, embedder.dimension))


def found(index: FaissIndex, embedder: WordEmbedder, text: str, k: int = 1) -> list[int]:
    """The version ids nearest to a text."""
    layout = index.refresh()
    _, positions = index.search(embedder.encode([text])[0], k)
    return [int(layout.versions[at]) for at in positions]


def test_the_nearest_are_those_of_a_plain_product(index: FaissIndex, embedder: WordEmbedder) -> None:
    query = embedder.encode(["topic3 number5"])[0]
    scores, positions = index.search(query, 60)
    every = embedder.encode(TITLES) @ query
    assert np.allclose(scores, np.sort(every)[::-1], atol=2e-3)
    assert positions[0] == int(np.argmax(every))


@pytest.mark.parametrize("share", [0.02, 0.3, 1.0])
def test_a_filter_never_comes_back_short(index: FaissIndex, embedder: WordEmbedder, share: float) -> None:
    index.snapshot()
    allowed = np.arange(60) < max(int(60 * share), 1)
    _, positions = index.search(embedder.encode(["topic1"])[0], 10, allowed)
    assert len(positions) == min(10, int(allowed.sum()))
    assert allowed[positions].all()


def test_nothing_allowed_is_nothing_found(index: FaissIndex, embedder: WordEmbedder) -> None:
    assert len(index.search(embedder.encode(["topic1"])[0], 5, np.zeros(60, dtype=bool))[1]) == 0


def test_what_is_embedded_later_is_found_beside_a_snapshot(
    store: Store, index: FaissIndex, embedder: WordEmbedder
) -> None:
    assert index.snapshot()
    assert index.unsaved == 0
    add(store, "a zebra crossing")
    embed_missing(store, embedder)
    assert found(index, embedder, "zebra") == [61]
    assert index.unsaved == 1
    assert np.allclose(index.vectors(np.array([60, 0])), embedder.encode(["a zebra crossing", TITLES[0]]), atol=2e-3)


def test_a_snapshot_serves_another_process_without_a_word(
    store: Store, index: FaissIndex, embedder: WordEmbedder
) -> None:
    index.snapshot()
    other = again(store, embedder)
    assert found(other, embedder, TITLES[17]) == [18]
    assert other.notes == []
    assert other.unsaved == 0


def files(store: Store, suffix: str) -> list[Path]:
    """The snapshot's files of one kind."""
    return sorted(places.vectors_dir(store.home).glob(f"*{suffix}"))


def test_snapshots_are_the_owners_alone_and_old_ones_go(store: Store, index: FaissIndex) -> None:
    index.snapshot()
    index.snapshot()
    assert [len(files(store, suffix)) for suffix in (".faiss", ".npy", ".json")] == [1, 1, 1]
    assert all(path.stat().st_mode & 0o077 == 0 for path in places.vectors_dir(store.home).iterdir())


@pytest.mark.parametrize("harm", ["torn", "foreign", "header", "dimension", "missing"])
def test_a_harmed_snapshot_is_rebuilt_from_the_store_and_said(
    store: Store, index: FaissIndex, embedder: WordEmbedder, harm: str
) -> None:
    index.snapshot()
    data, header = files(store, ".faiss")[0], files(store, ".json")[0]
    if harm == "torn":
        data.write_bytes(data.read_bytes()[:-100])
    elif harm == "foreign":
        data.write_bytes(b"x" * data.stat().st_size)
    elif harm == "header":
        header.write_text("{")
    elif harm == "dimension":
        header.write_text(json.dumps(json.loads(header.read_text()) | {"dimension": 768}))
    else:
        data.unlink()
    other = again(store, embedder)
    assert found(other, embedder, TITLES[17]) == [18]
    assert len(other.notes) == 1
    assert "rebuilt" in other.notes[0]


def test_vectors_of_deleted_versions_are_never_found_again(
    store: Store, index: FaissIndex, embedder: WordEmbedder
) -> None:
    index.snapshot()
    with store.transaction() as connection:
        connection.execute("DELETE FROM chunks WHERE version_id = 18")
    other = again(store, embedder)
    assert 18 not in found(other, embedder, TITLES[17], 60)
    other.snapshot()
    assert len(again(store, embedder).refresh().chunks) == 59


def test_vectors_that_come_out_of_order_are_taken_in(store: Store, index: FaissIndex, embedder: WordEmbedder) -> None:
    index.refresh()
    model = vectors.model(store, embedder.name, embedder.dimension)
    add(store, "a late giraffe", "an early lion")
    embed_missing(store, embedder)
    rows = store.rows("SELECT vector FROM vectors WHERE chunk_id = 61")
    with store.transaction() as connection:
        connection.execute("DELETE FROM vectors WHERE chunk_id = 61")
    assert 61 not in found(index, embedder, "giraffe", 99)
    vectors.put(store, model, [(61, rows[0][0])])
    assert found(index, embedder, "giraffe") == [61]


def test_two_writers_do_not_wait_for_each_other(store: Store, index: FaissIndex, embedder: WordEmbedder) -> None:
    other = again(store, embedder)
    with index._files.lock() as mine:
        assert mine
        assert other.snapshot() is False
    assert other.snapshot() is True


def test_an_unknown_model_is_an_error(store: Store) -> None:
    with pytest.raises(NotFoundError):
        FaissIndex(store, 99)


class TestManyVectors:
    """Beyond what is searched exactly: the limit is lowered so that sixty are many."""

    @pytest.fixture
    def many(self, monkeypatch: pytest.MonkeyPatch, index: FaissIndex) -> FaissIndex:
        monkeypatch.setattr(approximate, "EXACT_TO", 20)
        assert index.snapshot()
        return index

    def test_the_recall_is_measured_and_kept_beside_the_index(self, store: Store, many: FaissIndex) -> None:
        found = serving.model(store)
        assert found is not None
        header = snapshot.described(store.home, found)
        assert header is not None
        assert header.count == 60 and header.probes > 0 and header.recall >= approximate.TARGET

    def test_the_best_is_found_and_vectors_are_where_they_were(self, many: FaissIndex, embedder: WordEmbedder) -> None:
        vectors_of = embedder.encode(TITLES)
        assert np.allclose(many.vectors(np.arange(60)), vectors_of, atol=2e-3)
        for at in (0, 31, 59):
            assert many.search(vectors_of[at], 3)[1][0] == at

    @pytest.mark.parametrize("share", [0.02, 0.3, 1.0])
    def test_a_filter_never_comes_back_short(self, many: FaissIndex, embedder: WordEmbedder, share: float) -> None:
        allowed = np.arange(60) < max(int(60 * share), 1)
        query = embedder.encode(["topic1"])[0]
        scores, positions = many.search(query, 40, allowed)
        assert len(positions) == min(40, int(allowed.sum()))
        assert allowed[positions].all()
        exact = np.sort((embedder.encode(TITLES) @ query)[allowed])[::-1][: len(positions)]
        assert np.allclose(many.search(query, 40, allowed, exact=True)[0], exact, atol=2e-3)
        assert np.allclose(scores[0], exact[0], atol=2e-3)

    def test_nothing_allowed_is_nothing_found(self, many: FaissIndex, embedder: WordEmbedder) -> None:
        assert len(many.search(embedder.encode(["topic1"])[0], 5, np.zeros(60, dtype=bool))[1]) == 0

    def test_another_process_maps_it_adds_to_it_and_writes_the_next(
        self, store: Store, many: FaissIndex, embedder: WordEmbedder
    ) -> None:
        other = again(store, embedder)
        assert found(other, embedder, TITLES[17]) == [18]
        assert other.notes == [] and other.unsaved == 0
        add(store, "a zebra crossing")
        embed_missing(store, embedder)
        assert found(other, embedder, "zebra") == [61]
        assert other.snapshot() and other.unsaved == 0
        assert found(other, embedder, "zebra") == [61]
        assert found(again(store, embedder), embedder, TITLES[59]) == [60]


def test_few_vectors_are_exact_and_say_so(store: Store, index: FaissIndex) -> None:
    model = serving.model(store)
    assert model is not None and snapshot.described(store.home, model) is None
    index.snapshot()
    header = snapshot.described(store.home, model)
    assert header is not None and (header.probes, header.recall) == (0, 1.0)


def test_a_layout_stays_searchable_when_the_index_moves_on(
    store: Store, index: FaissIndex, embedder: WordEmbedder
) -> None:
    before = index.refresh()
    store.connection.execute("DELETE FROM memories WHERE id IN (2, 4, 6)")
    index.snapshot()
    add(store, "a zebra crossing")
    embed_missing(store, embedder)
    index.refresh()
    query = embedder.encode([TITLES[50]])[0]
    assert index.search(query, 1, np.ones(60, dtype=bool), layout=before)[1].tolist() == [50]
    assert index.search(query, 1, None, layout=before)[1].tolist() == [50]
    assert np.allclose(index.vectors(np.array([50]), layout=before)[0], query, atol=2e-3)


def test_what_another_process_saved_is_mapped_instead_of_held(
    monkeypatch: pytest.MonkeyPatch, store: Store, index: FaissIndex, embedder: WordEmbedder
) -> None:
    monkeypatch.setattr(faiss_index, "WORTH", 30)
    index.refresh()
    assert index.unsaved == 60
    again(store, embedder).snapshot()
    add(store, "a zebra crossing")
    embed_missing(store, embedder)
    assert found(index, embedder, "zebra") == [61]
    assert index.unsaved == 1


def test_the_index_is_saved_once_it_is_worth_it(
    monkeypatch: pytest.MonkeyPatch, store: Store, embedder: WordEmbedder
) -> None:
    monkeypatch.setattr(faiss_index, "WORTH", 3)
    assert save_index(store) is False
    add(store, "one", "two")
    embed_missing(store, embedder)
    assert save_index(store) is False
    add(store, "three")
    embed_missing(store, embedder)
    assert save_index(store) is True
    assert save_index(store) is False
    assert again(store, embedder).refresh().chunks.tolist() == [1, 2, 3]
