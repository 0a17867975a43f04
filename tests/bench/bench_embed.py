"""How much of the model's own speed is left when memories are embedded: texts a second of both, and their ratio.

    python -m tests.bench.bench_embed [--memories 1500]

The model alone encodes the same chunks in batches of like length, as it would for anybody; beside it, `embed_missing`
reads, chunks, encodes and stores them. Both take turns and the best of three runs counts: the machine may be busy.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.bench_search import Corpus
from tui_memory.config import EmbedSettings
from tui_memory.index.chunking import split
from tui_memory.index.embedders import open_embedder
from tui_memory.index.work import embed_missing
from tui_memory.model import Body, NewMemory
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

_RUNS = 3


def bodies(count: int) -> list[Body]:
    """Memories of 100 to 1,600 characters."""
    import numpy as np

    said = Corpus().texts(np.arange(count) % 3000, 256)
    return [Body(" ".join(words[:8]), text=" ".join(words[8 : 16 + (at * 37) % 240])) for at, words in enumerate(said)]


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    """(of the clock, of the processor over all threads)."""
    started, worked = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - started, time.process_time() - worked


def main() -> None:
    """Print both and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1500)
    made = bodies(parser.parse_args().memories)
    chunks = [chunk for body in made for chunk in split(body.title, body.summary, body.text)]
    model = open_embedder(EmbedSettings())
    model.encode(chunks[:64])
    alone, ours = [], []
    for _ in range(_RUNS):
        alone.append(seconds(lambda: model.encode(chunks)))
        with tempfile.TemporaryDirectory(prefix="tui-memory-bench-") as home, Store(Path(home)) as store:
            Changes(store).add([NewMemory(body) for body in made])
            ours.append(seconds(lambda store=store: embed_missing(store, model)))  # type: ignore[misc]
    for at, what in enumerate(("clock", "processor")):
        raw, whole = min(run[at] for run in alone), min(run[at] for run in ours)
        print(
            f"{what:<10} model alone {len(chunks) / raw:7.1f} chunks/s   embed_missing {len(chunks) / whole:7.1f}"
            f" chunks/s   {raw / whole:.3f} of the model's own"
        )


if __name__ == "__main__":
    main()
