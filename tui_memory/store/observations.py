"""Reading observations, sessions and turns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui_memory.clock import now_ms
from tui_memory.errors import NotFoundError, UsageError
from tui_memory.model import EVERYTHING, Filters, Observation, ObservationState
from tui_memory.store import folders, rules
from tui_memory.store.db import Store
from tui_memory.store.filters import Condition, any_of, checked, joined, marks, path_globs, project_ids

_SELECT = """
SELECT o.id, o.uid, s.session, o.agent, p.name AS project, o.branch, o.turn, o.kind, o.tool, o.time, o.text, o.files,
    o.size, o.redactions, o.state, o.reason, o.detail, o.parent, o.tokens
FROM observations o JOIN sessions s ON s.id = o.session_id LEFT JOIN projects p ON p.id = o.project_id
"""


@dataclass(slots=True)
class SessionRow:
    """One run of an agent, as lists show it. `turn` is the open one, or the last; times in ms."""

    id: int
    agent: str
    session: str
    project: str | None
    branch: str
    turn: int
    turn_open: bool
    started: int
    last_seen: int
    ended: int | None
    observations: int
    memories: int


def get(store: Store, ids: Sequence[int]) -> list[Observation]:
    """Observations by id, in the order asked; NotFoundError names those that do not exist."""
    rows = store.rows(f"{_SELECT} WHERE o.id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),))
    found = {row.id: row for row in rules.shown(store, [_observation(row) for row in rows])}
    missing = [f"#{id_}" for id_ in ids if id_ not in found]
    if missing:
        raise NotFoundError(f"There is no observation {', '.join(missing)}.")
    return [found[id_] for id_ in ids]


def page(
    store: Store,
    filters: Filters = EVERYTHING,
    *,
    state: str | None = None,
    limit: int = 100,
    before_id: int | None = None,
    session_id: int | None = None,
    turn: int | None = None,
) -> list[Observation]:
    """Observations, newest first; `before_id`: only older ones (the next page)."""
    own: list[Condition] = [
        (f"{column} {sign} ?", [value])
        for column, sign, value in (
            ("o.state", "=", state),
            ("o.id", "<", before_id),
            ("o.session_id", "=", session_id),
            ("o.turn", "=", turn),
        )
        if value is not None
    ]
    sql, values = joined([*_conditions(store, filters), *own])
    return _observations(store, f"WHERE {sql} ORDER BY o.id DESC LIMIT ?", (*values, limit))


def count(store: Store, filters: Filters = EVERYTHING) -> int:
    """How many observations match."""
    sql, values = joined(_conditions(store, filters))
    return int(store.rows(f"SELECT count(*) FROM observations o WHERE {sql}", values)[0][0])


def after(store: Store, observation: int, limit: int = 500) -> list[Observation]:
    """What arrived after an id, oldest first."""
    return _observations(store, "WHERE o.id > ? ORDER BY o.id LIMIT ?", (observation, limit))


def turn(store: Store, session_id: int, turn: int) -> list[Observation]:
    """The observations of one turn, oldest first."""
    return _observations(store, "WHERE o.session_id = ? AND o.turn = ? ORDER BY o.time, o.id", (session_id, turn))


def sessions(store: Store, filters: Filters = EVERYTHING, *, limit: int = 50, offset: int = 0) -> list[SessionRow]:
    """Sessions, last seen first; of the filters those on project, agent, session, branch and time count."""
    parts: list[Condition] = [any_of("s.agent", filters.agent), any_of("s.branch", filters.branch)]
    parts.append(any_of("s.session", filters.session))
    parts += [
        _project(store, "s", filters.project),
        _bound("s.last_seen >=", filters.since),
        _bound("s.started <", filters.until),
    ]
    sql, values = joined(parts)
    found = store.rows(
        "SELECT s.id, s.agent, s.session, p.name AS project, s.branch, s.turn, s.turn_open, s.started, s.last_seen,"
        " s.ended, (SELECT count(*) FROM observations o WHERE o.session_id = s.id) AS observations,"
        " (SELECT count(*) FROM memories m WHERE m.session_id = s.id AND m.state IN ('active', 'held')) AS memories"
        f" FROM sessions s LEFT JOIN projects p ON p.id = s.project_id WHERE {sql}"
        " ORDER BY s.last_seen DESC, s.id DESC LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [_session(row, rules.reading(store) or str) for row in found]


def session_for(store: Store, session: str, agent: str = "") -> int:
    """The row id of a session by the agent's own id; one that was never seen is made (its agent unknown)."""
    session = folders.stored(store.connection, session)
    with store.transaction() as connection:
        row = connection.execute(
            "SELECT id FROM sessions WHERE session = ?1 AND (?2 = '' OR agent = ?2) ORDER BY last_seen DESC LIMIT 1",
            (session, agent),
        ).fetchone()
        if row:
            return int(row[0])
        made = connection.execute(
            "INSERT INTO sessions (agent, session, started, last_seen) VALUES (?, ?, ?3, ?3)",
            (agent, session, now_ms()),
        )
        return int(made.lastrowid or 0)


def set_state(store: Store, ids: Sequence[int], state: str, reason: str = "") -> None:
    """Say how far observations have come, and why."""
    with store.transaction() as connection:
        connection.executemany(
            "UPDATE observations SET state = ?, reason = ? WHERE id = ?", ((str(state), reason, id_) for id_ in ids)
        )


def skip_bare(store: Store, reasons: Sequence[str]) -> int:
    """Skip what waits though only metadata was kept of it, for one of these reasons: an earlier version left it so."""
    marks = ", ".join("?" * len(reasons))
    sql = f"SELECT id, reason FROM observations WHERE state = 'captured' AND reason IN ({marks})"
    found = store.rows(sql, tuple(reasons))
    for reason in {row["reason"] for row in found}:  # none: nothing is written
        set_state(store, [row["id"] for row in found if row["reason"] == reason], ObservationState.SKIPPED, reason)
    return len(found)


def _observations(store: Store, tail: str, values: Sequence[object]) -> list[Observation]:
    return rules.shown(store, [_observation(row) for row in store.rows(_SELECT + tail, tuple(values))])


def _conditions(store: Store, filters: Filters) -> list[Condition]:
    checked(filters)
    if filters.tier or filters.label:
        raise UsageError("Observations have no tier and no labels: leave those filters out, or list memories.")
    files = [*filters.path, *(f"*.{extension.lstrip('.')}" for extension in filters.ext)]
    sql, values = path_globs("value", files)
    parts: list[Condition] = [
        _project(store, "o", filters.project),
        any_of("o.branch", filters.branch),
        any_of("o.kind", filters.kind),
        any_of("o.agent", filters.agent),
        (f"EXISTS (SELECT 1 FROM json_each(o.files) WHERE {sql})" if files else "", values),
        _bound("o.time >=", filters.since),
        _bound("o.time <", filters.until),
    ]
    if filters.session:
        ids = f"SELECT id FROM sessions WHERE session IN ({marks(filters.session)})"
        parts.append((f"o.session_id IN ({ids})", list(filters.session)))
    return parts


def _project(store: Store, table: str, project: str | tuple[str, ...] | None) -> Condition:
    if project is None:
        return ("", [])
    ids = [row[0] for row in store.rows(*project_ids((project,) if isinstance(project, str) else project))]
    # One id compared with = is walked in the index, newest first; IN would sort all the project has.
    return (f"{table}.project_id = ?", ids) if len(ids) == 1 else (f"{table}.project_id IN ({marks(ids)})", ids)


def _bound(condition: str, value: int | None) -> Condition:
    return ("", []) if value is None else (f"{condition} ?", [value])


def _session(row: sqlite3.Row, mask: Callable[[str], str]) -> SessionRow:
    shown = {name: mask(row[name]) for name in ("session", "project", "branch") if row[name]}
    return SessionRow(**dict(row) | shown | {"turn_open": bool(row["turn_open"])})


def _observation(row: sqlite3.Row) -> Observation:
    return Observation(
        **{name: row[name] for name in row.keys() if name not in ("files", "redactions", "detail")},  # noqa: SIM118
        files=json.loads(row["files"]),
        redactions=json.loads(row["redactions"]),
        detail=json.loads(row["detail"]),
    )
