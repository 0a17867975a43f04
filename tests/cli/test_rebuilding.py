"""rebuild as it is typed: search text and vector index made anew from the memories, damaged or not."""

from __future__ import annotations

import json

import pytest

from tests.cli.shell import Shell
from tests.index.fakes import WordEmbedder
from tui_memory.engine.memory import Memory
from tui_memory.index.faiss_index import FaissIndex
from tui_memory.index.snapshot import Snapshots
from tui_memory.index.work import embed_missing
from tui_memory.store import vectors


@pytest.fixture
def kept(memory: Memory) -> list[int]:
    texts = ["The socket leaks", "Retries wait longer", "Labels are folded"]
    return memory.add_many([{"title": "Note", "text": text, "project": "orderly"} for text in texts])


def _found(memory: Memory, query: str) -> list[int]:
    return [hit.id for hit in memory.search(query)]


def test_search_text_that_is_wrong_or_of_nothing_is_made_anew(shell: Shell, memory: Memory, kept: list[int]) -> None:
    memory.store.connection.execute("UPDATE search_text SET title = 'x', body = 'x', names = 'x'")
    memory.store.connection.execute("INSERT INTO search_text (rowid, title, body, names) VALUES (999, 'x', 'x', 'x')")
    assert _found(memory, "socket") == []
    answer = shell("rebuild", "--search")
    assert (answer.code, answer.out) == (0, "Search text of 3 versions was made anew\n")
    assert _found(memory, "socket") == [kept[0]]
    assert memory.store.rows("SELECT count(*) FROM search_text")[0][0] == 3


@pytest.mark.parametrize(
    "damage", ["DELETE FROM search_text_idx", "UPDATE search_text_data SET block = x'00' WHERE id > 10"]
)
def test_a_damaged_text_index_is_mended(shell: Shell, memory: Memory, kept: list[int], damage: str) -> None:
    memory.store.connection.execute(damage)
    answer = shell("rebuild")
    assert answer.code == 0, answer.err
    with Memory(embedding="none") as fresh:
        assert _found(fresh, "retries") == [kept[1]]
        fresh.store.connection.execute("INSERT INTO search_text (search_text) VALUES ('integrity-check')")


def test_the_vector_index_is_written_from_the_store_alone(shell: Shell, memory: Memory, kept: list[int]) -> None:
    embedder = WordEmbedder()
    embed_missing(memory.store, embedder)
    model = vectors.model(memory.store, embedder.name, embedder.dimension)
    index = FaissIndex(memory.store, model)
    assert index.snapshot()
    (header,) = (memory.home / "vectors").glob("*.json")
    before = header.read_text()
    memory.store.connection.execute("UPDATE vectors SET vector = (SELECT vector FROM vectors WHERE chunk_id = 1)")
    assert shell("rebuild", "--index").out == "The vector index was written anew: 3 vectors\n"
    assert header.read_text() != before
    read = Snapshots(memory.home / "vectors", model, embedder.name, embedder.dimension).read()
    assert read is not None
    assert (read[0].reconstruct(0) == read[0].reconstruct(2)).all()


def test_programs_are_told_and_another_writer_is_left_to_it(shell: Shell, memory: Memory, kept: list[int]) -> None:
    assert shell("rebuild", "--json").json == {"search": 3, "index": 0, "cancelled": False, "busy": False}
    embedder = WordEmbedder()
    embed_missing(memory.store, embedder)
    model = vectors.model(memory.store, embedder.name, embedder.dimension)
    with Snapshots(memory.home / "vectors", model, embedder.name, embedder.dimension).lock():
        answer = shell("rebuild", "--index", "--json")
    assert (answer.code, json.loads(answer.out)["busy"]) == (5, True)
    assert "left to that one" in answer.err


def test_a_run_that_is_stopped_says_so_and_ends_at_a_step(memory: Memory, kept: list[int]) -> None:
    told: list[tuple[str, int, int]] = []
    made = memory.rebuilding.run(on_progress=lambda *step: told.append(step), cancelled=lambda: True)
    assert made.cancelled and made.index is None
    assert told == [("search", 3, 3)]
