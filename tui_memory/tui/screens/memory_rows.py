"""What Memories lists: rows by page from the engine, how one is drawn, what a search was less than."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_memory import model
from tui_memory.retrieve.result import SearchResult
from tui_memory.safetext import one_line
from tui_memory.tui import describe, formats
from tui_memory.tui.widgets.rows import Cell

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


STATES = ("active", "held", "superseded", "merged", "trash", "all")
WHY_EMPTY = {
    "held": "Nothing is held: no memory waits for you.",
    "superseded": "Nothing was superseded by something newer.",
    "merged": "Nothing was merged into another.",
    "trash": "The trash is empty.",
    "all": "Nothing is remembered, and nothing ever was.",
}
SORTS = {
    "created": "newest first",
    "used": "used last first",
    "uses": "most used first",
    "title": "by title",
    "tokens": "largest first",
    "pinned": "pinned first",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A row: a memory without text and facts, and its score where it was searched for."""

    memory: model.Memory
    score: float | None = None


@dataclass(frozen=True, slots=True)
class MemorySource:
    """Memories by page, as the engine has them."""

    engine: Memory
    filters: model.Filters
    state: str
    sort: str

    def count(self) -> int:
        """How many there are."""
        return self.engine.count(self.filters, state=self.state)

    def fetch(self, offset: int, n: int) -> Sequence[Listed]:
        """One page."""
        rows = self.engine.memories(self.filters, state=self.state, sort=self.sort, limit=n, offset=offset)
        return [Listed(row) for row in rows]

    def keys(self) -> frozenset[int]:
        """The ids of all, for marking: a million would be read by page for minutes."""
        return frozenset(self.engine.exporting.ids(self.filters, self.state))


def draw(row: Listed, width: int) -> list[Cell]:
    """One row: pin, state, title, kind, tokens, age; in a search its score."""
    memory = row.memory
    state = describe.MEMORY_GLYPHS.get(memory.state, "·")
    return [
        Cell("▲" if memory.pinned else " ", "accent", width=1),
        Cell(f"{state} {one_line(memory.state)}" if memory.state != "active" else "", "warn"),
        Cell(describe.line(memory.title, width) or "(no title)", "subject", flex=True),
        Cell("pinned" if memory.pinned else "", "accent", needs=64),
        Cell(f"from {describe.line(memory.shared_by, 12)}" if memory.shared_by else "", "muted", needs=44),
        Cell(f"{row.score:.2f}" if row.score is not None else "", "accent"),
        Cell(describe.line(memory.kind, 12), "muted", width=10, needs=56),
        Cell(formats.tokens(memory.tokens), "muted", width=7, right=True, needs=44),
        Cell(formats.age(memory.created), "muted", width=6, right=True),
    ]


def degraded(result: SearchResult) -> str:
    """What a result is less than, in a person's words."""
    return missing(result.degraded)


def missing(degraded: Sequence[str]) -> str:
    """What was missing, in a person's words."""
    if "model" in degraded:
        return "words only: the model is not ready"
    if "index" in degraded:
        return "words only: the index is being rebuilt"
    if "hub" in degraded:
        return "without the team's hub: it did not answer in time"
    return f"without {', '.join(one_line(part) for part in degraded)}"
