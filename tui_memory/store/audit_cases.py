"""The audit's cases: found, listed by risk, settled; a settled one comes back only with other evidence.

A case stands for the versions it was found in: one whose memory has changed since is in no list until it was looked
at again. A settlement is a group of the journal: where that is taken back, the case is open again by itself.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_memory.clock import now_ms
from tui_memory.errors import NotFoundError
from tui_memory.model import EVERYTHING, Filters
from tui_memory.store.filters import ALL, where

if TYPE_CHECKING:
    from tui_memory.store.db import Store

OPEN, SETTLED, SNOOZED = "open", "settled", "snoozed"
_MARK = "audited"
"""The meta row of how far versions were looked through, and by which rules."""
_ALIVE = """
FROM audit_cases c JOIN memories m ON m.id = c.low AND m.version_id = c.low_version
    LEFT JOIN memories h ON h.id = c.high LEFT JOIN journal_groups g ON g.id = c.group_id
WHERE (c.high IS NULL OR h.version_id = c.high_version) AND CASE c.family
    WHEN 'instructions' THEN m.state = 'held'
    WHEN 'superseded' THEN m.state = 'superseded' AND m.superseded_by = c.high
    WHEN 'leak' THEN m.state IN ('active', 'held', 'superseded')
    WHEN 'conflict' THEN m.state IN ('active', 'held', 'superseded')
    WHEN 'unused' THEN m.state = 'active' AND m.uses = 0 AND NOT m.pinned
    ELSE m.state = 'active' AND (c.high IS NULL OR h.state = 'active') END
"""
_IS_OPEN = "(c.state = 'open' OR coalesce(g.undone, 0) <> 0 OR (c.state = 'snoozed' AND c.until <= {now}))"
_IS_SNOOZED = "(c.state = 'snoozed' AND coalesce(g.undone, 0) = 0 AND c.until > {now})"
_COLUMNS = (
    "SELECT c.id, c.family, c.low, c.high, c.low_version, c.high_version, c.risk, c.evidence, c.state, c.until,"
    " c.action, c.settled, coalesce(g.undone, 0) <> 0 AS undone "
)


@dataclass(frozen=True, slots=True)
class Found:
    """A case as a look finds it. `evidence`: the digest of what it rests on."""

    family: str
    low: int
    low_version: int
    risk: float
    evidence: int
    high: int | None = None
    high_version: int | None = None

    @property
    def key(self) -> tuple[int, int, int, int]:
        """What tells it from the others of its family."""
        return self.low, self.low_version, self.high or 0, self.high_version or 0


@dataclass(frozen=True, slots=True)
class Row:
    """A case as it is stored. Times in ms; `state` as it counts now."""

    id: int
    family: str
    low: int
    high: int | None
    low_version: int
    high_version: int | None
    risk: float
    evidence: int
    state: str
    until: int
    action: str
    settled: int | None

    @property
    def memories(self) -> list[int]:
        """The ids of the memories it is about, the older one first."""
        return [self.low] if self.high is None else [self.low, self.high]


def put(connection: sqlite3.Connection, found: Sequence[Found]) -> None:
    """Keep what a look found, in the caller's transaction; what was settled on the same evidence stays settled.

    What is known already is not written at all: even an insertion that ends in nothing takes a number, which is a
    change to whoever watches the store.
    """
    now = now_ms()
    connection.executemany(
        "INSERT INTO audit_cases (family, low, low_version, high, high_version, risk, evidence, found)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8"
        " WHERE EXISTS (SELECT 1 FROM versions WHERE id = ?3)"  # it may have been purged since it was read
        " AND (?5 IS NULL OR EXISTS (SELECT 1 FROM versions WHERE id = ?5))"
        " ON CONFLICT (family, low, low_version, coalesce(high, 0), coalesce(high_version, 0)) DO UPDATE SET"
        " risk = excluded.risk, state = iif(evidence = excluded.evidence, state, 'open'),"
        " group_id = iif(evidence = excluded.evidence, group_id, NULL), evidence = excluded.evidence"
        " WHERE risk <> excluded.risk OR evidence <> excluded.evidence",
        [
            (one.family, one.low, one.low_version, one.high, one.high_version, one.risk, one.evidence, now)
            for one in found
            if not _is_known(connection, one)
        ],
    )
    connection.executemany(_CARRY_OVER, [(one.family, one.low, one.high or 0) for one in found])


_CARRY_OVER = """
UPDATE audit_cases AS c SET (state, until, action, group_id, settled) = (o.state, o.until, o.action, o.group_id,
    o.settled)
FROM audit_cases o LEFT JOIN journal_groups g ON g.id = o.group_id
WHERE c.family = ?1 AND c.low = ?2 AND coalesce(c.high, 0) = ?3 AND c.state = 'open'
    AND o.family = c.family AND o.low = c.low AND coalesce(o.high, 0) = ?3 AND o.id <> c.id
    AND o.evidence = c.evidence AND o.state <> 'open' AND coalesce(g.undone, 0) = 0
"""
"""Another version of the same memory that says the same: what was settled of it is settled."""


def _is_known(connection: sqlite3.Connection, one: Found) -> bool:
    sql = (
        "SELECT 1 FROM audit_cases WHERE family = ? AND low = ? AND low_version = ? AND coalesce(high, 0) = ?"
        " AND coalesce(high_version, 0) = ? AND risk = ? AND evidence = ?"
    )
    values = (one.family, one.low, one.low_version, one.high or 0, one.high_version or 0, one.risk, one.evidence)
    return connection.execute(sql, values).fetchone() is not None


def keys(connection: sqlite3.Connection, family: str) -> set[tuple[int, int, int, int]]:
    """What is known of a family already, as `Found.key` gives it."""
    sql = "SELECT low, low_version, coalesce(high, 0), coalesce(high_version, 0) FROM audit_cases WHERE family = ?"
    return {(row[0], row[1], row[2], row[3]) for row in connection.execute(sql, (family,))}


def withdraw(connection: sqlite3.Connection, family: str, gone: Iterable[tuple[int, int, int, int]]) -> None:
    """Forget cases of a family, by their keys: a whole look did not find them again."""
    connection.executemany(
        "DELETE FROM audit_cases WHERE family = ? AND low = ? AND low_version = ?"
        " AND coalesce(high, 0) = ? AND coalesce(high_version, 0) = ?",
        [(family, *key) for key in gone],
    )


def open_keys(connection: sqlite3.Connection, family: str) -> set[tuple[int, int, int, int]]:
    """The keys of a family's open cases: also of those whose settlement was taken back, or whose sleep is over."""
    sql = (
        "SELECT c.low, c.low_version, coalesce(c.high, 0), coalesce(c.high_version, 0) FROM audit_cases c"
        f" LEFT JOIN journal_groups g ON g.id = c.group_id WHERE c.family = ? AND {_IS_OPEN.format(now=now_ms())}"
    )
    return {(row[0], row[1], row[2], row[3]) for row in connection.execute(sql, (family,))}


def withdraw_of(
    connection: sqlite3.Connection, families: Sequence[str], versions: Sequence[int], found: Sequence[Found]
) -> None:
    """Forget the open cases of these families that these versions were, and are found in no more."""
    stand = {(one.family, one.low_version) for one in found}
    rows = connection.execute(
        "SELECT c.id, c.family, c.low_version FROM audit_cases c LEFT JOIN journal_groups g ON g.id = c.group_id"
        f" WHERE {_IS_OPEN.format(now=now_ms())} AND c.family IN (SELECT value FROM json_each(?))"
        " AND c.low_version IN (SELECT value FROM json_each(?))",
        (json.dumps(list(families)), json.dumps(list(versions))),
    ).fetchall()
    gone = [(row["id"],) for row in rows if (row["family"], row["low_version"]) not in stand]
    connection.executemany("DELETE FROM audit_cases WHERE id = ?", gone)


def listed(
    store: Store,
    filters: Filters = EVERYTHING,
    *,
    family: str | None = None,
    snoozed: bool = False,
    limit: int = -1,
) -> list[Row]:
    """The open cases, riskiest first; `snoozed`: those that sleep instead."""
    condition = (_IS_SNOOZED if snoozed else _IS_OPEN).format(now=now_ms())
    mine, values = where(filters, ALL)
    wanted, names = ("", []) if family is None else (" AND c.family = ?", [family])
    rows = store.rows(
        f"{_COLUMNS}{_ALIVE} AND {condition} AND {mine}{wanted} ORDER BY c.risk DESC, c.id LIMIT ?",
        (*values, *names, limit),
    )
    return [_row(row) for row in rows]


def get(store: Store, case: int) -> Row:
    """One case in whatever state; NotFoundError where there is none."""
    sql = f"{_COLUMNS} FROM audit_cases c LEFT JOIN journal_groups g ON g.id = c.group_id WHERE c.id = ?"
    found = store.rows(sql, (case,))
    if not found:
        raise NotFoundError(f"There is no case {case}; `tui-memory audit` lists those there are. Nothing was changed.")
    return _row(found[0])


def is_alive(store: Store, case: int) -> bool:
    """Whether the memories of a case still are what it was found in."""
    return bool(store.rows(f"SELECT 1 {_ALIVE} AND c.id = ?", (case,)))


def counts(store: Store, filters: Filters = EVERYTHING) -> dict[str, int]:
    """Open cases by family."""
    mine, values = where(filters, ALL)
    sql = f"SELECT c.family, count(*) {_ALIVE} AND {_IS_OPEN.format(now=now_ms())} AND {mine} GROUP BY 1"
    return {row[0]: row[1] for row in store.rows(sql, values)}


def settled(
    store: Store, since: int, filters: Filters = EVERYTHING, until: int | None = None
) -> dict[str, dict[str, int]]:
    """What was settled from `since` on and still counts, by family and action; snoozed ones among them."""
    mine, values = where(filters, ALL)
    rows = store.rows(
        "SELECT c.family, c.action, count(DISTINCT c.low || ':' || coalesce(c.high, 0)) FROM audit_cases c"
        " JOIN memories m ON m.id = c.low LEFT JOIN journal_groups g ON g.id = c.group_id"
        f" WHERE c.settled >= ? AND c.settled < ? AND c.state <> 'open' AND coalesce(g.undone, 0) = 0 AND {mine}"
        " GROUP BY 1, 2 ORDER BY 1, 2",
        (since, until if until is not None else 1 << 62, *values),
    )
    found: dict[str, dict[str, int]] = {}
    for family, action, number in rows:
        found.setdefault(family, {})[action] = number
    return found


def settle(connection: sqlite3.Connection, cases: Sequence[int], action: str, group: int, until: int = 0) -> None:
    """Say what was done with cases by the journal's group; `until`: they sleep until then. Caller's transaction."""
    connection.executemany(
        "UPDATE audit_cases SET state = ?, until = ?, action = ?, group_id = ?, settled = ? WHERE id = ?",
        [(SNOOZED if until else SETTLED, until, action, group, now_ms(), case) for case in cases],
    )


def group_cases(store: Store, group: int) -> list[int]:
    """The cases that a group of the journal settled."""
    sql = "SELECT id FROM audit_cases WHERE group_id = ? ORDER BY risk DESC, id"
    return [row[0] for row in store.rows(sql, (group,))]


def mark(store: Store) -> tuple[int, str]:
    """Up to which version texts were looked through, and by which rules ("" before the first look)."""
    row = store.rows("SELECT value FROM meta WHERE key = ?", (_MARK,))
    value: dict[str, Any] = json.loads(row[0][0]) if row else {"to": 0, "rules": ""}
    return int(value["to"]), str(value["rules"])


def set_mark(connection: sqlite3.Connection, to: int, rules: str) -> None:
    """Remember how far the look is, in the caller's transaction."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MARK, json.dumps({"to": to, "rules": rules})))


def _row(row: sqlite3.Row) -> Row:
    state = row["state"]
    if row["undone"] or (state == SNOOZED and row["until"] <= now_ms()):
        state = OPEN
    return Row(**{name: row[name] for name in _PLAIN}, state=state)


_PLAIN = (
    "id", "family", "low", "high", "low_version", "high_version", "risk", "evidence", "until", "action", "settled",
)  # fmt: skip
