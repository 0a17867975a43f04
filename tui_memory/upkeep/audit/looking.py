"""What makes one memory a case by its own text: possible leaks, low grounding, size; and the digests of evidence."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tui_memory.store.audit_cases import Found
from tui_memory.upkeep.audit import families, leaks

OVERSIZED = 1_000
"""Tokens from which on a memory is: half of what a session's start has for everything."""
GROUNDED = 0.34
"""The share of its sources' salient terms below which a memory that a compressor wrote is of low grounding."""
FAMILIES = ("leak", "ungrounded", "oversized")
"""Those that a memory's own text makes it a case of."""
WRITTEN = ("person", "agent", "merge", "import")
"""Routes of memories that have no sources to hold to."""
Rules = Callable[[str], dict[str, int]]
"""Today's rules of redaction over a text: what they find, by kind."""
COLUMNS = (
    "v.id, v.memory_id, v.title, v.summary, v.text, v.facts, v.labels, v.files, v.flagged, v.retained, v.tokens,"
    " v.route, v.kind"
)


@dataclass(frozen=True, slots=True)
class Leak:
    """What in a memory looks like a secret: `values` that no rule knows, `kinds` that today's rules find."""

    values: tuple[str, ...]
    kinds: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.values or self.kinds)


def whole(row: sqlite3.Row) -> str:
    """Everything a version says to a reader, as it is stored."""
    return "\n".join((row["title"], row["summary"], row["text"], *json.loads(row["facts"])))


def digest(*parts: object) -> int:
    """A number that is another one where the evidence is; the same in every process."""
    text = json.dumps(parts, default=str)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:7], "big")


def leak(row: sqlite3.Row, rules: Rules | None = None) -> Leak:
    """The possible secrets of a version. `rules`: where they are newer than what masked the store."""
    text = "\n".join((whole(row), *json.loads(row["labels"]), *json.loads(row["files"])))
    return Leak(tuple(leaks.suspects(text)), tuple(sorted(rules(text))) if rules else ())


def by_text(rows: Iterable[sqlite3.Row], rules: Rules | None = None) -> Iterator[Found]:
    """The cases that versions are by their own text; rows as `COLUMNS` gives them."""
    for row in rows:
        if found := leak(row, rules):
            part = min((len(found.values) + 3 * len(found.kinds)) / 10, 1)
            yield _found("leak", row, part, digest(whole(row), sorted(found.values), found.kinds))
        if grounding := ungrounded(row):
            yield _found("ungrounded", row, grounding, digest(whole(row), row["flagged"]))
        if row["tokens"] > OVERSIZED:
            yield _found("oversized", row, row["tokens"] / (10 * OVERSIZED), digest(whole(row)))


def ungrounded(row: sqlite3.Row) -> float:
    """How badly (0..1) a version holds to its sources; 0: well enough."""
    if row["route"] in WRITTEN or row["kind"] == "digest":
        return 0.0
    flagged = len(json.loads(row["flagged"]))
    if row["retained"] >= GROUNDED and flagged < 3:
        return 0.0
    return max(1 - float(row["retained"]) / GROUNDED, 0.0) * 0.7 + min(flagged / 10, 0.3)


def _found(family: str, row: sqlite3.Row, part: float, evidence: int) -> Found:
    return Found(family, row["memory_id"], row["id"], families.risk(family, part), evidence)
