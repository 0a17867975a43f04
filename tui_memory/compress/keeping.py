"""One turn's memories into the store, with its observations and its place in the queue, in one transaction.

A turn that is compressed a second time (something came in late, a session went on) gives its memories new versions
in place: id, pins and history stay, and what a person wrote is not overwritten.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tui_memory.compress import commits, disproving, reading
from tui_memory.compress.made import Compressed, Made
from tui_memory.compress.turns import Turn
from tui_memory.model import Kind, Memory, MemoryKind, MemoryState, NewMemory, Observation, ObservationState
from tui_memory.store import memories, observations
from tui_memory.store.changes import Changes

if TYPE_CHECKING:
    from tui_memory.store.db import Store

BY_HAND = frozenset({"person", "agent", "merge"})
"""Routes whose versions a compressor leaves alone."""


@dataclass(slots=True)
class Kept:
    """What became of a turn's memories: ids of the new ones and of those that got a new version."""

    added: list[int] = field(default_factory=list)
    renewed: list[int] = field(default_factory=list)
    changed: bool = False
    """Whether anything was written that undo can take back."""


def keep(
    store: Store,
    turn: Turn,
    found: Compressed,
    *,
    actor: str = "worker",
    action: str = "compress",
    changes: Changes | None = None,
) -> Kept:
    """Store a turn's memories and mark its observations. Joins the caller's transaction, and the group of `changes`."""
    changes = changes or Changes(store, actor)
    with store.transaction(), changes.group(action):
        before = _before(store, turn)
        pairs, fresh, gone = _paired(found.made, before)
        for memory, made in pairs:
            changes.edit(memory.id, made.body)
            if made.state == MemoryState.HELD:
                changes.set_state([memory.id], MemoryState.HELD, "hold")
        kept = Kept(changes.add([_new(turn, made) for made in fresh]), [memory.id for memory, _ in pairs])
        if gone:
            changes.set_state([memory.id for memory in gone], MemoryState.TRASH, "compress again")
        _sources(store, pairs)
        told = [*zip(kept.added, fresh, strict=True), *((memory.id, made) for memory, made in pairs)]
        _replace_taken_back(store, changes, turn, told)
        if turn.number:
            for old, new in disproving.disproved(store, turn, told):
                changes.supersede(old, new)
        if turn.number:
            _mark(store, turn, found)
        kept.changed = changes.current is not None
    return kept


def _new(turn: Turn, made: Made) -> NewMemory:
    return NewMemory(made.body, turn.project_id, turn.branch, turn.session_id, turn.ended, made.sources, made.state)


def _before(store: Store, turn: Turn) -> list[Memory]:
    """The memories that this turn (or, for 0, the session's digest) became before."""
    if turn.number <= 0:
        is_digest = "=" if turn.number == 0 else "<>"
        sql = (
            "SELECT m.id FROM memories m JOIN versions v ON v.id = m.version_id WHERE m.session_id = ?"
            f" AND m.state IN ('active', 'held') AND v.kind {is_digest} ? ORDER BY m.id"
        )
        values: tuple[object, ...] = (turn.session_id, MemoryKind.DIGEST)
    else:
        sql = (
            "SELECT m.id FROM memories m JOIN versions v ON v.id = m.version_id WHERE m.session_id = ?"
            " AND m.state IN ('active', 'held') AND v.kind <> 'digest' AND ? ="
            " (SELECT max(o.turn) FROM memory_sources s"
            " JOIN observations o ON o.id = s.observation_id AND o.session_id = m.session_id WHERE s.memory_id = m.id)"
            " ORDER BY m.id"
        )
        values = (turn.session_id, turn.number)
    return memories.get(store, [row["id"] for row in store.rows(sql, values)])


def _paired(made: list[Made], before: list[Memory]) -> tuple[list[tuple[Memory, Made]], list[Made], list[Memory]]:
    """(earlier memory, its new body): of the same tier, else of the same sources; what is new; what is not said now."""
    left, fresh = list(before), list(made)
    pairs: list[tuple[Memory, Made]] = []
    for alike in (_same_tier, _shared_sources):
        for one in list(fresh):
            match = max(left, key=lambda memory: alike(memory, one), default=None)
            if match is None or not alike(match, one):
                continue
            left.remove(match)
            fresh.remove(one)
            if match.made_by.route not in BY_HAND:
                pairs.append((match, one))
    return pairs, fresh, [memory for memory in left if memory.made_by.route not in BY_HAND and not memory.pinned]


def _same_tier(memory: Memory, made: Made) -> int:
    return int(memory.tier == made.body.tier)


def _shared_sources(memory: Memory, made: Made) -> int:
    """How many observations both come from: another model may call the same thing by another tier."""
    return len(set(memory.sources) & set(made.sources))


def _sources(store: Store, pairs: list[tuple[Memory, Made]]) -> None:
    """A memory that got a new version comes from its observations of now as well."""
    store.connection.executemany(
        "INSERT OR IGNORE INTO memory_sources (memory_id, observation_id) VALUES (?, ?)",
        [(memory.id, source) for memory, made in pairs for source in made.sources],
    )


def _replace_taken_back(store: Store, changes: Changes, turn: Turn, told: list[tuple[int, Made]]) -> None:
    """What was learned from a commit that is reverted or amended now is superseded by what says so."""
    own = {id_ for id_, _ in told}
    for item in turn.of(Kind.COMMIT, Kind.MERGE):
        new = next((id_ for id_, made in told if item.id in made.sources), None)
        if new is None:
            continue
        for sha in _taken_back(item):
            for old in _of_commit(store, turn, sha):
                if old not in own:
                    changes.supersede(old, new)


def _taken_back(item: Observation) -> list[str]:
    """The commits that a commit reverts or replaces, as far as it names them unmistakably."""
    amends = item.detail.get("amends") or []
    named = [commits.read(reading.message(item)).reverts, *([amends] if isinstance(amends, str) else amends)]
    return [sha for sha in named if len(sha) >= 7]


def _of_commit(store: Store, turn: Turn, sha: str) -> list[int]:
    """The active memories of the project whose source is this commit."""
    rows = store.rows(
        "SELECT DISTINCT m.id FROM deliveries d JOIN observations o ON o.id = d.observation_id"
        " JOIN memory_sources s ON s.observation_id = o.id"
        " JOIN memories m ON m.id = s.memory_id JOIN versions v ON v.id = m.version_id"
        " WHERE d.key >= 'git:' || ?1 AND d.key < 'git:' || ?1 || 'g'"  # a commit's key is its name: an index finds it
        " AND o.project_id IS ?2"
        " AND m.state = 'active' AND NOT m.pinned AND v.route NOT IN ('person', 'agent', 'merge')"
        " AND v.tier = 'episodic' ORDER BY m.id",
        (sha, turn.project_id),
    )
    return [row["id"] for row in rows]


def _mark(store: Store, turn: Turn, found: Compressed) -> None:
    """Observations that carry a memory are compressed; the others are skipped, and say why."""
    carrying = {source for made in found.made for source in made.sources}
    waiting = [item for item in turn.observations if item.state != ObservationState.SKIPPED or item.id in carrying]
    used = [item.id for item in waiting if item.id in carrying]
    rest = [item for item in waiting if item.id not in carrying]
    if used:
        observations.set_state(store, used, ObservationState.COMPRESSED, "")
    for reason, ids in _by_reason(rest, found).items():
        observations.set_state(store, ids, ObservationState.SKIPPED, reason)


def _by_reason(items: list[Observation], found: Compressed) -> dict[str, list[int]]:
    reasons: dict[str, list[int]] = {}
    for item in items:
        reason = "nothing in it beside what the turn's memories say" if found.made else found.skipped_reason
        reasons.setdefault(reason, []).append(item.id)
    return reasons


def fail(store: Store, turn: Turn, error: str) -> None:
    """Mark what is left of a turn that no route could compress."""
    ids = [item.id for item in turn.observations if item.state == ObservationState.CAPTURED]
    if ids:
        observations.set_state(store, ids, ObservationState.FAILED, error[:300])
