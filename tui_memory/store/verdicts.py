"""What models said of contradictions, by the two texts they were asked about: another text is another question."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from tui_memory.clock import now_ms
from tui_memory.store.db import Store
from tui_memory.store.pairs import PairRow

Key = tuple[int, int]
"""The versions that were judged, the older memory's first."""


class VerdictRow(NamedTuple):
    """One verdict. `holds`: older, newer or both."""

    contradicts: bool
    holds: str
    why: str
    model: str
    prompt: int


_WAITING = """
SELECT p.contradicts, p.low, p.high, p.low_version, p.high_version, p.score, p.cosine FROM upkeep_pairs p
    JOIN memories m ON m.id = p.low AND m.version_id = p.low_version
    JOIN memories h ON h.id = p.high AND h.version_id = p.high_version
WHERE p.contradicts = 1 AND m.state = 'active' AND h.state = 'active'
    AND NOT EXISTS (
        SELECT 1 FROM upkeep_verdicts v WHERE v.low_version = p.low_version AND v.high_version = p.high_version)
    AND NOT EXISTS (
        SELECT 1 FROM audit_cases c LEFT JOIN journal_groups g ON g.id = c.group_id
        WHERE c.family = 'contradiction' AND c.low = p.low AND c.high = p.high AND c.low_version = p.low_version
            AND c.high_version = p.high_version AND c.state = 'settled' AND coalesce(g.undone, 0) = 0)
ORDER BY p.score DESC, p.low, p.high LIMIT ?
"""


def waiting(store: Store, limit: int) -> list[PairRow]:
    """Contradictions that no model was asked about and no person has settled, surest first."""
    return [PairRow(bool(row[0]), *tuple(row)[1:]) for row in store.rows(_WAITING, (limit,))]


def put(store: Store, key: Key, verdict: VerdictRow | None) -> bool:
    """Remember a verdict, None: no answer was of use. Whether it was: a text may have gone while the model thought."""
    row = verdict or VerdictRow(False, "", "", "", 0)
    with store.transaction() as connection:
        done = connection.execute(
            "INSERT OR REPLACE INTO upkeep_verdicts SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8"
            " WHERE EXISTS (SELECT 1 FROM versions WHERE id = ?1) AND EXISTS (SELECT 1 FROM versions WHERE id = ?2)",
            (*key, None if verdict is None else verdict.contradicts, *row[1:], now_ms()),
        )
        return done.rowcount > 0


def of(store: Store, keys: Iterable[Key]) -> dict[Key, VerdictRow]:
    """The verdicts on these texts, as far as there are any."""
    rows = store.rows(
        "SELECT low_version, high_version, contradicts, holds, why, model, prompt FROM upkeep_verdicts"
        " WHERE contradicts IS NOT NULL AND (low_version, high_version) IN"
        " (SELECT value ->> 0, value ->> 1 FROM json_each(?))",
        (json.dumps(sorted(set(keys))),),
    )
    return {(row[0], row[1]): VerdictRow(bool(row[2]), *tuple(row)[3:]) for row in rows}
