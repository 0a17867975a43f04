"""Turns that were compressed before, compressed once more: new versions in place, what a person wrote stays.

A turn of which nothing comes this time, or only by rule where a model was asked for, is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui_memory.compress import keeping, turns
from tui_memory.compress.budget import Budget
from tui_memory.compress.extractive import Extractive
from tui_memory.errors import NotFoundError
from tui_memory.model import MemoryKind

if TYPE_CHECKING:
    from tui_memory.compress.router import Router
    from tui_memory.store.db import Store

ACTION = "compress again"


@dataclass(slots=True)
class Again:
    """What a run did: turns read, memories with a new version, new ones, and what was left as it is, and why."""

    turns: int = 0
    renewed: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    left: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def again(
    store: Store,
    router: Router,
    ids: Sequence[int],
    *,
    actor: str = "person",
    on_turn: Callable[[int, int], None] | None = None,
) -> Again:
    """Compress the turns that these memories come from once more, all their memories together.

    `on_turn` is told how many of how many are done. NotFoundError names ids that do not exist; then nothing is done.
    Each turn is a group of the journal, by `actor`.
    """
    done = Again()
    wanted = _turns(store, ids, done, whole=router.settings.compress.granularity == "session")
    for number, ((session, turn), members) in enumerate(wanted.items(), 1):
        _one(store, router, session, turn, members, done, actor)
        if on_turn:
            on_turn(number, len(wanted))
    return done


def _one(store: Store, router: Router, session: int, number: int, members: list[int], done: Again, actor: str) -> None:
    turn = turns.load(store, session, number)
    before = {id_: _version(store, id_) for id_ in members}
    found = router.compress(turn, Budget(store, router.settings.compress))
    done.turns += 1
    done.notes += [note for note in found.failures if note not in done.notes]
    if found.route == Extractive.name and router.routes[0].name != Extractive.name:
        done.left |= dict.fromkeys(members, "no model could compress it")
    elif not found.made:
        done.left |= dict.fromkeys(members, found.skipped_reason)
    else:
        kept = keeping.keep(store, turn, found, actor=actor, action=ACTION)
        done.renewed += kept.renewed
        done.added += kept.added
        done.left |= {id_: "it says the same" for id_ in members if _version(store, id_) == before[id_]}


def _version(store: Store, memory: int) -> tuple[int, str]:
    """The memory's current version and state."""
    row = store.rows("SELECT version_id, state FROM memories WHERE id = ?", (memory,))[0]
    return row[0], row[1]


def _turns(store: Store, ids: Sequence[int], done: Again, *, whole: bool) -> dict[tuple[int, int], list[int]]:
    """The memories by (session, turn) that they come from; 0 is the session's digest; `whole`: all its turns as one."""
    found: dict[tuple[int, int], list[int]] = {}
    missing = []
    for id_ in dict.fromkeys(ids):
        rows = store.rows(
            "SELECT m.session_id, m.state, v.kind, v.route, (SELECT max(o.turn) FROM memory_sources s"
            " JOIN observations o ON o.id = s.observation_id AND o.session_id = m.session_id WHERE s.memory_id = m.id)"
            " AS turn FROM memories m JOIN versions v ON v.id = m.version_id WHERE m.id = ? AND m.state <> 'undone'",
            (id_,),
        )
        if not rows:
            missing.append(id_)
        elif reason := _why_not(rows[0]["route"], rows[0]["state"], rows[0]["session_id"], rows[0]["turn"]):
            done.left[id_] = reason
        else:
            turn = 0 if rows[0]["kind"] == MemoryKind.DIGEST else turns.WHOLE if whole else rows[0]["turn"]
            found.setdefault((rows[0]["session_id"], turn), []).append(id_)
    if missing:
        named = ", ".join(f"#{id_}" for id_ in missing)
        raise NotFoundError(f"There is no memory {named}. Nothing was compressed.")
    return found


def _why_not(route: str, state: str, session: int | None, turn: int | None) -> str:
    """Why a memory cannot be compressed again; "" where it can."""
    if route in keeping.BY_HAND:
        return "a person or an agent wrote it"
    if state not in ("active", "held"):
        return f"it is {state}"
    if session is None or turn is None:
        return "its observations are gone"
    return ""
