"""Looking for cases: texts once each, in slices, in the order they were written; pairs and states every time.

Any process may look; how far it is stands in the store, so that whoever comes next goes on from there.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_memory.clock import now_ms
from tui_memory.store import audit_cases, conflicts, gone, pairs
from tui_memory.store.audit_cases import Found
from tui_memory.upkeep.audit import families, looking
from tui_memory.upkeep.audit.looking import Rules

if TYPE_CHECKING:
    from tui_memory.store.db import Store

BATCH = 200
"""Versions read, looked through and kept together: each batch is a transaction of its own."""
DAY = 86_400_000
UNUSED_AFTER = SUPERSEDED_AFTER = 30 * DAY
"""How long a memory must have been in the store unused, or replaced, to be asked about."""
A_WEEK = 10
"""Most cases of the families without urgency that a look keeps open: a week's audit is ten minutes."""
_VERSIONS = f"SELECT {looking.COLUMNS} FROM versions v WHERE v.id > ? ORDER BY v.id LIMIT ?"
"""Older texts as well: an undo may make any of them the present one."""


@dataclass(slots=True)
class Looked:
    """What a look did: versions looked through of how many that were to be, and whether that is all of them."""

    done: int = 0
    total: int = 0
    finished: bool = False


def look(
    store: Store,
    rules: str,
    found_by: Rules | None = None,
    *,
    seconds: float | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Looked:
    """Bring the cases up to date; `seconds`: stop after so many, the next look goes on.

    `rules`: the name of today's rules of redaction, whose change means looking at every text again; `found_by`: what
    they find, needed only while the store is masked by older ones.
    """
    _by_state(store)
    _by_pair(store)
    _by_device(store)
    return _by_text(store, rules, found_by, seconds, on_progress, cancelled)


def is_behind(store: Store) -> bool:
    """Whether texts wait to be looked through for the first time."""
    return bool(store.rows("SELECT 1 FROM versions WHERE id > ? LIMIT 1", (audit_cases.mark(store)[0],)))


def _by_text(
    store: Store,
    rules: str,
    found_by: Rules | None,
    seconds: float | None,
    on_progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool] | None,
) -> Looked:
    to, by = audit_cases.mark(store)
    if by != rules:
        to = 0
    looked = Looked(total=store.rows("SELECT count(*) FROM versions WHERE id > ?", (to,))[0][0])
    until = None if seconds is None else time.monotonic() + seconds
    while rows := store.rows(_VERSIONS, (to, BATCH)):
        to = rows[-1]["id"]
        _keep(store, rows, found_by, to, rules)
        looked.done += len(rows)
        if on_progress is not None:
            on_progress(looked.done, looked.total)
        if (until is not None and time.monotonic() > until) or (cancelled is not None and cancelled()):
            return looked
    if by != rules:
        _keep(store, [], found_by, to, rules)
    looked.finished = True
    return looked


def again(store: Store, versions: Sequence[int]) -> None:
    """Look anew at texts that were masked in place, in the caller's transaction: what they held is no case any more."""
    sql = f"SELECT {looking.COLUMNS} FROM versions v WHERE v.id IN (SELECT value FROM json_each(?))"
    _renew_texts(store.connection, store.rows(sql, (json.dumps(list(versions)),)), None)


def _keep(store: Store, rows: list[sqlite3.Row], found_by: Rules | None, to: int, rules: str) -> None:
    with store.transaction() as connection:
        _renew_texts(connection, rows, found_by)
        audit_cases.set_mark(connection, to, rules)


def _renew_texts(connection: sqlite3.Connection, rows: list[sqlite3.Row], found_by: Rules | None) -> None:
    """Make the open cases of these versions those that their texts are now."""
    found = list(looking.by_text(rows, found_by))
    audit_cases.put(connection, found)
    audit_cases.withdraw_of(connection, looking.FAMILIES, [row["id"] for row in rows], found)


def _by_state(store: Store) -> None:
    """What is held; and of what was replaced long ago, or never used, the first so many."""
    now = now_ms()
    _renew(store, "instructions", store.rows(_HELD), lambda row: looking.digest(looking.whole(row), row["flagged"]))
    _top_up(store, "superseded", _SUPERSEDED, now - SUPERSEDED_AFTER)
    _top_up(store, "unused", _UNUSED, now - UNUSED_AFTER)


_SELECT = f"SELECT {looking.COLUMNS}, m.superseded_by, h.version_id AS high_version FROM memories m"
_JOINS = " JOIN versions v ON v.id = m.version_id LEFT JOIN memories h ON h.id = m.superseded_by"
_NEW = (
    " AND NOT EXISTS (SELECT 1 FROM audit_cases c"
    " WHERE c.family = ?1 AND c.low = m.id AND c.low_version = m.version_id{})"
)
_SAME_NEWER = " AND c.high = m.superseded_by AND c.high_version = h.version_id"
_HELD = f"{_SELECT}{_JOINS} WHERE m.state = 'held'"
_SUPERSEDED = (
    f"{_SELECT}{_JOINS} WHERE m.state = 'superseded' AND m.superseded_by IS NOT NULL AND m.updated < ?2"
    f"{_NEW.format(_SAME_NEWER)} ORDER BY m.updated, m.id LIMIT ?3"
)
_UNUSED = (
    f"{_SELECT}{_JOINS} WHERE m.state = 'active' AND m.uses = 0 AND NOT m.pinned AND m.created < ?2"
    f" AND v.created < ?2{_NEW.format('')} ORDER BY m.created, m.id LIMIT ?3"
)


def _top_up(store: Store, family: str, sql: str, before: int) -> None:
    """As many new cases of a family as a week has room for beside those that are open."""
    room = A_WEEK - audit_cases.counts(store).get(family, 0)
    if room > 0:
        _renew(store, family, store.rows(sql, (family, before, room)), lambda row: looking.digest(looking.whole(row)))


def _renew(store: Store, family: str, rows: Iterable[sqlite3.Row], evidence: Callable[[sqlite3.Row], int]) -> None:
    known = audit_cases.keys(store.connection, family)
    found = []
    for row in rows:
        replaced = row["superseded_by"] if family == "superseded" else None
        one = Found(
            family, row["memory_id"], row["id"], families.risk(family, 0.5), evidence(row),
            replaced, row["high_version"] if replaced else None,
        )  # fmt: skip
        if one.key not in known:
            found.append(one)
    if found:
        with store.transaction() as connection:
            audit_cases.put(connection, found)


def _by_pair(store: Store) -> None:
    """What upkeep proposes of two memories, and what it found gone: a proposal that does not stand is no case."""
    for family in families.PAIRS:
        rows = pairs.standing(store, contradicts=family == "contradiction")
        found = {(row.low, row.low_version, row.high, row.high_version): row.score for row in rows}
        _follow(store, family, found, _pair_evidence)
    stale: dict[tuple[int, int, int, int], list[str]] = {}
    for row in gone.standing(store):
        stale.setdefault((row.memory, row.version, 0, 0), []).append(row.name)
    known = {key: min(len(names) / 5, 1.0) for key, names in stale.items()}
    _follow(store, "stale", known, lambda texts, key: looking.digest(texts[key[1]], sorted(stale[key])), again=True)


def _by_device(store: Store) -> None:
    """Memories that were edited in two places at once: the text that is current, and the one that is not."""
    found = {(row.memory, row.version, 0, row.other): 0.5 for row in conflicts.standing(store)}
    _follow(store, "conflict", found, _pair_evidence)


Key = tuple[int, int, int, int]


def _pair_evidence(texts: dict[int, str], key: Key) -> int:
    return looking.digest(texts[key[1]], texts[key[3]])


def _follow(
    store: Store,
    family: str,
    found: dict[Key, float],
    evidence: Callable[[dict[int, str], Key], int],
    *,
    again: bool = False,
) -> None:
    """Make the family's open cases those that were found. `again`: the evidence of a known one may be another."""
    known = audit_cases.keys(store.connection, family)
    fresh = [key for key in found if again or key not in known]
    texts = _texts(store, {version for key in fresh for version in (key[1], key[3]) if version})
    cases = [
        Found(family, key[0], key[1], families.risk(family, found[key]), evidence(texts, key), key[2] or None,
              key[3] or None)
        for key in fresh
    ]  # fmt: skip
    gone = audit_cases.open_keys(store.connection, family) - set(found)
    if cases or gone:
        with store.transaction() as connection:
            audit_cases.put(connection, cases)
            audit_cases.withdraw(connection, family, gone)


def _texts(store: Store, versions: set[int]) -> dict[int, str]:
    """What versions say, as stored, by id."""
    sql = "SELECT id, title, summary, text, facts FROM versions WHERE id IN (SELECT value FROM json_each(?))"
    return {row["id"]: looking.whole(row) for row in store.rows(sql, (json.dumps(sorted(versions)),))}
