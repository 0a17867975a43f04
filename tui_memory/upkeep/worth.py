"""What a memory is worth keeping: kind, age, use, pin, state; docs/UPKEEP.md says the same formula in words.

value = state x (0.35 kind + 0.35 age + 0.30 use) + pin
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tui_memory.errors import ConfigError
from tui_memory.model import MemoryKind, MemoryState
from tui_memory.retrieve.profile import DEFAULT
from tui_memory.upkeep.findings import Value

if TYPE_CHECKING:
    from tui_memory.store.db import Store

DAY_MS = 86_400_000
KIND: Mapping[str, float] = {
    MemoryKind.PREFERENCE: 1.0,
    MemoryKind.CONVENTION: 1.0,
    MemoryKind.DECISION: 0.9,
    MemoryKind.PROCEDURE: 0.8,
    MemoryKind.INCIDENT: 0.7,
    MemoryKind.BUGFIX: 0.6,
    MemoryKind.FEATURE: 0.5,
    MemoryKind.DISCOVERY: 0.5,
    MemoryKind.REFACTOR: 0.4,
    MemoryKind.DIGEST: 0.3,
}
"""What a memory is worth by its kind alone."""
STATE: Mapping[str, float] = {
    MemoryState.ACTIVE: 1.0, MemoryState.HELD: 1.0, MemoryState.SUPERSEDED: 0.4, MemoryState.MERGED: 0.2,
}  # fmt: skip
"""What is left of it in a state; in the trash nothing is."""
WEIGHTS = {"kind": 0.35, "age": 0.35, "use": 0.30}
USE_HALF_LIFE = 30.0
"""Days after which a use counts half."""
ENOUGH_USES = 3.0
"""Uses of today that earn half of what use can give."""

_ROWS = """
SELECT m.id, m.kind, m.state, m.pinned, m.created,
    (SELECT json_group_array(json_array(u.day, u.uses)) FROM uses_by_day u WHERE u.memory_id = m.id) AS used
FROM memories m WHERE {} ORDER BY m.id LIMIT 2000
"""


def half_lives(given: Mapping[str, float]) -> dict[str, float]:
    """Days by kind: those of the settings over the profile's. ConfigError names a kind that there is not."""
    for kind, days in given.items():
        if kind not in DEFAULT.half_life or days <= 0:
            raise ConfigError(
                f"upkeep.half_life: {kind}: {days:g} is not understood: it maps a kind ({', '.join(DEFAULT.half_life)})"
                " to days, more than 0. Nothing was changed; correct the settings."
            )
    return {**DEFAULT.half_life, **given}


def value(
    kind: str, state: str, pinned: bool, created: int, used: Sequence[tuple[int, int]], now: int, life: float
) -> Value:
    """The value of one memory. `used`: (day since the epoch, uses); `life`: its kind's half-life in days; times ms."""
    today = now // DAY_MS
    uses = sum(count * 0.5 ** (max(today - day, 0) / USE_HALF_LIFE) for day, count in used)
    parts = {
        "kind": WEIGHTS["kind"] * KIND.get(kind, 0.5),
        "age": WEIGHTS["age"] * 0.5 ** (max(now - created, 0) / DAY_MS / life),
        "use": WEIGHTS["use"] * uses / (uses + ENOUGH_USES),
    }
    left = STATE.get(state, 0.0)
    parts = {name: round(left * part, 6) for name, part in parts.items()} | {"pin": float(pinned)}
    return Value(round(sum(parts.values()), 6), parts)


def of(store: Store, ids: Sequence[int], lives: Mapping[str, float], now: int) -> dict[int, Value]:
    """The values of memories by id."""
    listed = json.dumps(list(ids))
    return dict(_values(store, "m.id IN (SELECT value FROM json_each(?))", [listed], lives, now))


def lowest(store: Store, lives: Mapping[str, float], now: int) -> list[int]:
    """Ids of memories, lowest value first; none that is pinned, waits for a person, or is in the trash already."""
    found = _values(store, _EVICTABLE, [], lives, now)
    return [id_ for _, id_ in sorted((value.total, id_) for id_, value in found)]


_EVICTABLE = "NOT m.pinned AND m.state IN ('active', 'superseded', 'merged')"


def evictable(store: Store, ids: Sequence[int]) -> list[int]:
    """Those of the ids that may still go, in their order."""
    sql = f"SELECT m.id FROM memories m WHERE {_EVICTABLE} AND m.id IN (SELECT value FROM json_each(?))"
    left = {row[0] for row in store.rows(sql, (json.dumps(list(ids)),))}
    return [id_ for id_ in ids if id_ in left]


def _values(
    store: Store, where: str, values: list[object], lives: Mapping[str, float], now: int
) -> Iterator[tuple[int, Value]]:
    """(id, value) of the memories of a condition, in the order of their ids, some thousand rows at a time."""
    after = 0
    while rows := store.rows(_ROWS.format(f"({where}) AND m.id > ?"), (*values, after)):
        for row in rows:
            used = [(int(day), int(uses)) for day, uses in json.loads(row["used"])]
            life = lives.get(row["kind"], 180.0)
            yield row["id"], value(row["kind"], row["state"], row["pinned"], row["created"], used, now, life)
        after = rows[-1]["id"]
