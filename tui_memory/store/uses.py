"""Uses: what agents fetched. A use is a fetch by an agent, never a showing; counters are not journaled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tui_memory.clock import now_ms
from tui_memory.model import Memory

if TYPE_CHECKING:
    from tui_memory.store.db import Store

DAY_MS = 86_400_000
"""Days are counted from the epoch, UTC."""
_WEEK = f"(d.time / {DAY_MS} + 3) / 7"  # weeks begin on a Monday; the epoch was a Thursday


class Week(NamedTuple):
    """What agents were given in a week, in tokens; `start`: ms."""

    start: int
    shown: int
    fetched: int
    sources: int
    """What the sources of the fetched ones would have cost."""


def fetched(store: Store, memories: Sequence[Memory], session: str = "") -> None:
    """Count a use of each memory, and record the fetch for the agent's session where it is known."""
    moment = now_ms()
    with store.transaction() as connection:
        row = connection.execute("SELECT id FROM sessions WHERE session = ?", (session,)).fetchone()
        session_id = row["id"] if row else None
        for memory in memories:
            connection.execute("UPDATE memories SET uses = uses + 1, last_used = ? WHERE id = ?", (moment, memory.id))
            connection.execute(
                "INSERT INTO uses_by_day VALUES (?, ?, 1) ON CONFLICT (memory_id, day) DO UPDATE SET uses = uses + 1",
                (memory.id, moment // DAY_MS),
            )
            connection.execute(
                "INSERT INTO disclosures (session_id, memory_id, phase, tokens, time) VALUES (?, ?, 'fetch', ?, ?)",
                (session_id, memory.id, memory.tokens, moment),
            )


def tokens(store: Store) -> dict[str, int]:
    """Tokens shown to agents, fetched by them, and what the sources of the fetched ones would have cost."""
    rows = store.connection.execute(
        "SELECT phase = 'fetch' AS fetched, SUM(tokens) AS tokens FROM disclosures GROUP BY 1"
    ).fetchall()
    by = {bool(row["fetched"]): int(row["tokens"]) for row in rows}
    sources = store.connection.execute(
        "SELECT COALESCE(SUM(o.tokens), 0) FROM disclosures d JOIN memory_sources s ON s.memory_id = d.memory_id"
        " JOIN observations o ON o.id = s.observation_id WHERE d.phase = 'fetch'"
    ).fetchone()[0]
    return {"shown": by.get(False, 0), "fetched": by.get(True, 0), "sources": int(sources)}


def weeks(store: Store, since: int) -> list[Week]:
    """The weeks from a moment on (ms) in which agents were given something, oldest first."""
    given = store.rows(
        f"SELECT {_WEEK} AS week, SUM(d.tokens * (d.phase <> 'fetch')), SUM(d.tokens * (d.phase = 'fetch'))"
        " FROM disclosures d WHERE d.time >= ? GROUP BY 1 ORDER BY 1",
        (since,),
    )
    sources = store.rows(
        f"SELECT {_WEEK}, SUM(o.tokens) FROM disclosures d JOIN memory_sources s ON s.memory_id = d.memory_id"
        " JOIN observations o ON o.id = s.observation_id WHERE d.phase = 'fetch' AND d.time >= ? GROUP BY 1",
        (since,),
    )
    cost = {row[0]: int(row[1]) for row in sources}
    return [Week((row[0] * 7 - 3) * DAY_MS, int(row[1]), int(row[2]), cost.get(row[0], 0)) for row in given]
