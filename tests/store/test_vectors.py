"""Chunks and vectors: what is missing, and what is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tui_memory.errors import StoreError
from tui_memory.model import Body
from tui_memory.store import chunks, vectors
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

Add = Callable[..., int]


def chunk_all(store: Store) -> list[int]:
    return chunks.add(store, [(version, 0, title) for version, title, _, _ in chunks.missing(store)])


def test_every_version_is_missing_until_it_has_chunks(store: Store, add: Add, changes: Changes) -> None:
    add("a", summary="s", text="t", facts=["f1", "f2"])
    assert chunks.missing(store) == [(1, "a", "s", "t\nf1\nf2")]
    changes.edit(1, Body("b"))
    assert [row[0] for row in chunks.missing(store, 1)] == [1]
    assert chunk_all(store) == [1, 2]
    assert chunks.missing(store) == []
    assert chunks.add(store, [(1, 0, "again"), (99, 0, "no such version")]) == []


def test_a_gap_is_found_again(store: Store, add: Add) -> None:
    for title in "abc":
        add(title)
    chunks.add(store, [(1, 0, "a"), (3, 0, "c")])
    assert [row[0] for row in chunks.missing(store)] == [2]


def test_vectors_come_back_in_order_with_whose_they_are(store: Store, add: Add) -> None:
    first, second = add("a"), add("b")
    ids = chunk_all(store)
    model = vectors.model(store, "mini", 4)
    assert vectors.missing(store, model) == [(ids[0], "a"), (ids[1], "b")]
    vectors.put(store, model, [(ids[1], b"22"), (ids[0], b"11"), (99, b"purged meanwhile")])
    assert list(vectors.load(store, model)) == [(ids[0], 1, first, b"11"), (ids[1], 2, second, b"22")]
    assert list(vectors.load(store, model, ids[0])) == [(ids[1], 2, second, b"22")]
    assert vectors.missing(store, model) == []
    other = vectors.model(store, "large", 8)
    assert [row[0] for row in vectors.missing(store, other)] == ids


def test_a_model_of_another_dimension_is_refused(store: Store) -> None:
    assert vectors.model(store, "mini", 4) == vectors.model(store, "mini", 4)
    with pytest.raises(StoreError, match=r"8 numbers.*has 4.*Nothing was changed"):
        vectors.model(store, "mini", 8)


def test_vectors_and_search_text_go_with_their_version(store: Store, add: Add) -> None:
    add("a")
    vectors.put(store, vectors.model(store, "mini", 4), [(chunk_all(store)[0], b"11")])
    with store.transaction() as connection:
        connection.execute("DELETE FROM memories")
    for table in ("versions", "chunks", "vectors", "search_text", "search_terms"):
        assert store.rows(f"SELECT count(*) FROM {table}")[0][0] == 0
