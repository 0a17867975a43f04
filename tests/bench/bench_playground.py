"""How long ranking again takes as a weight moves, beside the search that asked: the ratio is what counts.

    python -m tests.bench.bench_playground [--memories 100000]

The store is that of bench_search. The query's embedding is not counted. The bar: a move within 50 ms.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.bench_search import _STAMP, build, queries, timed, told
from tui_memory import Memory
from tui_memory.retrieve.profile import DEFAULT

BAR = 50.0
MOVES = 20


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    count = parser.parse_args().memories
    home = Path(tempfile.gettempdir()) / f"tui-memory-bench-{count}"
    if not (home / "built").is_file() or (home / "built").read_text() != _STAMP:
        build(home, count)
    asked = queries(10)
    known = {text: vector for text, vector in asked}
    with Memory(home, embedding="none") as memory:
        searcher: Any = memory.finding.searcher()
        searcher._embed = lambda texts, _query: np.array([known[text] for text in texts])
        memory.trying.ask(asked[0][0], DEFAULT)
        searches = timed(lambda query: searcher.search(query[0], limit=50), asked)
        told("a search for 50", searches)
        moves = [
            (one, replace(DEFAULT, dense=0.05 * at)) for one in (memory.trying.ask(text, DEFAULT) for text, _ in asked)
            for at in range(MOVES)
        ]  # fmt: skip
        again = timed(lambda move: memory.trying.rank(*move), moves)
        told("ranked again, with what is kept out", again)
        ratio = float(np.median(again[1]) / np.median(searches[1]))
        slowest = float(np.percentile(again[1], 95))
        print(f"a move costs {ratio:.2f} of a search; p95 of its processor time {slowest:.1f} ms, bar {BAR:.0f} ms")


if __name__ == "__main__":
    main()
