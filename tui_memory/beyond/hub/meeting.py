"""One memory, written here and in the hub, and neither knew of the other: the later text is current, both are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tui_memory.beyond.hub import shapes
from tui_memory.beyond.hub.here import Here
from tui_memory.clock import parse_iso
from tui_memory.store import hub_state, rows
from tui_memory.store.hub_state import Beside
from tui_memory.store.portable import Record
from tui_memory.store.taking_in import body_of

if TYPE_CHECKING:
    from psycopg.rows import DictRow

    from tui_memory.store.db import Store

Masked = Callable[[Iterable[Record]], Iterator[Record]]
"""Records without their secrets, by today's rules."""


def keep_theirs(store: Store, masked: Masked, earlier: Sequence[DictRow], known: Mapping[str, Here]) -> int:
    """What is current here is not earlier than these rows: keep their texts beside it; how many are to be settled."""
    if not earlier:
        return 0
    unseen = {str(row["uid"]): row for row in earlier if known[str(row["uid"])].is_unseen(row["changed"])}
    records = list(masked(shapes.record(row) for row in unseen.values()))
    found: list[Beside] = []
    with store.transaction() as connection:
        for record in records:
            mine, row = known[record["uid"]], unseen[record["uid"]]
            theirs = record["versions"][0]
            other = rows.version_of(connection, mine.id, body_of(theirs), parse_iso(theirs["created"]))
            if hub_state.differ(connection, other, mine.version):
                found.append(Beside(other, mine.version, row["edited_by"], ""))
        hub_state.beside(connection, found)
        hub_state.seen(connection, ((known[str(row["uid"])].id, row["changed"]) for row in earlier))
    return len(found)


def keep_mine(store: Store, taken: Sequence[DictRow], known: Mapping[str, Here]) -> int:
    """These rows are what is current here now: what was written here stands beside them; how many are to be settled."""
    found: list[Beside] = []
    with store.transaction() as connection:
        theirs = {str(row["uid"]): row for row in taken}
        now = hub_state.current(connection, list(theirs))
        for uid, (_, version) in now.items():
            mine, row = known.get(uid), theirs[uid]
            if mine is None or not mine.version:
                continue
            hub_state.follow(connection, mine.version, version, row["edited_by"])
            if mine.is_unseen(row["changed"]) and hub_state.differ(connection, mine.version, version):
                found.append(Beside(mine.version, version, "", row["edited_by"]))
        hub_state.beside(connection, found)
        hub_state.seen(connection, ((memory, theirs[uid]["changed"]) for uid, (memory, _) in now.items()))
    return len(found)
