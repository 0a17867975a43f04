"""What one process changes, another finds at once: in lists, counts, facets, searches by words and by meaning."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.index.fakes import WordEmbedder
from tui_memory import Memory
from tui_memory.engine.embedding import Embedding
from tui_memory.index import work

from .conftest import RULES_ONLY

EMBEDDER = WordEmbedder("words", 32)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A store that searches by words and by meaning, kept open while others change it."""
    monkeypatch.setattr(Embedding, "encode", lambda _self, texts, query: EMBEDDER.encode(texts, query=query))
    with Memory(tmp_path / "store", embedding="none", settings=RULES_ONLY) as made:
        yield made


def elsewhere(memory: Memory, code: str) -> None:
    """Another process changes the store."""
    whole = f"from tui_memory import Memory\nwith Memory({str(memory.home)!r}, embedding='none') as m:\n    {code}\n"
    subprocess.run([sys.executable, "-c", whole], check=True, timeout=120)


def found(memory: Memory, query: str = "zebra crossing") -> list[int]:
    """The ids that a search finds, after the vectors are there."""
    work.embed_missing(memory.store, EMBEDDER)
    return [hit.id for hit in memory.search(query)]


def test_every_change_of_another_process_is_seen_at_once(memory: Memory) -> None:
    one, other = memory.add_many([{"title": "The zebra crossing is striped"}, {"title": "A zebra crossing is painted"}])
    assert set(found(memory)) == {one, other}
    elsewhere(memory, f"m.delete({one})")
    assert found(memory) == [other]
    assert (memory.count(), memory.facets()["state"]) == (1, {"active": 1, "trash": 1})
    elsewhere(memory, "m.undo()")
    assert set(found(memory)) == {one, other}
    elsewhere(memory, f"m.edit({one}, title='Nothing of that kind', text='entirely different')")
    assert found(memory)[0] == other and found(memory, "entirely different")[0] == one
    elsewhere(memory, f"m.undo(); m.merge([{one}, {other}])")
    merged = memory.memories()[0].id
    assert found(memory) == [merged] and memory.get(merged)[0].merged_from == [one, other]
    elsewhere(memory, f"m.split({merged})")
    assert set(found(memory)) == {one, other}
    elsewhere(memory, f"m.supersede({one}, {other})")
    assert found(memory)[0] == other
    elsewhere(memory, f"m.purge(ids=[{one}], yes=True)")
    assert found(memory) == [other] and memory.count(state="all") == 1  # the merge in the trash said it too


def test_what_another_process_adds_is_found_by_words_before_it_has_a_vector(memory: Memory) -> None:
    memory.add_many([{"title": "a"}])
    assert memory.search("zebra") == []
    elsewhere(memory, "m.add(title='The zebra')")
    assert [hit.memory.title for hit in memory.search("zebra")] == ["The zebra"]
    work.embed_missing(memory.store, EMBEDDER)
    hit = memory.search("zebra")[0]
    assert hit.scores["dense"] > 0 and np.isfinite(hit.score)
