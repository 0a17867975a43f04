"""Where memories live: here alone, on one's other devices, in a team's hub; as SQL, and told of those that are read.

Nothing is asked of anybody for it: the journal has what came from where, sync what it sent, and `meta` what is shared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tui_memory.errors import UsageError
from tui_memory.model import Memory, Where

if TYPE_CHECKING:
    from tui_memory.store.db import Store

SHARES = "hub_shares"
"""The meta row of what is shared: JSON, `[{"project": uid, "kinds": […]}]`, as the link to the hub has it."""

_CAME = """
SELECT j.memory_id FROM journal_groups g JOIN journal j ON j.group_id = g.id
WHERE g.action = 'pull' AND j.before IS NULL
"""
_SYNCED = """
SELECT x.id FROM sync_memories s JOIN memories x ON x.uid = s.uid
WHERE s.via > 0 OR s.seq <= (SELECT max(sent) FROM sync_places)
"""
_SHARED = f"""
SELECT x.id FROM meta t, json_each(t.value) s JOIN projects p ON p.uid = s.value ->> 'project'
    JOIN memories x ON x.project_id = p.id AND x.state IN ('active', 'superseded')
WHERE t.key = '{SHARES}' AND x.id NOT IN ({_CAME}) AND (json_array_length(s.value, '$.kinds') = 0
    OR x.kind IN (SELECT value FROM json_each(s.value, '$.kinds')))
"""
IDS = {Where.SYNC: _SYNCED, Where.HUB: _CAME, Where.SHARED: _SHARED}
"""The ids of the memories that are there; whatever is in none of them is here alone."""
_ELSEWHERE = " UNION ".join(IDS.values())

_DEVICE = """
SELECT m.id, substr(replace(substr(min(t.stamp), instr(min(t.stamp), ' ') + 1), '-', ''), -8) FROM memories m
    JOIN sync_texts t ON t.uid = m.uid
WHERE m.id IN (SELECT j.memory_id FROM journal j JOIN journal_groups g ON g.id = j.group_id
    WHERE j.memory_id IN (SELECT value FROM json_each(?)) AND g.action = 'sync' AND j.before IS NULL)
GROUP BY m.id
"""
"""Of what came by a sync, whose its first known text is: the last eight digits of that device."""


def condition(wanted: Iterable[str]) -> str:
    """A condition over `memories m`: it lives at any of these. UsageError where there is no such place."""
    parts = []
    for name in dict.fromkeys(wanted):
        if name not in {*Where}:
            raise UsageError(f"There is no place {name!r}; there are {', '.join(Where)}. Nothing was looked for.")
        parts.append(f"m.id NOT IN ({_ELSEWHERE})" if name == Where.HERE else f"m.id IN ({IDS[Where(name)]})")
    return f"({' OR '.join(parts)})" if parts else ""


def counts(store: Store, those: str, values: list[object]) -> dict[str, int]:
    """How many of the memories that match (`those`: a condition over `memories m`) live where, most first.

    Nothing where all of the store is here alone.
    """
    found: dict[str, int] = {}
    if not _is_elsewhere(store):
        return found
    for name in Where:
        sql = f"SELECT count(*) FROM memories m WHERE {those} AND {condition((name,))}"
        if count := int(store.rows(sql, values)[0][0]):
            found[str(name)] = count
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def tell(store: Store, known: Mapping[int, Memory]) -> None:
    """Say of memories where they live; of what came by a sync, from which device."""
    if not _is_elsewhere(store):
        return
    listed = json.dumps(list(known))
    for memory in known.values():
        memory.where = []
    for name, ids in IDS.items():
        for (id_,) in store.rows(f"SELECT value FROM json_each(?) WHERE value IN ({ids})", (listed,)):
            known[id_].where.append(str(name))
    for id_, device in store.rows(_DEVICE, (listed,)):
        known[id_].device = device
    for memory in known.values():
        memory.where = memory.where or [str(Where.HERE)]


def _is_elsewhere(store: Store) -> bool:
    """Whether anything of this store is anywhere else: most never are, and pay one look."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM sync_places) OR EXISTS"
        " (SELECT 1 FROM meta WHERE key = 'hub_pulled' OR (key = ? AND value <> '[]'))"
    )
    return bool(store.rows(sql, (SHARES,))[0][0])


def share(store: Store, shares: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Remember what is shared: projects by uid, each with the kinds it is of; none: all."""
    value = json.dumps([{"project": uid, "kinds": list(kinds)} for uid, kinds in shares])
    with store.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (SHARES, value))
