"""A turn: one prompt and all that followed until the next; number 0 stands for the session's digest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui_memory.compress import requests
from tui_memory.errors import NotFoundError
from tui_memory.model import Kind, Memory, Observation

if TYPE_CHECKING:
    from tui_memory.store.db import Store

WHOLE = -1
"""The number of a whole session that is compressed like one turn."""
MERGING = -2
"""The number of a turn whose events are memories that are to be one."""
MOST = 2_000
"""Observations that are read of one turn: the first and the last half of a longer one."""


@dataclass(slots=True)
class Turn:
    """What a compressor is given. Times in ms; observations oldest first."""

    session_id: int
    number: int
    project_id: int | None
    branch: str
    agent: str
    observations: list[Observation]
    started: int
    ended: int
    earlier: list[Observation] = field(default_factory=list)
    """The session's prompts before this turn, oldest first: what "then what is it?" is about."""
    taught: list[Memory] = field(default_factory=list)
    """For number 0: what the session's turns have become, oldest first."""
    requests: list[Observation] = field(default_factory=list)
    """Calls before or after this turn that showed the pull requests which its commits name."""

    def of(self, *kinds: Kind) -> list[Observation]:
        """The observations of some kinds, oldest first."""
        return [item for item in self.observations if item.kind in kinds]

    def last_of(self, kind: Kind) -> Observation | None:
        """The last observation of a kind."""
        return next((item for item in reversed(self.observations) if item.kind == kind), None)


def load(store: Store, session_id: int, turn: int) -> Turn:
    """A turn from the store; WHOLE: the whole session as one; 0: the whole session and what was made of it.

    NotFoundError: there is no such session.
    """
    found = store.rows("SELECT agent, branch, project_id, started, last_seen FROM sessions WHERE id = ?", (session_id,))
    if not found:
        raise NotFoundError(f"There is no session {session_id} in this store.")
    session = found[0]
    observations = _observations(store, session_id, turn)
    project = _project(store, session_id, turn, session["project_id"])
    return Turn(
        session_id,
        turn,
        project,
        next((item.branch for item in reversed(observations) if item.branch), session["branch"]),
        session["agent"],
        observations,
        observations[0].time if observations else session["started"],
        observations[-1].time if observations else session["last_seen"],
        earlier=_earlier(store, session_id, turn) if turn > 0 else [],
        taught=[] if turn else _taught(store, session_id),
        requests=requests.shown(store, project, observations) if turn else [],
    )


def _observations(store: Store, session_id: int, turn: int) -> list[Observation]:
    """What is kept of a turn; what could not be kept (`unscanned`, `oversize`) tells nothing to make a memory of."""
    from tui_memory.store import observations

    order = "time, id" if turn > 0 else "turn, time, id"
    where = "session_id = ?1 AND turn = ?2" if turn > 0 else "session_id = ?1 AND ?2 <= 0"
    values: tuple[object, ...] = (session_id, turn)
    where += " AND reason NOT IN (?3, ?4)"
    values += requests.METADATA_ONLY
    ids = [row["id"] for row in store.rows(f"SELECT id FROM observations WHERE {where} ORDER BY {order}", values)]
    if len(ids) > MOST:
        ids = ids[: MOST // 2] + ids[-MOST // 2 :]
    return observations.get(store, ids)


def _project(store: Store, session_id: int, turn: int, default: int | None) -> int | None:
    """The project of most of the turn's observations: an agent may have gone into another folder."""
    rows = store.rows(
        "SELECT project_id FROM observations WHERE session_id = ? AND (turn = ? OR ? <= 0) AND project_id IS NOT NULL"
        " GROUP BY project_id ORDER BY count(*) DESC, max(id) DESC LIMIT 1",
        (session_id, turn, turn),
    )
    return rows[0][0] if rows else default


def _earlier(store: Store, session_id: int, turn: int) -> list[Observation]:
    from tui_memory.store import observations

    rows = store.rows(
        "SELECT id FROM observations WHERE session_id = ? AND turn < ? AND kind = ?"
        " ORDER BY turn DESC, id DESC LIMIT 5",
        (session_id, turn, Kind.PROMPT),
    )
    return observations.get(store, [row["id"] for row in reversed(rows)])


def _taught(store: Store, session_id: int) -> list[Memory]:
    from tui_memory.store import memories

    rows = store.rows(
        "SELECT m.id FROM memories m JOIN versions v ON v.id = m.version_id"
        " WHERE m.session_id = ? AND m.state IN ('active', 'superseded') AND v.kind <> 'digest'"
        " ORDER BY m.created, m.id",
        (session_id,),
    )
    return memories.get(store, [row["id"] for row in rows])
