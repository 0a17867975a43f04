"""Texts of one memory that two devices, or two of a team, wrote at once: the later is current, the other waits for a
person to settle.
"""

from __future__ import annotations

from typing import NamedTuple

from tui_memory.errors import NotFoundError
from tui_memory.model import Body
from tui_memory.store import joining, portable
from tui_memory.store.db import Store
from tui_memory.store.taking_in import body_of

_SAID = ", ".join(f"{{0}}.{name}" for name in joining.BODY)
_STANDING = f"""
SELECT m.id, m.version_id, t.version_id AS other FROM sync_texts t JOIN memories m ON m.uid = t.uid
    JOIN versions v ON v.id = m.version_id JOIN versions o ON o.id = t.version_id
WHERE t.head = 1 AND ({_SAID.format("v")}) <> ({_SAID.format("o")})
    AND t.stamp < (SELECT max(n.stamp) FROM sync_texts n WHERE n.uid = t.uid AND n.head = 1)
UNION SELECT m.id, m.version_id, t.version_id FROM hub_texts t JOIN memories m ON m.version_id = t.current
    JOIN versions v ON v.id = m.version_id JOIN versions o ON o.id = t.version_id
WHERE ({_SAID.format("v")}) <> ({_SAID.format("o")})
ORDER BY 1, 3
"""
_BY_TEAM = """
SELECT writer FROM hub_texts WHERE version_id = ?1 UNION ALL SELECT current_writer FROM hub_texts WHERE current = ?1
"""


class Conflict(NamedTuple):
    """A memory, its current version, and the other one."""

    memory: int
    version: int
    other: int


def standing(store: Store) -> list[Conflict]:
    """Every one that no later text was written over."""
    rows = store.rows(_STANDING)
    return [Conflict(row["id"], row["version_id"], row["other"]) for row in rows]


def body(store: Store, version: int) -> Body:
    """What a version says. NotFoundError where it is gone."""
    found = store.rows("SELECT * FROM versions WHERE id = ?", (version,))
    if not found:
        raise NotFoundError("The other text is no longer kept. Nothing was changed.")
    return body_of(portable.version(found[0]))


class Written(NamedTuple):
    """Where a version was written, and when (ms)."""

    device: str
    """The last eight digits of its identity; empty where that is not known."""
    at: int
    writer: str = ""
    """A login of the team's hub; empty: it is one's own."""


def written(store: Store, version: int) -> Written:
    """Who wrote a version; at 0 where it is gone."""
    at = store.rows("SELECT created FROM versions WHERE id = ?", (version,))
    moment = int(at[0][0]) if at else 0
    if hub := store.rows(_BY_TEAM, (version,)):
        return Written("" if hub[0][0] else joining.short(store.device), moment, hub[0][0])
    row = store.rows("SELECT max(stamp) FROM sync_texts WHERE version_id = ? AND head = 1", (version,))
    return Written(joining.short(str(row[0][0] or "").partition(" ")[2]), moment)
