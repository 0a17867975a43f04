"""A segment without what was forgotten: what it said of a memory is put as that is known now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tui_memory.store import joining, sync_out, tombs
from tui_memory.store.db import Store
from tui_memory.store.joining import Record

_TEXTS = (*joining.BODY, "flagged")


def cleaned(
    store: Store,
    records: Sequence[Record],
    mask: Callable[[Iterable[Record]], Iterator[Record]],
    *,
    thorough: bool,
) -> list[Record] | None:
    """The records of a segment as they are to be; None where they may stay as they are.

    `thorough`: also without texts that were replaced since, or are masked here now.
    """
    names = {kind: tombs.names(store.connection, kind) for kind in tombs.KINDS}
    texts = tombs.texts(store.connection)
    left = [
        record for record in records
        if record["type"] not in (tombs.MEMORY, tombs.OBSERVATION) or record["uid"] not in names[record["type"]]
    ]  # fmt: skip
    suspects = [
        record["uid"] for record in left if record["type"] == tombs.MEMORY and (thorough or _is_dead(record, texts))
    ]  # fmt: skip
    now = {record["uid"]: record for record in mask(sync_out.memories(store, suspects))}
    fresh: list[Record] = []
    for record in left:
        own = now.get(record["uid"]) if record["type"] == tombs.MEMORY else None
        if record["type"] == tombs.MEMORY and _is_dead(record, texts):
            record = own or joining.without(record, texts)
        fresh.append(own if own and _is_old(record, own) else record)
    if fresh == list(records):
        return None
    return [*fresh, *_homes(store, fresh)]


def _is_dead(record: Record, texts: set[str]) -> bool:
    return any(text["stamp"] in texts for text in record["texts"])


def _is_old(record: Record, own: Record) -> bool:
    """Whether a record holds a text that is not a memory's any more."""
    present: dict[str, Any] = {text["stamp"]: text for text in own["texts"]}
    return any(
        text["stamp"] not in present or any(text[name] != present[text["stamp"]][name] for name in _TEXTS)
        for text in record["texts"]
    )


def _homes(store: Store, records: Sequence[Record]) -> list[Record]:
    """The projects of records that say another one now."""
    known = {record["uid"] for record in records if record["type"] == "project"}
    return [record for record in sync_out.projects(store, records) if record["uid"] not in known]
