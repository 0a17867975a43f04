"""A profile: every weight, threshold and cap of retrieval, in one value that screens can show and files can keep."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, NamedTuple

from tui_memory.errors import ConfigError
from tui_memory.model import MemoryKind


class Range(NamedTuple):
    """What a number may be, and the step of a control for it."""

    low: float
    high: float
    step: float


_HALF_LIVES = {
    MemoryKind.CONVENTION: 730.0,
    MemoryKind.PREFERENCE: 730.0,
    MemoryKind.DECISION: 365.0,
    MemoryKind.PROCEDURE: 365.0,
    MemoryKind.BUGFIX: 180.0,
    MemoryKind.FEATURE: 180.0,
    MemoryKind.INCIDENT: 180.0,
    MemoryKind.REFACTOR: 120.0,
    MemoryKind.DISCOVERY: 120.0,
    MemoryKind.DIGEST: 60.0,
}
_HALF_LIFE = MappingProxyType({str(kind): days for kind, days in _HALF_LIVES.items()})
_DAYS = Range(1, 3650, 1)
FUSIONS = ("weighted", "rank")


def _number(default: float, low: float, high: float, step: float) -> Any:
    return field(default=default, metadata={"range": Range(low, high, step)})


@dataclass(frozen=True, slots=True)
class Profile:
    """Weights are shares of a score of about one; the first seven are scaled to a sum of one."""

    dense: float = _number(0.13, 0, 1, 0.01)
    """Meaning: the query beside the memory's head (title, summary, start)."""
    passage: float = _number(0.32, 0, 1, 0.01)
    """Meaning: the query beside the memory's best passage."""
    lexical: float = _number(0.01, 0, 1, 0.01)
    """Words in title and text, rare ones counting more (BM25)."""
    names: float = _number(0.13, 0, 1, 0.01)
    """Words in title, files and labels (BM25)."""
    coverage: float = _number(0.30, 0, 1, 0.01)
    """How much of the query the memory has at all, rare words counting more, and words of their kin for a part."""
    title: float = _number(0.03, 0, 1, 0.01)
    """How much of the memory's own title the query has: a title is short and says what the memory is about."""
    phrase: float = _number(0.08, 0, 1, 0.01)
    """How many of the query's neighbouring words stand side by side in the memory too; less for a long query."""
    trust: float = _number(0.8, 0, 1, 0.05)
    """Coverage of the best memory from which words count in full; below it, meaning has more to say."""
    context: float = _number(0.7, 0, 1, 0.05)
    """Coverage by the memories beside it in its session, as a share of coverage by itself."""
    neighbours: float = _number(0.09, 0, 1, 0.01)
    """What the memories before and after it in its session lend it: a share of their own scores."""
    fusion: str = "weighted"
    """weighted: each signal scaled to 0..1 over the candidates; rank: 1 / (rank constant + rank)."""
    rank_constant: float = _number(60, 1, 200, 1)
    """How gently rank fusion falls off."""
    age: float = _number(0.03, 0, 0.5, 0.01)
    """What a memory of this moment gains; halved with each half-life of its kind."""
    half_life: Mapping[str, float] = field(default_factory=lambda: _HALF_LIFE)
    """Days in which the gain of age halves, by kind."""
    use: float = _number(0.02, 0, 0.5, 0.01)
    """What a memory that agents fetch often gains."""
    pin: float = _number(0.03, 0, 0.5, 0.01)
    """What a pinned memory gains."""
    branch: float = _number(0.03, 0, 0.5, 0.01)
    """What a memory of the branch at hand gains."""
    files: float = _number(0.05, 0, 0.5, 0.01)
    """What a memory about the files at hand gains."""
    superseded: float = _number(0.1, 0, 1, 0.01)
    """What a superseded memory loses; it never stands above what replaced it."""
    hub: float = _number(0.95, 0, 1, 0.05)
    """What a memory of the team's hub keeps of its score; 0: the hub is not asked. Without one it means nothing."""
    near_meaning: float = _number(0.2, 0, 1, 0.01)
    """Cosine from which one of a hundred memories is near by meaning alone, a fifth more for each ten times as many;
    below both floors there is no hit."""
    near_words: float = _number(0.5, 0, 1, 0.01)
    """Coverage from which a memory is near by words alone."""
    threshold: float = _number(0, 0, 1, 0.01)
    """Final score below which a hit is left out."""
    diversity: float = _number(0, 0, 1, 0.01)
    """How much a hit loses for being like a better one (maximal marginal relevance)."""
    depth: float = _number(120, 20, 1000, 10)
    """Candidates taken from each of meaning and words."""
    cap: float = _number(50, 1, 500, 1)
    """The most hits that are ever given."""

    def as_dict(self) -> dict[str, Any]:
        """Every setting by name, ready for JSON or YAML."""
        values: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        return values | {"half_life": dict(self.half_life)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Profile:
        """A profile of the given settings, the default for the rest. ConfigError names what is wrong."""
        given: dict[str, Any] = {}
        for name, value in values.items():
            if name == "half_life":
                given[name] = _half_lives(value)
            elif name == "fusion":
                given[name] = _fusion(value)
            elif name in RANGES:
                given[name] = _checked(name, value, RANGES[name])
            else:
                raise ConfigError(_unknown("profile", name, [*RANGES, "fusion", "half_life"]))
        return cls(**given)


RANGES: dict[str, Range] = {item.name: item.metadata["range"] for item in fields(Profile) if "range" in item.metadata}
"""The range of every number of a profile, for controls and checks."""

MEANING = ("dense", "passage")
"""The signals that need a model."""

SIGNALS = ("dense", "passage", "lexical", "names", "coverage", "title", "phrase")
"""The weights whose sum is scaled to one."""


def _checked(name: str, value: Any, allowed: Range) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not allowed.low <= value <= allowed.high:
        raise ConfigError(f"profile: {name} must be a number from {allowed.low:g} to {allowed.high:g}, not {value!r}.")
    return float(value)


def _fusion(value: Any) -> str:
    if value not in FUSIONS:
        raise ConfigError(f"profile: fusion must be one of {', '.join(FUSIONS)}, not {value!r}.")
    return str(value)


def _half_lives(value: Any) -> Mapping[str, float]:
    if not isinstance(value, Mapping):
        raise ConfigError("profile: half_life must map kinds to days.")
    days = dict(DEFAULT.half_life)
    for kind, number in value.items():
        if kind not in days:
            raise ConfigError(_unknown("profile: half_life", str(kind), list(days)))
        days[str(kind)] = _checked(f"half_life of {kind}", number, _DAYS)
    return MappingProxyType(days)


def _unknown(where: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}."
    return f"{where} has no setting {name!r}{hint}"


DEFAULT = Profile()
