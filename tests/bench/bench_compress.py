"""What compression costs and loses: hit@5 over the sample's labelled questions, from memories and from raw events.

    python -m tests.bench.bench_compress [--route extractive] [--route ollama:qwen2.5-coder:1.5b] [--turns N] [--words]
                                         [--keep DIR] [--timeout SECONDS]

For each route: memories, their tokens to those of what was captured (ratio), hit@5 with a bootstrap interval, what
was retained and flagged, tokens a second, turns that fell back and those of them that timed out, and the time that
everything beside the model took. `--turns N`: only the first N turns, and the questions that they answer: the same
turns and the same questions for every route and for raw.

`raw`: every observation of those turns as a memory of its own. Its tokens are those of the observations as they are
stored: redacted, capped at `capture.max_body`, reads and searches as paths and counts alone. The sample's commands
print what real ones print: pytest with coverage and durations, tracebacks with captured logs, pre-commit's list
beside a commit, docker, vitest and kubectl in full; a turn has some 600 tokens so, which is still less than the
thousands of a long real one.

`--keep DIR`: stores stay there, one for each route, and a run that was stopped goes on where it was: with a slow model
it may take hours. A line is printed and kept for each turn.
"""

from __future__ import annotations

import argparse
import json
import re
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


Place = tuple[int, int]
"""A session and the number of a turn in it."""


@dataclass
class Run:
    """What the turns of one run became: a row for each, as it is kept in `turns.jsonl`."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    def total(self, name: str) -> float:
        """The sum of a figure over all turns."""
        return float(sum(row[name] for row in self.rows))

    def told(self) -> str:
        """The run in figures."""
        by_model = sum(bool(row["model"]) for row in self.rows)
        failures = ["; ".join(row["failures"]) for row in self.rows if row["failures"]]
        late = sum("did not answer within" in said for said in failures)
        seconds, model_s = self.total("seconds"), self.total("model_s")
        beside = max(seconds - model_s, 0.0)
        speed = f", {self.total('tokens_out') / model_s:.1f} tokens/s written" if model_s else ""
        return (
            f"{len(self.rows)} turns, {by_model} by a model, {len(failures)} fell back ({late} timed out),"
            f" {self.total('repairs'):.0f} repaired, {seconds:.1f} s, {beside:.2f} s beside the model"
            f" ({beside / max(seconds, 1e-9):.1%}){speed}"
        )


def choose(memory: Memory, turns: int | None) -> set[Place]:
    """The first turns that wait, a session's digest apart; the other waiting turns are taken out of the queue."""
    rows = memory.store.rows(
        "SELECT session_id, turn FROM queue WHERE turn > 0 ORDER BY id LIMIT ?",
        (-1 if turns is None else turns,),
    )
    places = {(row[0], row[1]) for row in rows}
    sessions = json.dumps(sorted({place[0] for place in places}))
    with memory.store.transaction() as connection:
        every = connection.execute("SELECT session_id, turn FROM queue WHERE turn > 0").fetchall()
        gone = [tuple(row) for row in every if tuple(row) not in places]
        connection.executemany("DELETE FROM queue WHERE session_id = ? AND turn = ?", gone)
        connection.execute(
            "DELETE FROM queue WHERE turn = 0 AND session_id NOT IN (SELECT value FROM json_each(?))", (sessions,)
        )
    return places


def compress(memory: Memory, route: str, log: Path, timeout_s: int) -> Run:
    """Compress what waits by a route; a row a turn goes to `log`, after those that stand there."""
    run = Run([json.loads(line) for line in log.read_text().splitlines()] if log.exists() else [])
    wanted = replace(config.CompressSettings(), routes=(route, "extractive"), timeout_s=timeout_s, **_UNBOUNDED)
    last = time.perf_counter()

    def on_turn(one: Progress) -> None:
        nonlocal last
        now, found = time.perf_counter(), one.compressed
        asked = found.ms / 1000 if found.model else 0.0
        row = {
            "session": one.turn.session_id, "turn": one.turn.number, "model": found.model, "made": len(found.made),
            "seconds": now - last, "model_s": asked, "tokens_in": found.tokens_in, "tokens_out": found.tokens_out,
            "repairs": found.repairs, "failures": found.failures,
        }  # fmt: skip
        last = now
        run.rows.append(row)
        with log.open("a") as out:
            out.write(json.dumps(row) + "\n")
        if found.model or found.failures or len(run.rows) % 20 == 0:
            why = f"  fell back: {found.failures[0][:90]}" if found.failures else ""
            print(f"  {len(run.rows)} done, {one.waiting} wait, {row['seconds']:.1f} s{why}", flush=True)

    queue.release(memory.store, "bench")  # of a run that was killed
    drain(memory.store, Router(config.Settings(compress=wanted)), worker="bench", on_turn=on_turn)
    return run


_UNBOUNDED: dict[str, Any] = {
    "calls_per_day": 10**9, "tokens_per_day": 10**9, "seconds_per_day": 10**9, "calls_per_session": 10**9,
    "tokens_per_session": 10**9, "seconds_per_session": 10**9,
}  # fmt: skip


def keep_raw(memory: Memory, inside: dict[int, int | None]) -> None:
    """Make every observation of the chosen turns a memory of its own. `inside`: observations with their projects."""
    found = [item for item in observations.get(memory.store, sorted(inside)) if item.text.strip()]
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


def within(memory: Memory, places: set[Place]) -> dict[int, int | None]:
    """The observations of the chosen turns, with their projects."""
    rows = memory.store.rows("SELECT id, session_id, turn, project_id FROM observations")
    return {row["id"]: row["project_id"] for row in rows if (row["session_id"], row["turn"]) in places}


def hits(memory: Memory, stored: dict[str, int], inside: set[int]) -> list[bool]:
    """Whether each question that the turns answer has an answer among its first five."""
    found = []
    for query in sample.queries():
        answers = {stored[event] for event in query.answers if event in stored} & inside
        if answers:
            got = memory.search(query.query, limit=5, filters=Filters(project=query.project))
            found.append(any(answers & set(hit.memory.sources) for hit in got))
    return found


def prepare(memory: Memory, home: Path, turns: int | None) -> tuple[dict[str, int], set[Place]]:
    """The sample captured and its turns chosen, or what an earlier run made of both: labels, places."""
    note = home / "bench.json"
    if note.exists():
        kept = json.loads(note.read_text())
        return kept["stored"], {(place[0], place[1]) for place in kept["places"]}
    sample.place_projects(memory)
    stored = sample.replay(memory)
    places = choose(memory, turns)
    note.write_text(json.dumps({"stored": stored, "places": sorted(places)}))
    return stored, places


def measure(route: str, turns: int | None, home: Path, *, words: bool, timeout_s: int) -> None:
    """One route in its store, in a few lines."""
    home.mkdir(parents=True, exist_ok=True)
    with Memory(home / "store", embedding="none" if words else "auto") as memory:
        stored, places = prepare(memory, home, turns)
        inside = within(memory, places)
        run = None
        if route != RAW:
            run = compress(memory, route, home / "turns.jsonl", timeout_s)
        elif not memory.count():
            keep_raw(memory, inside)
        memory.embedding.embed_missing()
        given = sum(count_tokens(item.text) for item in observations.get(memory.store, sorted(inside)))
        made = memory.get([one.id for one in memory.memories(limit=10**6)])
        found = hits(memory, stored, set(inside))
        low, high = interval(found)
        tokens = sum(one.tokens for one in made)
        print(f"{route}: {len(made)} memories, {tokens:,} tokens, ratio {tokens / given:.3f} of {given:,} tokens")
        print(f"  hit@5 {np.mean(found):.3f} [{low:.3f}, {high:.3f}] of {len(found)}")
        if run and made:
            flagged = sum(bool(one.grounding.flagged) for one in made)
            kept = np.mean([one.grounding.retained for one in made])
            print(
                f"  retained {kept:.3f}, {flagged / len(made):.3f} with something taken out; {run.told()}", flush=True
            )


def main() -> None:
    """Raw first, then each route."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--route", action="append", help="may be repeated; default: extractive")
    parser.add_argument("--turns", type=int, help="only so many turns")
    parser.add_argument("--words", action="store_true", help="without the embedding model")
    parser.add_argument("--keep", type=Path, help="a directory for the stores; a run that was stopped goes on there")
    parser.add_argument("--timeout", type=int, default=120, help="seconds of one call, for a slow machine")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tui-memory-bench-") as scratch:
        for route in (RAW, *(given.route or ["extractive"])):
            place = f"{re.sub(r'[^a-z0-9.]+', '-', route.lower())}-{given.turns or 'all'}"
            measure(
                route, given.turns, (given.keep or Path(scratch)) / place, words=given.words, timeout_s=given.timeout
            )


if __name__ == "__main__":
    main()
