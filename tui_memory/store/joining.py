"""What wins where several devices say something of one memory: without a store, a clock or a network.

A memory's state is a record of parts, each with the stamp (`CLOCK DEVICE`) of who set it last; the later stamp wins,
part by part, so that a pin here and an edit there are both kept. Of its texts every record holds the heads: those that
no other text replaced. Each names what its writer knew of and wrote over (`over`); of several heads the latest is
current, and the others were written at the same time by who did not know of it: a conflict, which a person settles.

Joining records gives the same in whatever order, and however often, they come.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

Record = dict[str, Any]
PARTS = ("standing", "pinned", "place")
"""Beside the texts: (state, superseded by, merged into), whether it is pinned, (project, branch). Each with its stamp
in front."""
BODY = ("title", "summary", "text", "facts", "tier", "kind", "labels", "files")
"""What of a text a person reads: two that agree in it say the same."""


def stamp(clock: str, device: str) -> str:
    """A stamp; stamps compare as text."""
    return f"{clock} {device}"


def clock_of(stamped: str) -> str:
    """The clock's reading in a stamp."""
    return stamped.partition(" ")[0]


def short(device: str) -> str:
    """What people and files call a device: the last eight digits of its identity."""
    return device.replace("-", "")[-8:]


def join(one: Record, other: Record) -> Record:
    """What both records know of one memory."""
    parts = {part: max(one[part], other[part], key=lambda value: str(value[0])) for part in PARTS}
    updated = max(one["updated"], other["updated"])
    return one | parts | {"updated": updated, "texts": heads([*one["texts"], *other["texts"]])}


def heads(texts: Iterable[Record]) -> list[Record]:
    """The texts that no other replaced, the current one first; of two that say the same the later."""
    known: dict[str, Record] = {}
    for text in texts:
        before = known.get(text["stamp"])
        over = {*text["over"], *(before["over"] if before else ())}
        known[text["stamp"]] = (before or text) | {"over": sorted(over)}
    replaced = {name for text in known.values() for name in text["over"]}
    found: list[Record] = []
    for name in sorted(known.keys() - replaced, reverse=True):
        text = known[name]
        at = next((at for at, later in enumerate(found) if says_the_same(later, text)), None)
        if at is None:
            found.append(text)
        else:
            found[at] = found[at] | {"over": sorted({*found[at]["over"], *text["over"], name})}
    return found


def says_the_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two texts agree in all that a person reads."""
    return all(one[name] == other[name] for name in BODY)


def without(record: Record, gone: Container[str]) -> Record:
    """A record without the texts that were purged; `gone`: their stamps."""
    if not any(text["stamp"] in gone for text in record["texts"]):
        return record
    return record | {"texts": [text for text in record["texts"] if text["stamp"] not in gone]}


def pooled(records: Iterable[Record]) -> dict[str, Record]:
    """One record of each memory, by uid."""
    found: dict[str, Record] = {}
    for record in records:
        known = found.get(record["uid"])
        found[record["uid"]] = join(known, record) if known else record | {"texts": heads(record["texts"])}
    return found


def stamps(record: Record) -> dict[str, str]:
    """The stamp of each part, of the current text too; without one where there is no text."""
    found = {part: str(record[part][0]) for part in PARTS}
    return found | ({"text": str(record["texts"][0]["stamp"])} if record["texts"] else {})


def is_later(known: Mapping[str, str], record: Record) -> bool:
    """Whether a record says of some part what is later than these stamps."""
    return any(name > known.get(part, "") for part, name in stamps(record).items())


def is_the_same(one: Record, other: Record) -> bool:
    """Whether two records know the same: every stamp, and what each text replaced."""
    if any(one[part][0] != other[part][0] for part in PARTS):
        return False
    left, right = ([(text["stamp"], text["over"]) for text in record["texts"]] for record in (one, other))
    return left == right


def latest(records: Iterable[Record]) -> str:
    """The highest reading of a clock in records; empty where there are none."""
    return max((clock_of(name) for record in records for name in stamps(record).values()), default="")
