"""How long a full look for pairs takes in one project of many memories, beside FAISS alone on the same vectors.

After it, on the same store: names that the working tree no longer has, limits, and what the audit takes.

    python -m tests.bench.bench_upkeep [--memories 100000]

FAISS alone: every vector's eight nearest in a flat float32 index, in the same process, with the same threads. One
project is the worst case: memories of different projects are not compared. A fiftieth of the memories are second
tellings of another one, by which is measured what a look finds. The store is made anew each time, outside of the clock.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from tests.bench.bench_search import DIMENSION, Corpus
from tui_memory import Memory, config
from tui_memory.model import Body, NewMemory
from tui_memory.store import chunks, projects, rows, vectors
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

_TOPICS, _SECOND = 3000, 50
_FILES = 400
_SHOWN = 500  # cases that the application lists at first


def repository(folder: Path) -> None:
    """A working tree of so many files, of which a quarter is gone and a quarter has another name."""
    folder.mkdir()
    for number in range(_FILES):
        (folder / f"part_{number}.py").write_text(f"def part_{number}():\n    return {number}\n")
    for command in (
        ("init", "-q"),
        ("add", "-A"),
        ("commit", "-qm", "One"),
        None,
        ("add", "-A"),
        ("commit", "-qm", "Two"),
    ):
        if command is None:
            for number in range(0, _FILES, 4):
                (folder / f"part_{number}.py").unlink()
                (folder / f"part_{number + 1}.py").rename(folder / f"piece_{number + 1}.py")
            continue
        who = ("-c", "user.name=Robin", "-c", "user.email=robin@example.com")
        subprocess.run(["git", *who, "-C", str(folder), *command], check=True)


def build(home: Path, count: int) -> NDArray[np.float32]:
    """A store of so many memories of one project; the vectors of all of them."""
    corpus, random = Corpus(), np.random.default_rng(11)
    heads = np.zeros((count, DIMENSION), dtype=np.float32)
    repository(home.parent / "orderly")
    with Store(home) as store:
        found = projects.resolve(store, str(home.parent / "orderly"))
        assert found is not None
        owner = found.id
        model = vectors.model(store, "all-MiniLM-L6-v2", DIMENSION)
        for start in range(0, count, 5000):
            topics = random.integers(0, _TOPICS, min(5000, count - start))
            said = corpus.texts(topics, 64)
            made = corpus.vectors(topics)
            for at in range(1, len(said), _SECOND):  # told again: the same words in another order, a vector nearby
                said[at] = list(random.permutation(said[at - 1]))
                near = made[at - 1] + 0.015 * random.standard_normal(DIMENSION).astype(np.float32)
                made[at] = near / np.linalg.norm(near)
            heads[start : start + len(made)] = made
            news = [
                NewMemory(
                    Body(
                        " ".join(one[:8]), text=" ".join(one[8:]), files=[f"part_{(start + n) // _SECOND % _FILES}.py"]
                    ),
                    owner,
                )
                for n, one in enumerate(said)
            ]
            ids = Changes(store).add(news)
            _embed(store, model, ids, made)
    return heads


def _embed(store: Store, model: int, ids: list[int], made: NDArray[np.float32]) -> None:
    states = rows.states_of(store.connection, ids)
    placed = chunks.add(store, [(states[id_]["version_id"], 0, "") for id_ in ids])
    vectors.put(store, model, list(zip(placed, (row.tobytes() for row in made.astype("<f2")), strict=True)))


def alone(heads: NDArray[np.float32]) -> float:
    """Seconds FAISS takes for every vector's eight nearest."""
    began = time.perf_counter()
    index = faiss.IndexFlatIP(DIMENSION)
    index.add(heads)
    for start in range(0, len(heads), 2048):
        index.search(heads[start : start + 2048], 8)
    return time.perf_counter() - began


def clocked(what: str, deed: Callable[[], object], times: int = 1) -> None:
    """Print how long something takes, the middle one of so many times."""
    took, used = [], []
    for _ in range(times):
        began, worked = time.perf_counter(), time.process_time()
        deed()
        took.append(time.perf_counter() - began)
        used.append(time.process_time() - worked)
    print(f"{what}: {1000 * statistics.median(took):,.0f} ms [{1000 * statistics.median(used):,.0f}]", flush=True)


def audit(memory: Memory) -> None:
    """What the audit and the limits take on a store of this size."""
    clocked("audit, the first look at every text", memory.auditing.look)
    clocked("audit, a look that finds nothing new", memory.auditing.look, 5)
    rows = memory.auditing.queue(limit=_SHOWN)

    def opened() -> None:
        memory.auditing.overview()
        memory.auditing.titles(memory.auditing.queue(limit=_SHOWN))
        memory.auditing.case(rows[0].id)

    print(f"{memory.auditing.overview().open:,} cases")
    clocked("audit, opened: counts, list, first case", opened, 9)
    clocked("audit, the next case", lambda: memory.auditing.case(rows[1].id), 9)
    clocked("audit, settled", lambda: memory.auditing.settle(rows[2].id, "keep"))
    clocked("audit, the report of a week", memory.auditing.report, 3)
    clocked("forecast", memory.upkeep.forecast, 5)
    clocked("what limits would take, dry run", lambda: memory.upkeep.enforce(dry_run=True))


def main() -> None:
    """Print seconds, the ratio, peak memory and what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    count: int = parser.parse_args().memories
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "store"
        with Memory(home, embedding="none", settings=config.Settings()) as memory:
            _ = memory.store  # says by which rules what follows is masked
        heads = build(home, count)
        first = alone(heads)
        del heads
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with Memory(home, embedding="none", settings=config.Settings()) as memory:
            began, worked = time.perf_counter(), time.process_time()
            done = memory.upkeep.refresh(full=True)
            took, worked = time.perf_counter() - began, time.process_time() - worked
            found = {(pair.low, pair.high) for pair in memory.upkeep.duplicates()}
            began = time.perf_counter()
            memory.upkeep.refresh(full=True, cancelled=lambda: False)
            again = time.perf_counter() - began
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(f"stale by code: {done.stale:,} memories")
            audit(memory)
    planted = {(at, at + 1) for at in range(1, count, 5000) for at in range(at, min(at + 5000, count), _SECOND)}
    print(f"{done.examined:,} memories of one project, {len(found):,} pairs")
    print(f"FAISS alone {first:.1f} s · full look {took:.1f} s [{worked:.1f}] ({took / first:.2f} x)")
    print(f"once more {again:.1f} s")
    print(f"second tellings found: {len(planted & found) / len(planted):.3f} of {len(planted):,}")
    print(f"peak memory {peak / 1024:,.0f} MB ({(peak - before) / 1024:,.0f} MB above FAISS alone)")


if __name__ == "__main__":
    main()
