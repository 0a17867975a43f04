"""Commits that replaced others: an amend or squash goes where the old one was told, a rebase gives new names.

Standard library only; inside ingest's transaction. A commit is found by its delivery's key, which is its name.
"""

from __future__ import annotations

import json
import sqlite3

from tui_memory.light import TYPE_CHECKING
from tui_memory.model import Draft, ObservationState
from tui_memory.store.text import dumps, storable

if TYPE_CHECKING:
    from typing import Any

_OF_COMMIT = (
    "SELECT o.id, o.session_id, o.turn, o.state, o.project_id, o.detail, s.agent, s.turn AS last_turn, s.turn_open"
    " FROM deliveries d JOIN observations o ON o.id = d.observation_id JOIN sessions s ON s.id = o.session_id"
    " WHERE d.key = ?"
)


def place_of(connection: sqlite3.Connection, draft: Draft) -> sqlite3.Row | None:
    """Where the first commit that a draft replaces was told: the observation with its session and turn."""
    return next((row for old in _amended(draft) if (row := _of(connection, old))), None)


def replaced(connection: sqlite3.Connection, draft: Draft) -> None:
    """Mark what a new commit replaces, so that its turns are told without it."""
    for old in _amended(draft):
        if row := _of(connection, old):
            _mark(connection, row, str(draft.detail["sha"]))


def came_late(connection: sqlite3.Connection, draft: Draft) -> tuple[int, int] | None:
    """A commit that was stored before anybody said what it replaces: put it where that was told.

    The session and turn that are to be compressed again; None where nothing is known of what it replaces.
    """
    new, old = _of(connection, str(draft.detail.get("sha"))), place_of(connection, draft)
    if new is None or old is None or new["id"] == old["id"]:
        return None
    replaced(connection, draft)
    detail = json.loads(new["detail"]) | {"amends": draft.detail["amends"]}
    connection.execute("UPDATE observations SET detail = ? WHERE id = ?", (dumps(detail), new["id"]))
    if new["agent"] != "git" or new["state"] != ObservationState.CAPTURED:
        return int(new["session_id"]), int(new["turn"])
    connection.execute(
        "UPDATE observations SET session_id = ?, turn = ? WHERE id = ?", (old["session_id"], old["turn"], new["id"])
    )
    connection.execute("DELETE FROM sessions WHERE id = ?", (new["session_id"],))
    return int(old["session_id"]), int(old["turn"])


def moved(connection: sqlite3.Connection, draft: Draft) -> None:
    """Give the commits of a rebase their new names: what was learned from them stays theirs."""
    for old, new in draft.detail.get("moved", ()):
        row, there = _of(connection, old), _of(connection, new)
        if row is None:
            continue
        if there is not None:
            _mark(connection, row, new)
            continue
        detail = json.loads(row["detail"])
        detail |= {"sha": new, "was": [*detail.get("was", []), old][-10:]}
        connection.execute("UPDATE deliveries SET key = ? WHERE key = ?", (_key(new), _key(old)))
        connection.execute("UPDATE observations SET detail = ? WHERE id = ?", (dumps(detail), row["id"]))


def _amended(draft: Draft) -> list[str]:
    value: Any = draft.detail.get("amends")
    return [value] if isinstance(value, str) else list(value or ())


def _mark(connection: sqlite3.Connection, row: sqlite3.Row, new: str) -> None:
    detail = json.loads(row["detail"]) | {"replaced_by": new}
    connection.execute(
        "UPDATE observations SET detail = ?, state = ?, reason = ? WHERE id = ?",
        (dumps(detail), ObservationState.SKIPPED, f"replaced by commit {new[:12]}", row["id"]),
    )


def _of(connection: sqlite3.Connection, sha: str) -> sqlite3.Row | None:
    found: sqlite3.Row | None = connection.execute(_OF_COMMIT, (_key(sha),)).fetchone()
    return found


def _key(sha: str) -> str:
    return storable(f"git:{sha}")
