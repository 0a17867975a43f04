"""Reading transcripts in tests: the documented and recorded ones, and small ones written for a case."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tui_memory.capture.transcripts import READERS, Step, Tally
from tui_memory.model import Draft, Kind

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
RECORDED = FIXTURES.parent / "recorded"
MAIN = FIXTURES / "claude-code" / "-home-dev-orderly" / "6f1c2a74-9b3e-4d58-8a11-0c7de5b2f901.jsonl"
SUB = MAIN.with_suffix("") / "subagents" / "agent-a3f9c1d7e5b2a4c68.jsonl"


def steps(agent: str, path: Path, start: int = 0, tally: Tally | None = None) -> list[Step]:
    """Every step of a file."""
    return list(READERS[agent](path, start, tally or Tally()))


def drafts(agent: str, path: Path) -> list[Draft]:
    """Every draft of a file."""
    return [step.draft for step in steps(agent, path)]


def told(made: Iterable[Draft]) -> list[tuple[Kind, str]]:
    """(kind, first line) of drafts."""
    return [(draft.kind, draft.text.split("\n")[0]) for draft in made]


def write(path: Path, records: Iterable[Any]) -> Path:
    """A file of JSON lines; a string is written as it is."""
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path
