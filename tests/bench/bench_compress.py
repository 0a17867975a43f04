"""What compression costs and loses: hit@5 over the sample's labelled questions, from memories and from raw events.

    python -m tests.bench.bench_compress [--route extractive] [--route ollama:qwen2.5-coder:1.5b] [--turns N] [--words]

For each route: memories, their tokens to those of what was captured (ratio), hit@5 with a bootstrap interval, what
was retained and flagged, tokens a second, and the time that everything beside the model took. `raw`: every
observation as a memory of its own. `--turns N`: only the first N turns, and the questions that they answer.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.bench_sample import interval
from tui_memory import Filters, Memory, config
from tui_memory.compress.queue import Progress, drain
from tui_memory.compress.router import Router
from tui_memory.engine import sample
from tui_memory.model import Body, MadeBy, NewMemory
from tui_memory.store import observations, queue
from tui_memory.store.changes import Changes
from tui_memory.tokens import count_tokens

RAW = "raw"


@dataclass
class Run:
    """What the turns of one run became."""

    seen: list[Progress] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def model_seconds(self) -> float:
        """Seconds that the model took, of all routes but the rules."""
        return sum(one.compressed.ms for one in self.seen if one.compressed.model) / 1000

    def told(self) -> str:
        """The run in figures."""
        model = [one.compressed for one in self.seen if one.compressed.model]
        failed = sum(bool(one.compressed.failures) for one in self.seen)
        written = sum(one.tokens_out for one in model)
        beside = self.seconds - self.model_seconds
        speed = f", {written / self.model_seconds:.1f} tokens/s written" if self.model_seconds else ""
        return (
            f"{len(self.seen)} turns, {len(model)} by a model, {failed} fell back, {self.seconds:.1f} s,"
            f" {beside:.2f} s beside the model ({beside / self.seconds:.1%}){speed}"
        )


def compress(memory: Memory, route: str, turns: int | None) -> tuple[Run, set[int]]:
    """Compress the sample by a route: the run, and the observations of the turns in it."""
    run, started, inside = Run(), time.perf_counter(), set[int]()
    wanted = replace(config.CompressSettings(), routes=(route, "extractive"), **_UNBOUNDED)
    settings = config.Settings(compress=wanted)

    def on_turn(one: Progress) -> None:
        run.seen.append(one)
        inside.update(item.id for item in one.turn.observations if one.turn.number)
        print(f"\r{len(run.seen)} turns, {time.perf_counter() - started:.0f} s", end="", flush=True)

    drain(memory.store, Router(settings), worker="bench", limit=turns, on_turn=on_turn)
    run.seconds = time.perf_counter() - started
    print("\r", end="")
    return run, inside


_UNBOUNDED: dict[str, Any] = {
    "calls_per_day": 10**9, "tokens_per_day": 10**9, "seconds_per_day": 10**9, "calls_per_session": 10**9,
    "tokens_per_session": 10**9, "seconds_per_session": 10**9,
}  # fmt: skip


def keep_raw(memory: Memory, turns: int | None) -> set[int]:
    """Make every observation of the first turns a memory of its own; their ids."""
    jobs = queue.lease(memory.store, "bench", turns or 10**9)
    places = {(job.session_id, job.turn) for job in jobs}
    rows = memory.store.rows("SELECT id, session_id, turn, project_id FROM observations")
    inside = {row["id"]: row["project_id"] for row in rows if (row["session_id"], row["turn"]) in places}
    found = [item for item in observations.get(memory.store, list(inside)) if item.text.strip()]
    Changes(memory.store).add(
        [
            NewMemory(
                Body(item.text.strip().split("\n")[0][:80], text=item.text, files=item.files, made_by=MadeBy("raw")),
                inside[item.id],
                created=item.time,
                sources=[item.id],
            )
            for item in found
        ]
    )
    return set(inside)


def hits(memory: Memory, stored: dict[str, int], inside: set[int]) -> list[bool]:
    """Whether each question that the turns answer has an answer among its first five."""
    found = []
    for query in sample.queries():
        answers = {stored[event] for event in query.answers if event in stored} & inside
        if answers:
            got = memory.search(query.query, limit=5, filters=Filters(project=query.project))
            found.append(any(answers & set(hit.memory.sources) for hit in got))
    return found


def measure(route: str, turns: int | None, *, words: bool) -> None:
    """One route in a throw-away store, in a few lines."""
    with (
        tempfile.TemporaryDirectory(prefix="tui-memory-bench-") as home,
        Memory(Path(home), embedding="none" if words else "auto") as memory,
    ):
        sample.place_projects(memory)
        stored = sample.replay(memory)
        run, inside = (None, keep_raw(memory, turns)) if route == RAW else compress(memory, route, turns)
        memory.embedding.embed_missing()
        given = sum(count_tokens(item.text) for item in observations.get(memory.store, sorted(inside)))
        made = memory.get([one.id for one in memory.memories(limit=10**6)])
        found = hits(memory, stored, inside)
        low, high = interval(found)
        ratio = sum(one.tokens for one in made) / given
        print(f"{route}: {len(made)} memories, ratio {ratio:.3f} of {given:,} tokens")
        print(f"  hit@5 {np.mean(found):.3f} [{low:.3f}, {high:.3f}] of {len(found)}")
        if run:
            flagged = sum(bool(one.grounding.flagged) for one in made)
            kept = np.mean([one.grounding.retained for one in made])
            print(f"  retained {kept:.3f}, {flagged / len(made):.3f} with something taken out; {run.told()}")


def main() -> None:
    """Raw first, then each route."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--route", action="append", help="may be repeated; default: extractive")
    parser.add_argument("--turns", type=int, help="only so many turns")
    parser.add_argument("--words", action="store_true", help="without the embedding model")
    given = parser.parse_args()
    for route in (RAW, *(given.route or ["extractive"])):
        measure(route, given.turns, words=given.words)


if __name__ == "__main__":
    main()
