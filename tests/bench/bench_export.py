"""How long ten thousand memories take out of a store and into another, and whether all of them come back exactly.

    python -m tests.bench.bench_export [--memories 10000]

Each memory has an older text and a source; the file holds them, and the journal. In brackets: the processor's seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.bench.bench_search import Corpus
from tui_memory import Memory, config
from tui_memory.engine.exporting import Wanted
from tui_memory.engine.importing import Importing
from tui_memory.model import Body, NewMemory
from tui_memory.store import projects
from tui_memory.store.changes import Changes

T = TypeVar("T")
_ALL = Wanted(journal=True, sources=True)
_EACH = 50  # memories from one observation


def fill(memory: Memory, count: int) -> None:
    """So many memories of three projects, each edited once."""
    import numpy as np

    corpus, random = Corpus(), np.random.default_rng(7)
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": "/srv/orderly"}
    seen = [memory.capture("claude-code", payload | {"prompt": f"Step {n}?"}) or 0 for n in range(count // _EACH + 1)]
    places = [projects.find_or_add(memory.store, f"p{n}") for n in range(3)]
    said = corpus.texts(random.integers(0, 3000, count), 80)
    bodies = [
        Body(" ".join(one[:8]), text=" ".join(one[8:]), facts=[" ".join(one[8:14])], labels=["api"], files=["a.py"])
        for one in said
    ]
    changes = Changes(memory.store)
    ids = changes.add([NewMemory(body, places[n % 3], sources=[seen[n // _EACH]]) for n, body in enumerate(bodies)])
    with changes.group("edit"):
        for id_, body in zip(ids, bodies, strict=True):
            changes.edit(id_, Body(f"{body.title} again", text=body.text, facts=body.facts))


def timed(what: str, deed: Callable[[], T]) -> T:
    """Print how long it takes."""
    began, worked = time.perf_counter(), time.process_time()
    done = deed()
    print(f"{what}: {time.perf_counter() - began:.1f} s [{time.process_time() - worked:.1f}]", flush=True)
    return done


def records(path: Path) -> list[str]:
    """The file without its header and end, and without the import's own entries."""
    with path.open(encoding="utf-8") as file:
        lines = file.read().split("\n")[1:-2]
    return [line for line in lines if '"action":"import"' not in line]


def main() -> None:
    """Print seconds, sizes, and whether what came back is what went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    count: int = parser.parse_args().memories
    settings = config.Settings(compress=config.CompressSettings(routes=("extractive",)))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        here, there, text, again = (place / name for name in ("a.jsonl", "b.jsonl", "a.md", "b.md"))
        with Memory(place / "one", embedding="none", settings=settings) as memory:
            fill(memory, count)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            out = timed("JSON lines out", lambda: memory.exporting.export(here, _ALL))
            timed("Markdown out", lambda: memory.exporting.export(text))
        with Memory(place / "two", embedding="none", settings=settings) as other:
            taken = timed("JSON lines in", lambda: Importing(other).file(here))
            timed("the same once more", lambda: Importing(other).file(here))
            other.exporting.export(there, _ALL)
        with Memory(place / "three", embedding="none", settings=settings) as third:
            timed("Markdown in", lambda: Importing(third).file(text))
            third.exporting.export(again)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        versions = sum(len(one["versions"]) for one in map(json.loads, records(here)) if one["type"] == "memory")
        print(f"{out.memories:,} memories, {versions:,} texts, {out.changes:,} changes, {out.observations:,} sources")
        print(f"{out.bytes / 1e6:.1f} MB; {taken.new:,} new; peak memory {peak / 1024:,.0f} MB above the store")
        print(f"JSON lines come back exactly: {records(here) == records(there)}")
        said = [re.sub(r'"sources": \[.*?\]|, exported .*', "", path.read_text("utf-8")) for path in (text, again)]
        print(f"Markdown, which holds no sources, comes back exactly: {said[0] == said[1]}")


if __name__ == "__main__":
    main()
