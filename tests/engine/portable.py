"""A store that has everything an export can hold, and the file's records as a test reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tui_memory import Memory
from tui_memory.engine.exporting import Wanted
from tui_memory.engine.import_report import ForeignReport
from tui_memory.engine.importing import Importing

ALL = Wanted(journal=True, sources=True)
AWKWARD = "one\r\ntwo\n\n<!-- text -->\n\\<!-- end -->\n# no heading\n- no item\n\u2028\u200btab\there  \n"


def fill(memory: Memory) -> list[int]:
    """Memories of every state, with sources, versions, a merge, and things taken back."""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": "/srv/orderly", "prompt": "Why?"}
    source = memory.capture("claude-code", payload)
    items: list[dict[str, Any]] = [
        {"title": f"Title {n}", "summary": "in short\nand more", "text": AWKWARD, "facts": ["a\n\nb", "- c", "d "],
         "labels": ["x y"], "files": ["a b.py", "`q`"], "project": "orderly" if n % 2 else None, "session": "s1",
         "sources": [source], "branch": "main", "created": 1_700_000_000_000 + n}
        for n in range(9)
    ]  # fmt: skip
    ids = memory.add_many(items)
    memory.edit(ids[0], title="Title 0, again", text="short")
    memory.delete(ids[1])
    memory.pin([ids[2], ids[3]])
    memory.merge([ids[3], ids[5]])
    memory.supersede(ids[4], ids[6])
    memory.edit(ids[7], everywhere=True)
    memory.undo()
    memory.fetch(ids[8])
    return ids


def lines(path: Path) -> list[dict[str, Any]]:
    """The records between header and end; an import's own entry is not the exporter's."""
    read = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    return [one for one in read[1:-1] if one.get("action") != "import"]


def take(memory: Memory, path: Path, **how: Any) -> ForeignReport:
    return Importing(memory).file(path, **how)


def counts(report: ForeignReport) -> tuple[int, int, int]:
    return report.new, report.changed, report.known
