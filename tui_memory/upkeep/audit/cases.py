"""A case as a person is shown it: the memories side by side, what speaks for the proposal, what can be done.

Nothing a case gives out holds a possible secret: such values are named by their length and first three characters.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui_memory.clock import iso
from tui_memory.errors import NotFoundError
from tui_memory.model import Memory
from tui_memory.store import conflicts, joining, memories, rules
from tui_memory.store.audit_cases import Row
from tui_memory.upkeep.audit import families, leaks, looking, words

if TYPE_CHECKING:
    from tui_memory.store.db import Store
    from tui_memory.upkeep.findings import GoneName, Pair


@dataclass(slots=True)
class Case:
    """One case with its evidence. `memories`: ids, the older first; `evidence`: JSON, with `says` and `sides`."""

    id: int
    family: str
    risk: float
    memories: list[int]
    evidence: dict[str, Any]
    proposed: str
    actions: list[str]
    state: str
    until: int
    """When a snoozed one is asked again (ms); 0: it does not sleep."""
    digest: int
    """Of what it rests on: `settle` refuses where that is another meanwhile."""
    rows: list[Memory]
    """The memories in full, for a screen."""

    def public(self) -> dict[str, Any]:
        """The contract's JSON shape."""
        names = ("id", "family", "risk", "memories", "evidence", "proposed", "actions", "state")
        shown = {name: getattr(self, name) for name in names}
        return shown | {"until": iso(self.until) if self.until else None}


@dataclass(frozen=True, slots=True)
class Known:
    """What other parts of upkeep say of the memories at hand."""

    pairs: dict[tuple[int, int], Pair]
    gone: dict[int, list[GoneName]]
    rules: looking.Rules | None = None


def read(store: Store, rows: Sequence[Row], known: Known) -> list[Case]:
    """The cases of stored rows, in their order; those whose memories are gone meanwhile are left out."""
    ids = list(dict.fromkeys(memory for row in rows for memory in row.memories))
    found = {memory.id: _veiled(memory) for memory in memories.get(store, there(store, ids))}
    commits = _commits(store, ids)
    made = [row for row in rows if all(memory in found for memory in row.memories)]
    shown = {row.id: _beside(store, row, [found[memory] for memory in row.memories]) for row in made}
    return [_case(store, row, shown[row.id], commits, known) for row in made if shown[row.id]]


def _beside(store: Store, row: Row, rows: list[Memory]) -> list[Memory]:
    """The memories of a case as they are put side by side: of a conflict one memory twice, with each of its texts."""
    if row.family != "conflict":
        return rows
    try:
        said = conflicts.body(store, row.high_version or 0)
    except NotFoundError:
        return []
    other = replace(
        rows[0], title=said.title, summary=said.summary, text=said.text, facts=said.facts, labels=said.labels,
        files=said.files, kind=said.kind, tier=said.tier, made_by=said.made_by,
    )  # fmt: skip
    return [*map(_veiled, rules.shown(store, [other])), *rows]


def there(store: Store, ids: Sequence[int]) -> list[int]:
    """Those of the ids that exist: a purge may have come between."""
    return [row[0] for row in store.rows(f"SELECT id FROM memories WHERE state <> 'undone' AND id {_IN}", _list(ids))]


_IN = "IN (SELECT value FROM json_each(?))"


def _list(ids: Sequence[int]) -> tuple[str]:
    return (json.dumps(list(ids)),)


def _case(store: Store, row: Row, rows: list[Memory], commits: dict[int, str], known: Known) -> Case:
    family = families.find(row.family)
    own = _EVIDENCE[row.family](store, row, rows, known)
    sides = [side(memory, commits.get(memory.id, "")) for memory in rows]
    evidence = {"question": family.question, **own, "sides": sides}
    actions = [*family.actions, families.SNOOZE]
    renamed = all(name["renamed_to"] for name in own.get("gone", ())) and bool(own.get("gone"))
    proposed = families.proposed(row.family, own.get("holds", ""), renamed=renamed)
    return Case(
        row.id, row.family, row.risk, row.memories, evidence, proposed, actions, row.state, row.until,
        row.evidence, rows,
    )  # fmt: skip


def side(memory: Memory, commit: str) -> dict[str, Any]:
    """One memory in short, as JSON."""
    return {
        "id": memory.id, "title": memory.title, "kind": memory.kind, "state": memory.state, "pinned": memory.pinned,
        "project": memory.project, "session": memory.session, "commit": commit, "created": iso(memory.created),
        "uses": memory.uses, "last_used": iso(memory.last_used) if memory.last_used else None, "tokens": memory.tokens,
    }  # fmt: skip


def _commits(store: Store, ids: Sequence[int]) -> dict[int, str]:
    """The last commit among each memory's sources, by memory."""
    rows = store.rows(
        "SELECT s.memory_id, o.detail ->> 'sha' AS sha FROM memory_sources s JOIN observations o"
        f" ON o.id = s.observation_id WHERE s.memory_id {_IN} AND o.kind IN ('commit', 'merge')"
        " AND o.detail ->> 'sha' IS NOT NULL ORDER BY o.time",
        _list(ids),
    )
    return {row["memory_id"]: str(row["sha"]) for row in rows}


def _veiled(memory: Memory) -> Memory:
    veil = leaks.veiled
    return replace(
        memory, title=veil(memory.title), summary=veil(memory.summary), text=veil(memory.text),
        facts=[veil(fact) for fact in memory.facts], labels=[veil(label) for label in memory.labels],
        files=[veil(file) for file in memory.files],
    )  # fmt: skip


# what each family's evidence is


def version(store: Store, row: Row) -> sqlite3.Row | None:
    """The text that a case was found in, as stored; None where it is gone."""
    found = store.rows(f"SELECT {looking.COLUMNS} FROM versions v WHERE v.id = ?", (row.low_version,))
    return found[0] if found else None


def _leak(store: Store, row: Row, rows: list[Memory], known: Known) -> dict[str, Any]:
    raw = version(store, row)
    found = looking.leak(raw, known.rules) if raw is not None else looking.Leak((), ())
    elsewhere = _held_elsewhere(store, row, rows[0].sources, found.values)
    says = words.leak([leaks.name(value) for value in found.values], found.kinds, *elsewhere)
    return {"says": says, "suspects": [leaks.name(value) for value in found.values], "kinds": list(found.kinds)}


def _held_elsewhere(store: Store, row: Row, sources: list[int], values: tuple[str, ...]) -> tuple[int, int]:
    """How many of the memory's sources, and how many other versions of it, hold one of the values."""
    versions = store.rows(
        f"SELECT {looking.COLUMNS} FROM versions v WHERE memory_id = ? AND id <> ?", (row.low, row.low_version)
    )
    seen = store.rows(f"SELECT text || detail FROM observations WHERE id {_IN}", _list(sources))
    held = sum(any(value in one[0] for value in values) for one in seen)
    return held, sum(any(value in looking.whole(one) for value in values) for one in versions)


def _instructions(_store: Store, _row: Row, rows: list[Memory], _known: Known) -> dict[str, Any]:
    lines = words.orders(rows[0])
    return {"says": words.instructions(rows[0], lines), "lines": lines}


def _contradiction(_store: Store, row: Row, rows: list[Memory], known: Known) -> dict[str, Any]:
    pair = known.pairs.get((row.low, row.high or 0))
    evidence = _plain(pair)
    holds = evidence.get("verdict", {}).get("holds", "")
    says = words.contradiction(rows, evidence)
    return {"says": says, "score": pair.score if pair else None, "pair": evidence, "holds": holds}


def _conflict(store: Store, row: Row, rows: list[Memory], _known: Known) -> dict[str, Any]:
    """Both texts, the one that is not current first: what it says, for there is no other way to read it."""
    other = rows[0]
    theirs, current = (conflicts.written(store, version or 0) for version in (row.high_version, row.low_version))
    names = ("title", "summary", "text", "facts", "labels", "files")
    return {
        "says": words.conflict(theirs, current, own=joining.short(store.device)),
        "other": {name: getattr(other, name) for name in names},
        "written": [{"device": one.device, "writer": one.writer, "at": iso(one.at)} for one in (theirs, current)],
    }


def _duplicate(_store: Store, row: Row, rows: list[Memory], known: Known) -> dict[str, Any]:
    pair = known.pairs.get((row.low, row.high or 0))
    return {"says": words.duplicate(rows, pair), "score": pair.score if pair else None, "pair": _plain(pair)}


def _plain(pair: Pair | None) -> dict[str, Any]:
    """A pair's own evidence, with possible secrets named."""
    value: dict[str, Any] = json.loads(leaks.veiled(json.dumps(pair.evidence, default=str))) if pair else {}
    return value


def _stale(_store: Store, row: Row, rows: list[Memory], known: Known) -> dict[str, Any]:
    names = known.gone.get(row.low, [])
    gone = [
        {"name": leaks.veiled(one.name), "kind": one.kind, "renamed_to": one.renamed_to, "commit": one.commit}
        for one in names
    ]
    return {"says": words.stale(names), "gone": gone}


def _superseded(store: Store, row: Row, rows: list[Memory], _known: Known) -> dict[str, Any]:
    return {"says": words.superseded(rows), "replaced_by": row.high}


def _unused(store: Store, row: Row, rows: list[Memory], _known: Known) -> dict[str, Any]:
    shown = store.rows("SELECT count(*) FROM disclosures WHERE memory_id = ? AND phase <> 'fetch'", (row.low,))[0][0]
    return {"says": words.unused(rows[0], shown), "shown": shown}


def _ungrounded(_store: Store, _row: Row, rows: list[Memory], _known: Known) -> dict[str, Any]:
    grounding = rows[0].grounding
    flagged = [leaks.veiled(word) for word in grounding.flagged]
    return {"says": words.ungrounded(grounding.retained, flagged), "retained": grounding.retained, "flagged": flagged}


def _oversized(_store: Store, _row: Row, rows: list[Memory], _known: Known) -> dict[str, Any]:
    return {"says": words.oversized(rows[0])}


_EVIDENCE: dict[str, Callable[[Store, Row, list[Memory], Known], dict[str, Any]]] = {
    "leak": _leak,
    "instructions": _instructions,
    "contradiction": _contradiction,
    "conflict": _conflict,
    "duplicate": _duplicate,
    "stale": _stale,
    "superseded": _superseded,
    "unused": _unused,
    "ungrounded": _ungrounded,
    "oversized": _oversized,
}
assert set(_EVIDENCE) == set(families.NAMES)
