"""One row of a session: its agent, whether it is live, what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.safetext import one_line
from tui_memory.tui import formats
from tui_memory.tui.widgets.rows import Cell

if TYPE_CHECKING:
    from tui_memory.store.observations import SessionRow


def draw(row: SessionRow, chosen: str, width: int) -> list[Cell]:
    """Live or ended, agent and id, events, last seen; the chosen one is ticked."""
    live = row.ended is None and formats.now() - row.last_seen < formats.HOUR
    mark, role = ("✓", "accent") if row.session == chosen else ("●", "good") if live else ("–", "muted")
    return [
        Cell(mark, role),
        Cell(formats.short(f"{row.session[:6]} {one_line(row.agent)}", width), flex=True),
        Cell(formats.number(row.observations), "muted", right=True),
        Cell(formats.age(row.last_seen), "muted", width=6, right=True),
    ]
