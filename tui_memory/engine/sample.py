"""The sample data: a fictional project's agent sessions, run through the whole pipeline into a store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory.clock import parse_iso
from tui_memory.errors import NotFoundError

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

PACKAGE = Path(__file__).resolve().parent.parent
PROJECTS = {
    "orderly": ("/home/dev/orderly", "/home/dev/orderly-fix", "/home/dev/orderly/deploy"),
    "orderly-web": ("/home/dev/orderly-web",),
}
"""The sample's projects and the folders (a worktree and a sub-folder among them) that they were worked on in."""


@dataclass(frozen=True, slots=True)
class SampleEvent:
    """One event of the sample: its label (queries refer to it), who sent it, when (ms), and the payload."""

    id: str
    agent: str
    time: int
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SampleQuery:
    """A labelled query: the events whose content answers it, and how it is put (words, paraphrase, code)."""

    query: str
    answers: tuple[str, ...]
    style: str
    project: str


def folder() -> Path:
    """Where the sample is: inside an installed package, or beside it in a checkout."""
    for place in (PACKAGE / "_data" / "sample_data", PACKAGE.parent / "sample_data"):
        if (place / "queries.jsonl").is_file():
            return place
    raise NotFoundError("The sample data is not in this installation. Nothing was changed; reinstall tui-memory.")


def events(place: Path | None = None) -> list[SampleEvent]:
    """Every event in order of time, its fake secrets put together from their pieces."""
    place = place or folder()
    markers = {f"{{{{secret:{kind}}}}}": secret for kind, secret in secrets(place).items()}
    found = [
        SampleEvent(row["id"], row["agent"], parse_iso(row["time"]), _expanded(row["payload"], markers))
        for path in (*sorted((place / "sessions").glob("*.jsonl")), place / "history.jsonl")
        for row in _rows(path)
    ]
    return sorted(found, key=lambda event: event.time)


def secrets(place: Path) -> dict[str, str]:
    """The sample's fake secrets by kind, put together from pieces so that no file holds a whole one."""
    recipes = json.loads((place / "secrets.json").read_text("utf-8"))
    return {kind: "".join(pieces) for kind, pieces in recipes.items()}


def queries(place: Path | None = None) -> list[SampleQuery]:
    """The labelled queries."""
    place = place or folder()
    return [
        SampleQuery(row["query"], tuple(row["answers"]), row["style"], row.get("project", "orderly"))
        for row in _rows(place / "queries.jsonl")
    ]


def replay(memory: Memory, on_event: Callable[[int, int], None] | None = None) -> dict[str, int]:
    """Capture every event in its order: label → observation id. `on_event(done, total)` as it goes."""
    stored: dict[str, int] = {}
    every = events()
    for number, event in enumerate(every, 1):
        observation = memory.capture(event.agent, event.payload, time=event.time)
        if observation is not None:
            stored[event.id] = observation
        if on_event is not None:
            on_event(number, len(every))
    return stored


def build(memory: Memory, on_progress: Callable[[str, int, int], None] | None = None) -> dict[str, int]:
    """Replay, compress and embed the sample into a store: label → observation id.

    `on_progress(stage, done, total)`: stage is capture, compress or embed.
    """

    def step(stage: str, done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(stage, done, total)

    place_projects(memory)
    stored = replay(memory, lambda done, total: step("capture", done, total))
    waiting, done = memory.stats()["queue"].get("waiting", 0), 0

    def turn(*_: object) -> None:
        nonlocal done
        done += 1
        step("compress", done, waiting)

    memory.compressing.drain(turn)
    step("embed", 0, 1)  # said before it begins: it takes longer than all before it
    memory.embedding.embed_missing()
    step("embed", 1, 1)
    return stored


def judge(memory: Memory, stored: Mapping[str, int], every: int = 5) -> int:
    """Put every fifth of the labelled queries into the store as judged by a person; how many judgments."""
    done = 0
    for query in queries()[::every]:
        sources = [stored[label] for label in query.answers if label in stored]
        for made in memory.store.rows(
            "SELECT DISTINCT memory_id FROM memory_sources WHERE observation_id IN (SELECT value FROM json_each(?))",
            (json.dumps(sources),),
        ):
            memory.evaluating.judge(query.query, made[0], relevant=True, project=query.project)
            done += 1
    return done


def place_projects(memory: Memory) -> None:
    """Say which of the sample's folders, none of which exist, belong to one project: git cannot be asked."""
    from tui_memory.store import projects

    for name, folders in PROJECTS.items():
        projects.place(memory.store, name, folders)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _expanded(value: Any, markers: dict[str, str]) -> Any:
    if isinstance(value, str):
        for marker, secret in markers.items():
            if marker in value:
                value = value.replace(marker, secret)
        return value
    if isinstance(value, list):
        return [_expanded(part, markers) for part in value]
    if isinstance(value, dict):
        return {key: _expanded(part, markers) for key, part in value.items()}
    return value
