"""What a week was: what came in, what was merged and forgotten, what was used, what it cost and saved.

Read from the journal, the observations and what agents were shown: what was taken back since counts as never done.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tui_memory.clock import iso, now_ms
from tui_memory.store import audit_cases, memories
from tui_memory.upkeep.audit import families, leaks

if TYPE_CHECKING:
    import sqlite3

    from tui_memory.store.db import Store

MOST_USED = 10


@dataclass(slots=True)
class CameIn:
    """What agents and people brought: events by outcome, sessions, and new memories by kind and project."""

    observations: int = 0
    sessions: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    redactions: dict[str, int] = field(default_factory=dict)
    memories: int = 0
    earlier: int = 0
    """Of these, what is of before: sessions that were imported, or compressed later."""
    by_kind: dict[str, int] = field(default_factory=dict)
    by_project: dict[str, int] = field(default_factory=dict)
    """Memories of all projects under the empty name."""


@dataclass(slots=True)
class Changed:
    """What was done to memories, by whoever, and not taken back."""

    merged: int = 0
    """Originals that became a part of another."""
    merged_into: int = 0
    """What they became."""
    superseded: int = 0
    edited: int = 0
    forgotten: int = 0
    """Put into the trash."""
    restored: int = 0
    purged: int = 0


@dataclass(slots=True)
class Used:
    """What agents fetched, most fetched first, and what they were only shown."""

    fetches: int = 0
    memories: int = 0
    sessions: int = 0
    shown: int = 0
    most: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Cost:
    """Tokens: shown to agents, fetched by them, and what the sources of the fetched would have cost; and models."""

    shown: int = 0
    fetched: int = 0
    sources: int = 0
    model_calls: int = 0
    model_tokens: int = 0
    model_seconds: float = 0.0

    @property
    def saved(self) -> int:
        """What the sources would have cost more than all that was shown and fetched; negative: it cost more."""
        return self.sources - self.shown - self.fetched


@dataclass(slots=True)
class Report:
    """A span of time, in numbers. Times in ms."""

    since: int
    until: int
    came_in: CameIn
    changed: Changed
    used: Used
    cost: Cost
    settled: dict[str, dict[str, int]]
    """What the audit settled, by family and action."""
    open: dict[str, int]
    """What it has left, by family."""

    def public(self) -> dict[str, Any]:
        """JSON."""
        value = asdict(self)
        value["cost"]["saved"] = self.cost.saved
        return value | {"since": iso(self.since), "until": iso(self.until)}

    def markdown(self) -> str:
        """The same for people, as Markdown."""
        from tui_memory.upkeep.audit import markdown

        return markdown.written(self)


def make(store: Store, since: int, until: int | None = None) -> Report:
    """The report of what happened from `since` on, up to `until` (None: now)."""
    end = now_ms() + 1 if until is None else until
    left = audit_cases.counts(store)
    return Report(
        since, end, _came_in(store, since, end), _changed(store, since, end), _used(store, since, end),
        _cost(store, since, end), audit_cases.settled(store, since, until=end),
        {name: count for name in families.NAMES if (count := left.get(name, 0))},
    )  # fmt: skip


def _came_in(store: Store, since: int, until: int) -> CameIn:
    span = (since, until)
    found = CameIn(
        observations=_number(store, "SELECT count(*) FROM observations WHERE time >= ? AND time < ?", span),
        sessions=_number(store, "SELECT count(*) FROM sessions WHERE last_seen >= ? AND started < ?", span),
        dropped=_counts(
            store,
            "SELECT outcome, count(*) FROM deliveries WHERE time >= ? AND time < ? AND outcome <> 'stored'"
            " GROUP BY 1 ORDER BY 1",
            span,
        ),
        redactions=_counts(
            store,
            "SELECT r.key, sum(r.value) FROM observations o, json_each(o.redactions) r"
            " WHERE o.time >= ? AND o.time < ? GROUP BY 1 ORDER BY 2 DESC, 1",
            span,
        ),
    )
    made = store.rows(_MADE, span)
    found.memories = len(made)
    found.earlier = sum(row["created"] < since for row in made)
    found.by_kind = dict(Counter(row["kind"] for row in made).most_common())
    found.by_project = dict(Counter(row["project"] or "" for row in made).most_common())
    return found


_DONE = (
    "JOIN journal_groups g ON g.id = j.group_id"
    " WHERE g.time >= ?1 AND g.time < ?2 AND g.undone = 0 AND g.undoes IS NULL"
)
_MADE = f"""
SELECT m.id, m.kind, m.created, p.name AS project FROM journal j JOIN memories m ON m.id = j.memory_id
    LEFT JOIN projects p ON p.id = m.project_id {_DONE} AND j.before IS NULL
    AND j.memory_id NOT IN (SELECT o.after ->> 'merged_into' FROM journal o JOIN journal_groups h ON h.id = o.group_id
        WHERE h.time >= ?1 AND h.time < ?2 AND o.before IS NOT NULL AND o.after ->> 'merged_into' IS NOT NULL)
"""
"""Creations that are no merge's result."""


def _changed(store: Store, since: int, until: int) -> Changed:
    rows = store.rows(f"SELECT g.action, j.memory_id, j.before, j.after FROM journal j {_DONE}", (since, until))
    found, results = Changed(), set()
    for row in rows:
        if row["after"] is None:
            found.purged += row["action"] == "purge"
            continue
        if row["before"] is None:
            continue
        before, after = json.loads(row["before"]), json.loads(row["after"])
        if after["merged_into"] and not before["merged_into"]:
            found.merged += 1
            results.add(after["merged_into"])
        _count(found, before, after)
    found.merged_into = len(results)
    return found


def _count(found: Changed, before: dict[str, Any], after: dict[str, Any]) -> None:
    """One memory's change, by what it was and became."""
    was, is_now = before["state"], after["state"]
    found.edited += before["version_id"] != after["version_id"]
    found.superseded += is_now == "superseded" != was and was != "trash"
    found.forgotten += is_now == "trash" != was
    found.restored += is_now == "active" != was


def _used(store: Store, since: int, until: int) -> Used:
    row = store.rows(
        "SELECT count(*) FILTER (WHERE phase = 'fetch'), count(DISTINCT memory_id) FILTER (WHERE phase = 'fetch'),"
        " count(DISTINCT session_id) FILTER (WHERE phase = 'fetch'), count(*) FILTER (WHERE phase <> 'fetch')"
        " FROM disclosures WHERE time >= ? AND time < ?",
        (since, until),
    )[0]
    most = store.rows(
        "SELECT d.memory_id, count(*) FROM disclosures d JOIN memories m ON m.id = d.memory_id WHERE phase = 'fetch'"
        " AND time >= ? AND time < ? AND m.state <> 'undone' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (since, until, MOST_USED),
    )
    return Used(row[0], row[1], row[2], row[3], _titled(store, most))


def _titled(store: Store, most: Sequence[sqlite3.Row]) -> list[dict[str, Any]]:
    """Memories with their titles as they may be shown, and how often each was fetched."""
    found = memories.get(store, [row[0] for row in most], whole=False)
    return [
        {"id": memory.id, "title": leaks.veiled(memory.title), "uses": row[1]}
        for memory, row in zip(found, most, strict=True)
    ]


def _cost(store: Store, since: int, until: int) -> Cost:
    span = (since, until)
    shown, fetched = store.rows(
        "SELECT coalesce(sum(tokens) FILTER (WHERE phase <> 'fetch'), 0),"
        " coalesce(sum(tokens) FILTER (WHERE phase = 'fetch'), 0) FROM disclosures WHERE time >= ? AND time < ?",
        span,
    )[0]
    sources = _number(
        store,
        "SELECT coalesce(sum(o.tokens), 0) FROM disclosures d JOIN memory_sources s ON s.memory_id = d.memory_id"
        " JOIN observations o ON o.id = s.observation_id WHERE d.phase = 'fetch' AND d.time >= ? AND d.time < ?",
        span,
    )
    calls, tokens, ms = store.rows(
        "SELECT coalesce(sum(calls), 0), coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(ms), 0) FROM usage"
        " WHERE day >= ? AND day <= ?",
        (_day(since), _day(until - 1)),
    )[0]
    return Cost(shown, fetched, sources, calls, tokens, round(ms / 1000, 1))


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")


def _number(store: Store, sql: str, values: Sequence[object]) -> int:
    return int(store.rows(sql, values)[0][0])


def _counts(store: Store, sql: str, values: Sequence[object]) -> dict[str, int]:
    return {str(row[0]): int(row[1]) for row in store.rows(sql, values)}
