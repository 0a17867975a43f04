"""Ten thousand memories out of a store and into another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_memory import Memory
from tui_memory.engine.exporting import Wanted
from tui_memory.engine.importing import Importing
from tui_memory.model import Body, NewMemory
from tui_memory.store import projects
from tui_memory.store.changes import Changes

from .conftest import RULES_ONLY

MANY = 10_000


def lines(path: Path) -> list[str]:
    """The file without its header and end, and without the import's own entries."""
    read = path.read_text("utf-8").split("\n")[1:-2]
    return [line for line in read if '"action":"import"' not in line]


@pytest.mark.timeout(600)  # the one test that is about a large store
def test_ten_thousand_memories_come_back_exactly_and_undo_takes_them_back(memory: Memory, tmp_path: Path) -> None:
    place = [projects.find_or_add(memory.store, f"p{n}") for n in range(3)]
    Changes(memory.store).add(
        [
            NewMemory(
                Body(f"Number {n}", "In short.", f"`value_{n}` was set", [f"{n} is {n % 7}"], labels=["api"],
                     files=[f"src/part_{n % 90}.py"]),
                place[n % 3], created=1_700_000_000_000 + n,
            )
            for n in range(MANY)
        ]
    )  # fmt: skip
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    assert memory.exporting.export(here, Wanted(journal=True)).memories == MANY
    with Memory(tmp_path / "other", embedding="none", settings=RULES_ONLY) as other:
        assert Importing(other).file(here).new == MANY
        other.exporting.export(there, Wanted(journal=True))
        assert lines(here) == lines(there)
        assert json.loads(there.read_text().split("\n")[-2])["type"] == "end"
        again = Importing(other).file(here)
        assert (again.new, again.changed, again.known) == (0, 0, MANY)
        assert len(other.undo()) == MANY and other.count(state="all") == 0
