"""How often the sample's labelled questions find their answer: hit@5, with a bootstrap interval.

    python -m tests.bench.bench_sample [--words] [--misses]

The sample's events are captured, compressed and embedded into a throw-away store. A hit: one of the first five
memories has one of the events that answer the question among its sources. `--words`: without the model.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from tui_memory import Filters, Memory
from tui_memory.engine import sample

_DRAWS = 2000


def interval(hits: list[bool]) -> tuple[float, float]:
    """The 95 % interval of a share, by drawing the questions again with replacement."""
    drawn = np.random.default_rng(1).choice(np.array(hits, dtype=float), (_DRAWS, len(hits))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def ask(memory: Memory, stored: dict[str, int], *, show: bool) -> dict[str, list[bool]]:
    """Whether each question is a hit, by style; the misses are printed where wanted."""
    found: dict[str, list[bool]] = defaultdict(list)
    for query in sample.queries():
        hits = memory.search(query.query, limit=5, filters=Filters(project=query.project))
        answers = {stored[event] for event in query.answers if event in stored}
        found[query.style].append(any(answers & set(hit.memory.sources) for hit in hits))
        if show and not found[query.style][-1]:
            best = ", ".join(f"#{hit.id} {hit.memory.title[:40]}" for hit in hits[:2]) or "nothing"
            print(f"  miss [{query.style}] {query.query}  →  {best}")
    return found


def main() -> None:
    """Build the store, ask, print hit@5 of each style and of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", action="store_true", help="without the embedding model")
    parser.add_argument("--misses", action="store_true", help="print the questions that find no answer")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="tui-memory-bench-") as home,
        Memory(Path(home), embedding="none" if given.words else "auto") as memory,
    ):
        stored = sample.build(memory)
        found = ask(memory, stored, show=given.misses)
        print(f"{len(stored)} events, {memory.count()} memories")
    found["all"] = [hit for hits in list(found.values()) for hit in hits]
    for style, hits in found.items():
        low, high = interval(hits)
        print(f"hit@5 {style:<12} {np.mean(hits):.3f}  [{low:.3f}, {high:.3f}]  of {len(hits)}")


if __name__ == "__main__":
    main()
