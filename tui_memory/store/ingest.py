"""One event into the store: normalise, redact, cap, hash, write. Standard library only: the hook's fallback is here.

captured = stored + dropped by reason, always: the three are raised with the delivery's own row in one transaction.
"""

from __future__ import annotations

import json
import sqlite3
from time import perf_counter_ns

from tui_memory.clock import uuid7
from tui_memory.errors import TuiMemoryError
from tui_memory.light import TYPE_CHECKING, dataclass
from tui_memory.model import MOMENT, Draft, Drop, Kind, ObservationState
from tui_memory.private import cut_everywhere
from tui_memory.store import counters, folders, pauses, rewrites, timings, turns
from tui_memory.store.connection import immediate
from tui_memory.store.guard import Kept, guard
from tui_memory.store.text import dumps, storable
from tui_memory.tokens import count_tokens

if TYPE_CHECKING:
    from typing import Any

    from tui_memory.config import CaptureSettings
    from tui_memory.store.guard import Own

STORED = "stored"


@dataclass(slots=True)
class Delivery:
    """One arrival of an event: the sender's random id, the agent's name, when (ms), and what the hook process knew."""

    id: str
    agent: str
    received: int
    cwd: str = ""
    project_dir: str = ""
    known: tuple[str, ...] = ()
    """`NAME=value` of secret-named environment variables: masked, never stored."""


@dataclass(slots=True)
class Outcome:
    """What became of a delivery: `stored` or why it was dropped, and where it belongs."""

    outcome: str
    observation: int | None = None
    session_id: int | None = None
    turn: int = 0
    wants_context: str = ""
    ends_turn: bool = False
    ends_session: bool = False
    draft_cwd: str = ""


def receive(
    connection: sqlite3.Connection,
    delivery: Delivery,
    payload: bytes | dict[str, Any],
    settings: CaptureSettings | None,
    key: bytes,
    *,
    identity: tuple[str, ...] = (),
    own: Own | None = None,
) -> Outcome:
    """Take one event; when this returns, it is committed. A bad payload is the outcome `error`, never an exception.

    `settings` None (missing or stale for the fallback): only metadata is kept. `own`: the user's own rules, as for
    `guard`. StoreError where the store cannot be written: then nothing was.
    """
    began = perf_counter_ns()
    draft, dropped = _draft(delivery, payload)
    kept = None
    if draft is not None and draft.dropped is None:
        size = len(payload) if isinstance(payload, bytes) else 0
        kept = guard(draft, settings, key, delivery.known, identity, size, own)
        dropped = kept.dropped
    with immediate(connection):
        outcome = _write(connection, delivery, draft, kept, dropped, settings)
        took_us = (perf_counter_ns() - began) // 1000
        counters.bump_many(connection, _counts(outcome, kept) | _timed(delivery.agent, took_us))
        _record(connection, delivery, draft, outcome, took_us)
    return outcome


def _draft(delivery: Delivery, payload: bytes | dict[str, Any]) -> tuple[Draft | None, Drop | None]:
    """The draft of a payload, its private passages cut out before it is read; or why there is none."""
    from tui_memory.capture import normalise

    try:
        value = json.loads(payload.decode("utf-8-sig", "replace")) if isinstance(payload, bytes) else payload
        if not isinstance(value, dict):
            return None, Drop.ERROR
        value, private = cut_everywhere(value)
        draft = normalise(delivery.agent, value, delivery.received, cwd=delivery.cwd, project_dir=delivery.project_dir)
    except (TuiMemoryError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        # Whatever an agent sends, the hook goes on: counted as an error, and the delivery's row says whose it was.
        return None, Drop.ERROR
    if draft is None:
        return None, Drop.IGNORED
    draft.private += private
    return draft, draft.dropped


def _write(
    connection: sqlite3.Connection,
    delivery: Delivery,
    draft: Draft | None,
    kept: Kept | None,
    dropped: Drop | None,
    settings: CaptureSettings | None,
) -> Outcome:
    """The observation with its session and turn, inside the transaction; or only why there is none."""
    if draft is None:
        known = _is_known(connection, delivery, None)
        return Outcome(str(Drop.DUPLICATE if known else dropped or Drop.ERROR))
    outcome = Outcome(
        STORED, None, None, 0, draft.wants_context, draft.ends_turn and not draft.parent, draft.ends_session,
        draft.project_dir or draft.cwd,
    )  # fmt: skip
    _hide(connection, draft, delivery.known)
    if _is_known(connection, delivery, draft):
        outcome.outcome = str(Drop.DUPLICATE)
        if draft.detail.get("amends"):
            turns.amend_late(connection, draft)
        return outcome
    project = turns.known_project(connection, draft)
    if pauses.applies(connection, settings, project, outcome.draft_cwd, delivery.received):
        outcome.outcome = str(Drop.PAUSED)
        return outcome
    if dropped is Drop.IGNORED or dropped is Drop.ERROR:
        outcome.outcome = str(dropped)
        if draft.wants_context:
            outcome.session_id, outcome.observation = _prompt_of(connection, draft)
        return outcome
    if "moved" in draft.detail:
        rewrites.moved(connection, draft)
    place = turns.enter(connection, draft, project)
    if place is None:
        outcome.outcome = str(Drop.IGNORED)
        return outcome
    outcome.session_id, outcome.turn = place.session_id, place.turn
    if kept is None or dropped is not None:
        outcome.outcome = str(dropped or Drop.ERROR)
    else:
        outcome.observation = _insert(connection, draft, kept, place)
    turns.leave(connection, draft, place)
    return outcome


def _hide(connection: sqlite3.Connection, draft: Draft, known: tuple[str, ...]) -> None:
    """Mask what an event is placed by: from here on a draft's folders and ids are as they are stored."""
    for name in ("cwd", "project_dir", "session", "parent", "key"):
        setattr(draft, name, folders.stored(connection, getattr(draft, name), known))


def _is_known(connection: sqlite3.Connection, delivery: Delivery, draft: Draft | None) -> bool:
    head, mark, moment = (_key(draft) or "").rpartition(MOMENT)
    beside = [f"{head}{mark}{int(moment) + one}" for one in (-1, 1)] if mark else [None, None]
    found = connection.execute(
        "SELECT 1 FROM deliveries WHERE delivery = ? OR key IN (?, ?, ?)", (delivery.id, _key(draft), *beside)
    ).fetchone()
    return found is not None


def _prompt_of(connection: sqlite3.Connection, draft: Draft) -> tuple[int | None, int | None]:
    """(session, observation) of the prompt that an agent tells of again: the last of its session, where it is kept."""
    row = connection.execute(
        "SELECT o.session_id, o.id, o.kind FROM sessions s JOIN observations o ON o.session_id = s.id"
        " WHERE s.agent = ? AND s.session = ? ORDER BY o.id DESC LIMIT 1",
        (draft.agent, draft.session),
    ).fetchone()
    return (row[0], row[1]) if row is not None and row[2] == Kind.PROMPT else (None, None)


def _key(draft: Draft | None) -> str | None:
    """The event's identity: of the agent that speaks, whosever configuration it came through."""
    return storable(f"{draft.agent}:{draft.key}") if draft and draft.key else None


def _insert(connection: sqlite3.Connection, draft: Draft, kept: Kept, place: turns.Place) -> int:
    # A reason means that only metadata is kept: there is nothing to make a memory of.
    state, reason = ObservationState.SKIPPED if kept.reason else ObservationState.CAPTURED, kept.reason
    if draft.kind == Kind.LIFECYCLE:
        state, reason = ObservationState.SKIPPED, reason or str(Kind.LIFECYCLE)
    elif draft.detail.get("bot"):
        state, reason = ObservationState.SKIPPED, reason or "a bot's commit"
    # The folder the agent names decides the project: kept where the working directory would say another.
    folder = {"project_dir": draft.project_dir} if draft.project_dir not in ("", draft.cwd) else {}
    cursor = connection.execute(
        "INSERT INTO observations (uid, session_id, turn, project_id, agent, branch, cwd, parent, kind, tool, time,"
        " text, detail, files, size, hash, redactions, state, reason, tokens)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            uuid7(draft.time), place.session_id, place.turn, place.project_id, storable(draft.agent), kept.branch,
            draft.cwd, draft.parent, str(draft.kind), kept.tool, draft.time, kept.text,
            dumps(kept.detail | folder), dumps(kept.files), kept.size, kept.hash, dumps(kept.redactions), str(state),
            reason, count_tokens(kept.text),
        ),
    )  # fmt: skip
    return int(cursor.lastrowid or 0)


def _counts(outcome: Outcome, kept: Kept | None) -> dict[str, int]:
    counts = {"captured": 1}
    if outcome.outcome != STORED:
        return counts | {f"dropped:{outcome.outcome}": 1}
    counts[STORED] = 1
    if kept is not None:
        counts |= {f"redacted:{kind}": n for kind, n in kept.redactions.items()}
        if kept.reason:
            counts[f"kept:{kept.reason}"] = 1
    return counts


def _timed(agent: str, took_us: int) -> dict[str, int]:
    """The time as counters; of an agent that nobody knows only as another one: its name is anybody's."""
    from tui_memory.capture import AGENTS

    return timings.counted(timings.HOOK, agent if agent in AGENTS else timings.OTHER, took_us / 1e6)


def _record(
    connection: sqlite3.Connection, delivery: Delivery, draft: Draft | None, outcome: Outcome, took_us: int
) -> None:
    """The delivery's row; a second delivery of one id has one already, one of another's key gets none of it."""
    fresh = draft is not None and outcome.outcome not in (Drop.DUPLICATE, Drop.ERROR)
    connection.execute(
        "INSERT OR IGNORE INTO deliveries (delivery, key, agent, time, outcome, took_us, observation_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            storable(delivery.id), _key(draft) if fresh else None, storable(delivery.agent),
            delivery.received, outcome.outcome, took_us, outcome.observation,
        ),
    )  # fmt: skip
