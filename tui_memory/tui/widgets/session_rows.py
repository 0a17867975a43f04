"""One row of the sessions pane: its agent, whether it is live, what it holds; commits outside sessions are one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui_memory.light import dataclass
from tui_memory.safetext import one_line
from tui_memory.tui import formats
from tui_memory.tui.widgets.rows import Cell

if TYPE_CHECKING:
    from tui_memory.store.observations import SessionRow

OUTSIDE = "git"
"""The agent of commits that no session made: each is a session of its own."""
LIVE_FOR = 10 * formats.MINUTE
"""So long after its last event a session whose turn is open counts as live."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A row: a session, or all that have no agent."""

    key: int
    agent: str
    session: str
    """Empty: every session of this agent."""
    branch: str
    turn: int
    events: int
    memories: int
    last_seen: int
    live: bool
    idle: bool
    """Neither live nor ended."""


def rows(found: Sequence[SessionRow]) -> list[Shown]:
    """Live ones first, then the last seen; the sessions of lone commits as one, last."""
    own = [_shown(row) for row in found if row.agent != OUTSIDE]
    own.sort(key=lambda row: not row.live)
    commits = [row for row in found if row.agent == OUTSIDE]
    if not commits:
        return own
    events, made = sum(row.observations for row in commits), sum(row.memories for row in commits)
    last = max(row.last_seen for row in commits)
    return [*own, Shown(0, OUTSIDE, "", "", 0, events, made, last, False, False)]


def _shown(row: SessionRow) -> Shown:
    live = row.ended is None and bool(row.turn_open) and formats.now() - row.last_seen < LIVE_FOR
    idle = not live and row.ended is None and formats.now() - row.last_seen < formats.HOUR
    return Shown(
        row.id, row.agent, row.session, row.branch, row.turn, row.observations, row.memories, row.last_seen, live, idle
    )


def draw(row: Shown, agent: str, session: str, width: int) -> list[Cell]:
    """Chosen, live, idle or ended; agent and id; turn, events, last seen."""
    chosen = session == row.session if row.session else agent == row.agent
    mark, role = ("✓", "accent") if chosen else ("●", "good") if row.live else ("◌" if row.idle else "–", "muted")
    name = f"{formats.session(row.session)} {one_line(row.agent)}" if row.session else "commits"
    return [
        Cell(mark, role, width=1),
        Cell(name, "subject" if row.live or chosen else "", flex=True),
        Cell(formats.short(row.branch, 40), "muted", width=12, needs=36),
        Cell(formats.number(row.events), "muted", right=True, width=4),
        Cell("live" if row.live else formats.age(row.last_seen), "good" if row.live else "muted", width=5, right=True),
    ]


def summary(found: Sequence[Shown]) -> str:
    """How many are live, of how many."""
    live = sum(row.live for row in found)
    return f"sessions · {live} live" if live else "sessions"
