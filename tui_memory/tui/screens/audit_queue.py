"""What is still to come: the queue's rows, their titles read a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_memory.tui import describe
from tui_memory.tui.widgets.rows import Cell

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.audit_cases import Row


@dataclass(frozen=True, slots=True)
class Queued:
    """One row: the case, and the title of its memory."""

    row: Row
    title: str


class QueueSource:
    """The queue; titles are asked for as they come into view."""

    def __init__(self, memory: Memory, rows: Sequence[Row]) -> None:
        self._memory, self._rows = memory, rows

    def count(self) -> int:
        """How many cases."""
        return len(self._rows)

    def fetch(self, offset: int, n: int) -> Sequence[Queued]:
        """The cases from `offset`, at most `n`."""
        rows = self._rows[offset : offset + n]
        titles = self._memory.auditing.titles(rows)
        return [Queued(row, titles.get(row.low, "")) for row in rows]


def draw(queued: Queued, width: int) -> list[Cell]:
    """Risk and title."""
    risk = queued.row.risk
    role = "bad" if risk >= 0.8 else "warn" if risk >= 0.6 else "muted"
    return [
        Cell(f"{risk:.2f}", role, width=4),
        Cell(describe.line(queued.title, width) or "(no title)", flex=True),
    ]
