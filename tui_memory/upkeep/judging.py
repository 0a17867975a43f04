"""What two memories are to each other: one told twice, a truth and what replaced it, or nothing; with the evidence."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from sqlite3 import Row
from typing import TYPE_CHECKING, Any, NamedTuple

from tui_memory.store import rules, verdicts
from tui_memory.store.pairs import PairRow
from tui_memory.upkeep import contradicting, wording
from tui_memory.upkeep.findings import Pair
from tui_memory.upkeep.likeness import likeness

if TYPE_CHECKING:
    from tui_memory.store.db import Store
    from tui_memory.store.verdicts import VerdictRow
    from tui_memory.upkeep.wording import Said

_TEXTS = ("title", "summary", "text")
_KEPT = 6_000  # statements held prepared: about 30 MB
_VERSIONS = "SELECT id, title, summary, text, facts, files FROM versions WHERE id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class Strictness:
    """From which likeness a pair is proposed, and from which it is merged without asking (0: never)."""

    proposed: float
    merged: float


class Member(NamedTuple):
    """One memory to be compared."""

    memory: int
    version: int
    project: int
    """0: all projects."""
    kind: str
    created: int


class Told(NamedTuple):
    """A version's statement and its key."""

    said: Said
    key: bytes


class Judge:
    """Reads what is compared, and keeps the last few thousand statements prepared."""

    def __init__(self, store: Store, strictness: Strictness) -> None:
        self._store, self._strictness = store, strictness
        self._told: OrderedDict[int, Told] = OrderedDict()

    def keys(self, versions: Iterable[int]) -> list[tuple[int, bytes]]:
        """The keys of versions, as (version id, key)."""
        rows = self._store.rows(_VERSIONS, (json.dumps(list(versions)),))
        return [(row["id"], _key(row, rules.reading(self._store) or str)) for row in rows]

    def told(self, versions: Iterable[int]) -> dict[int, Told]:
        """What versions say, by id; those that are gone are left out."""
        wanted = dict.fromkeys(versions)
        missing = [version for version in wanted if version not in self._told]
        mask = rules.reading(self._store) or str
        for start in range(0, len(missing), 500):
            for row in self._store.rows(_VERSIONS, (json.dumps(missing[start : start + 500]),)):
                said = wording.said(*(mask(row[name]) for name in _TEXTS))
                self._told[row["id"]] = Told(replace(said, files=frozenset(json.loads(row["files"]))), _key(row, mask))
        found = {version: self._told[version] for version in wanted if version in self._told}
        while len(self._told) > _KEPT:
            self._told.popitem(last=False)
        return found

    def pairs(self, candidates: Sequence[tuple[Member, Member, float | None]]) -> list[PairRow]:
        """What stands between the members of each candidate, with the cosine of their heads."""
        told = self.told(member.version for one, other, _ in candidates for member in (one, other))
        found = (self._pair(one, other, cosine, told) for one, other, cosine in candidates)
        return [pair for pair in found if pair is not None]

    def _pair(self, one: Member, other: Member, cosine: float | None, told: dict[int, Told]) -> PairRow | None:
        older, newer = sorted((one, other), key=lambda member: (member.created, member.memory))
        if one.version not in told or other.version not in told:
            return None
        (was, key), (says, other_key) = told[older.version], told[newer.version]
        exact = key == other_key
        reasons = [] if exact else contradicting.reasons(was, says)
        if reasons and reasons[0].weight >= contradicting.SURE:
            return _row(True, older, newer, contradicting.score(reasons), cosine)
        score = 1.0 if exact else likeness(was, says, cosine).score
        if score < self._strictness.proposed:
            return None
        low, high = sorted((older, newer), key=lambda member: member.memory)
        return _row(False, low, high, score, cosine)

    def explained(self, rows: Sequence[PairRow]) -> list[Pair]:
        """Proposals with their evidence, read from the versions that were compared."""
        told = self.told(version for row in rows for version in (row.low_version, row.high_version))
        said = verdicts.of(self._store, ((row.low_version, row.high_version) for row in rows if row.contradicts))
        return [
            self._contradiction(row, told, said) if row.contradicts else self._duplicate(row, told)
            for row in rows
            if row.low_version in told and row.high_version in told
        ]

    def _duplicate(self, row: PairRow, told: dict[int, Told]) -> Pair:
        low, high = told[row.low_version], told[row.high_version]
        alike, exact = likeness(low.said, high.said, row.cosine), low.key == high.key
        merged = self._strictness.merged
        automatic = bool(merged) and row.score >= merged and (exact or not alike.differs)
        evidence = alike.evidence(row.cosine, exact=exact) | _versions(row)
        return Pair(row.low, row.high, "duplicate", row.score, evidence, automatic)

    def _contradiction(self, row: PairRow, told: dict[int, Told], said: dict[verdicts.Key, VerdictRow]) -> Pair:
        reasons = contradicting.reasons(told[row.low_version].said, told[row.high_version].said)
        evidence: dict[str, Any] = {
            "reasons": [reason.what for reason in reasons],
            "sentences": [reason.public() for reason in reasons],
            "vector": None if row.cosine is None else round(row.cosine, 4),
        }
        if verdict := said.get((row.low_version, row.high_version)):
            names = ("contradicts", "holds", "why", "model")
            evidence["verdict"] = {name: getattr(verdict, name) for name in names}
            evidence["verdict"]["why"] = (rules.reading(self._store) or str)(verdict.why)
        return Pair(row.low, row.high, "contradiction", row.score, evidence | _versions(row))


def _key(row: Row, mask: Callable[[str], str]) -> bytes:
    texts = [mask(row[name]) for name in _TEXTS]
    return wording.key([*texts, *json.loads(row["facts"]), *sorted(json.loads(row["files"]))])


def _versions(row: PairRow) -> dict[str, Any]:
    return {"versions": [row.low_version, row.high_version]}


def _row(contradicts: bool, low: Member, high: Member, score: float, cosine: float | None) -> PairRow:
    return PairRow(contradicts, low.memory, high.memory, low.version, high.version, round(score, 4), cosine)
