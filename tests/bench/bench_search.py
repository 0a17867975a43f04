"""How long a search takes in a store of many memories, beside FAISS and FTS5 alone on the same data.

    python -m tests.bench.bench_search [--memories 100000] [--queries 200]

The query's embedding is not counted. The store is made once a size and kept in the temporary directory. Memory
(Linux) is what the process takes up more than with its libraries alone, beside the bytes of the vectors as they are
stored: by the index once it has looked at every vector, and once all queries have been asked, by all that is kept.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui_memory.index.embedders.minilm import OnnxMiniLM
from tui_memory.index.faiss_index import FaissIndex
from tui_memory.model import Body, Filters, MemoryKind, NewMemory
from tui_memory.retrieve.function_words import function_words
from tui_memory.retrieve.search import Searcher
from tui_memory.store import projects, rows, search_text, vectors
from tui_memory.store.db import Store

DIMENSION = 384
_TOPICS = 3000
_STAMP = "4"  # raised when the data below changes
_PROJECTS = ("orderly", "ledger", "atlas", "harbour")
_DAY = 86_400_000


class Corpus:
    """Texts whose words follow Zipf's law within topics, and the model's own vectors, moved about, for each topic."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        syllables = [a + b for a in "bcdfghjklmnprstvwz" for b in "aeiou"]
        made = {"".join(self._random.choice(syllables, self._random.integers(2, 5))) for _ in range(40_000)}
        self._words = np.array(["the", "to", "of", "and", "is", "test", "error", "file", *sorted(made)])
        weights = 1 / (np.arange(len(self._words)) + 3.0)
        self._weights = weights / weights.sum()

    def texts(self, topics: NDArray[np.int64], words: int) -> list[list[str]]:
        """So many words for each topic: most from the language, a third from the topic's own few."""
        common = self._random.choice(len(self._words), (len(topics), words), p=self._weights)
        several = topics[:, None] * 37 + self._random.integers(0, 25, (len(topics), words))
        own = 200 + several % (len(self._words) - 200)
        picked = np.where(self._random.random((len(topics), words)) < 0.33, own, common)
        return [list(self._words[row]) for row in picked]

    def vectors(self, topics: NDArray[np.int64]) -> NDArray[np.float32]:
        """Unit vectors: each topic's passage of real text, mixed with another one and with noise, more or less."""
        real, count = self._real, len(topics)
        other = real[self._random.integers(0, len(real), count)]
        noise = self._random.standard_normal((count, DIMENSION)).astype(np.float32) / np.sqrt(DIMENSION)
        share, spread = (self._random.uniform(0, most, (count, 1)).astype(np.float32) for most in (0.9, 0.8))
        mixed = real[topics % len(real)] + share * other + spread * noise
        unit: NDArray[np.float32] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return unit

    @cached_property
    def _real(self) -> NDArray[np.float32]:
        """(topics, dimension): the model's vectors of passages of Python's own library; made once and kept."""
        kept = Path(tempfile.gettempdir()) / f"tui-memory-bench-passages-{_STAMP}.npy"
        if not kept.exists():
            found = OnnxMiniLM().encode(_passages())
            np.save(kept.with_suffix(".part.npy"), found)
            kept.with_suffix(".part.npy").replace(kept)
        real: NDArray[np.float32] = np.load(kept)
        return real


def _passages() -> list[str]:
    """As many passages as there are topics, of about 600 characters, from files of Python's library."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    whole = [path.read_text("utf-8", errors="replace") for path in files]
    found = [text[at : at + 600] for text in whole for at in range(0, len(text), 600)]
    step = max(len(found) // _TOPICS, 1)
    return found[::step][:_TOPICS]


def build(home: Path, count: int) -> None:
    """A store of so many memories of about 400 characters, a tenth of them long enough for three chunks."""
    corpus, random = Corpus(), np.random.default_rng(11)
    with Store(home) as store:
        owners = [projects.find_or_add(store, name) for name in _PROJECTS]
        model = vectors.model(store, "all-MiniLM-L6-v2", DIMENSION)
        now = 1_780_000_000_000
        for start in range(0, count, 5000):
            topics = random.integers(0, _TOPICS, min(5000, count - start))
            words = corpus.texts(topics, 64)
            news = [
                NewMemory(
                    Body(
                        title=" ".join(said[:8]), text=" ".join(said[8:]),
                        kind=list(MemoryKind)[topic % len(MemoryKind)],
                        files=[f"src/{said[1]}/{said[2]}_{said[3]}.py"] if at % 2 else [],
                    ),
                    project_id=owners[at % len(owners)] if at % 10 else None,
                    created=now - int(random.integers(0, 700)) * _DAY,
                )
                for at, (topic, said) in enumerate(zip(topics, words, strict=True))
            ]  # fmt: skip
            _store(store, news, corpus.vectors(topics), model)
    (home / "built").write_text(_STAMP)


def _store(store: Store, news: list[NewMemory], heads: NDArray[np.float32], model: int) -> None:
    with store.transaction() as connection:
        ids = rows.insert_memories(connection, news, 1_780_000_000_000)
        listed = json.dumps(ids)
        versions = [row[0] for row in connection.execute(
            "SELECT version_id FROM memories WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (listed,)
        )]  # fmt: skip
        chunk = (connection.execute("SELECT MAX(id) FROM chunks").fetchone()[0] or 0) + 1
        owners = [(version, n) for at, version in enumerate(versions) for n in range(3 if at % 10 == 0 else 1)]
        connection.executemany(
            "INSERT INTO chunks (id, version_id, n, text) VALUES (?, ?, ?, '')",
            ((chunk + at, version, n) for at, (version, n) in enumerate(owners)),
        )
        place = {version: at for at, version in enumerate(versions)}
        blobs = (heads[[place[version] for version, _ in owners]]).astype("<f2")
        connection.executemany(
            "INSERT INTO vectors (chunk_id, model_id, vector) VALUES (?, ?, ?)",
            ((chunk + at, model, blob.tobytes()) for at, blob in enumerate(blobs)),
        )
        connection.execute(
            "INSERT OR REPLACE INTO meta VALUES ('chunked_to', ?), (?, ?)",
            (str(versions[-1]), f"embedded_to:{model}", str(chunk + len(owners) - 1)),
        )


def queries(count: int) -> list[tuple[str, NDArray[np.float32]]]:
    """Questions of 4 to 9 words, common ones among them, each with the vector of its topic."""
    corpus, random = Corpus(), np.random.default_rng(5)
    topics = random.integers(0, _TOPICS, count)
    said = corpus.texts(topics, 9)
    near = corpus.vectors(topics)
    return [(" ".join(words[: 4 + at % 6]), near[at]) for at, words in enumerate(said)]


def timed(run: Callable[[Any], object], items: Iterable[Any]) -> NDArray[np.float64]:
    """(2, runs) milliseconds: of the clock, and of this thread's processor (what a busy machine does not change)."""
    times = []
    for item in items:
        started, worked = time.perf_counter(), time.thread_time()
        run(item)
        times.append(((time.perf_counter() - started) * 1000, (time.thread_time() - worked) * 1000))
    return np.array(times).T


def told(name: str, times: NDArray[np.float64]) -> None:
    """One line of the report."""
    (p50, p95, most), (half, nearly, _) = (np.percentile(each, [50, 95, 100]) for each in times)
    print(
        f"{name:<42} p50 {p50:6.2f} ms  p95 {p95:6.2f} ms  most {most:6.2f} ms"
        f"   processor p50 {half:6.2f} ms  p95 {nearly:6.2f} ms"
    )


def resident() -> int:
    """Bytes of this process in memory, mapped files that it has read among them; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0


def index_memory(store: Store, query: NDArray[np.float32]) -> int:
    """Bytes that an index takes once it has answered a query over every vector."""
    before = resident()
    index = FaissIndex(store, vectors.model(store, "all-MiniLM-L6-v2", DIMENSION))
    index.search(query, 10, exact=True)
    return resident() - before


def recall(index: FaissIndex, asked: list[tuple[str, NDArray[np.float32]]]) -> float:
    """The share of the exact ten best that the index gives."""
    pairs = [(index.search(vector, 10, exact=True)[1], index.search(vector, 10)[1]) for _, vector in asked]
    return float(np.mean([len(np.intersect1d(best, found)) / len(best) for best, found in pairs]))


def raw_faiss(index: FaissIndex) -> Callable[[tuple[str, NDArray[np.float32]]], object]:
    """The index alone: 10 neighbours."""
    return lambda query: index.search(query[1], 10)


def raw_fts(connection: sqlite3.Connection) -> Callable[[tuple[str, NDArray[np.float32]]], object]:
    """FTS5 alone: its own ranking, any of the words but function words, 10 rows."""

    def run(query: tuple[str, NDArray[np.float32]]) -> object:
        terms = [term for term in search_text.terms(query[0]) if term not in function_words()]
        asked = " OR ".join(map(search_text.quote, terms))
        return connection.execute(
            "SELECT rowid FROM search_text WHERE search_text MATCH ? ORDER BY rank LIMIT 10", (asked,)
        ).fetchall()

    return run


def main() -> None:
    """Build what is missing, then print the table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()
    home = Path(tempfile.gettempdir()) / f"tui-memory-bench-search-{given.memories}-{_STAMP}"
    if not (home / "built").exists():
        started = time.perf_counter()
        build(home, given.memories)
        print(f"built {given.memories} memories in {time.perf_counter() - started:.0f} s: {home}")
    with Store(home) as store:
        report(store, queries(given.queries))


def report(store: Store, asked: list[tuple[str, NDArray[np.float32]]]) -> None:
    """Cold start, then searches with and without filters, then FAISS and FTS5 alone."""
    known = {text: vector for text, vector in asked}
    known["the error of the test file"] = asked[0][1]
    index = FaissIndex(store, vectors.model(store, "all-MiniLM-L6-v2", DIMENSION))
    if index.refresh() and index.unsaved:
        index.snapshot()
    del index
    index_alone = index_memory(store, asked[0][1])
    before = resident()
    searcher = Searcher(store, embed=lambda texts, _: np.stack([known[text] for text in texts]))
    started = time.perf_counter()
    searcher.search(asked[0][0])
    print(f"first search of a process, its arrays and index loaded: {(time.perf_counter() - started) * 1000:.0f} ms")
    index = next(iter(searcher.indexes()))
    print(f"recall@10 of the index, beside an exact scan: {recall(index, asked):.4f}")
    day = 1_780_000_000_000
    kinds = {
        "search, no filter, words not asked before": Filters(),
        "search, no filter": Filters(),
        "search, one project of four": Filters(project="orderly"),
        "search, project, kind and 30 days": Filters(project="orderly", kind=("bugfix",), since=day - 30 * _DAY),
        "search, files src/*.py": Filters(path=("src/*.py",)),
    }
    whole = np.zeros((2, 0))
    for name, filters in kinds.items():
        times = timed(lambda query, filters=filters: searcher.search(query[0], filters=filters), asked)  # type: ignore[misc]
        told(name, times)
        whole = times if name == "search, no filter" else whole
    told("search, common words only", timed(lambda text: searcher.search(text), ["the error of the test file"] * 30))
    held, kept = 2 * DIMENSION * len(index.refresh().chunks), resident() - before
    print(f"memory beside its vectors: {index_alone / held:.2f} the index, {kept / held:.2f} all that is kept")
    faiss_times = timed(raw_faiss(index), asked)
    fts_times = timed(raw_fts(store.connection), asked)
    told("FAISS alone", faiss_times)
    told("FTS5 alone", fts_times)
    for at in (50, 95):
        ours = float(np.percentile(whole[1], at))
        alone = float(np.percentile((faiss_times + fts_times)[1], at))
        print(f"p{at} of processor time: search / (FAISS + FTS5) = {ours / alone:.2f}")


if __name__ == "__main__":
    main()
