"""The memories of this store as a hub sees them: which are shared, when each last changed, and whose it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tui_memory.store.db import Store

PULL = "pull"
"""How the journal calls what came from a hub."""
ACTOR = "hub:"
"""Before the name of whoever shared it, in the journal."""

_IN = "IN (SELECT value FROM json_each(?))"
# What only this store knows of a memory, its pin, changes nothing of what is shared. What is taken back has the time
# that it had before; that it was taken back is later.
_CHANGED = f"""
SELECT j.memory_id, iif(g.undoes IS NULL, j.after ->> 'updated', g.time) AS changed, g.action, g.actor,
    j.before IS NULL AS first
FROM journal j JOIN journal_groups g ON g.id = j.group_id
WHERE j.memory_id {_IN} AND j.after IS NOT NULL AND (j.before IS NULL
    OR j.before ->> 'version_id' IS NOT j.after ->> 'version_id' OR j.before ->> 'state' IS NOT j.after ->> 'state')
ORDER BY j.id
"""


class Here(NamedTuple):
    """A memory of this store."""

    id: int
    state: str
    pinned: bool
    changed: int
    """When its text or state last changed (ms), wherever that was."""
    edited: bool
    """Whether that was here; what was pulled and left alone has nothing to tell the hub."""
    shared_by: str
    """Who shared it; empty: it is from here."""
    version: int
    """Its current version; 0 where it has none."""
    seen: int
    """The hub's last change of it that this store knows (ms); 0 for none."""

    def is_unseen(self, changed: int) -> bool:
        """Whether it was changed here and there (`changed`, ms), and neither knew of the other's."""
        return self.edited and self.seen not in (self.changed, changed)


def of_project(store: Store, project: int, kinds: Sequence[str]) -> dict[str, Here]:
    """A project's memories by uid; `kinds`: only of these. What belongs to all projects is in none."""
    sql = "SELECT m.id FROM memories m JOIN versions v ON v.id = m.version_id WHERE m.project_id = ?"
    values: list[object] = [project]
    if kinds:
        sql, values = f"{sql} AND v.kind {_IN}", [project, json.dumps(list(kinds))]
    return _known(store, [row[0] for row in store.rows(sql, values)])


def of_uids(store: Store, uids: Sequence[str]) -> dict[str, Here]:
    """Those of these that are here, by uid."""
    return _known(store, [row[0] for row in store.rows(f"SELECT id FROM memories WHERE uid {_IN}", (_listed(uids),))])


def _known(store: Store, ids: Sequence[int]) -> dict[str, Here]:
    changed: dict[int, tuple[int, bool, str]] = {}
    for id_, moment, action, actor, first in store.rows(_CHANGED, (_listed(ids),)):
        before = changed.get(id_, (0, False, ""))
        from_hub = action == PULL
        shared_by = actor.removeprefix(ACTOR) if first and from_hub else before[2]
        changed[id_] = (max(before[0], int(moment or 0)), not from_hub, shared_by)
    rows = store.rows(
        "SELECT m.id, m.uid, m.state, m.pinned, m.updated, coalesce(m.version_id, 0), coalesce(h.changed, 0)"
        " FROM memories m LEFT JOIN hub_memories h ON h.memory_id = m.id"
        f" WHERE m.state <> 'undone' AND m.id {_IN}",
        (_listed(ids),),
    )
    found: dict[str, Here] = {}
    for id_, uid, state, pinned, updated, version, seen in rows:
        moment, edited, shared_by = changed.get(id_, (updated, True, ""))
        found[uid] = Here(id_, state, bool(pinned), moment, edited, shared_by, version, seen)
    return found


def _listed(values: Sequence[object]) -> str:
    return json.dumps(list(values))
