"""What upkeep finds, as plain values: pairs of memories, names that are gone, values, forecasts, what was done."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from tui_memory.clock import iso

Relation = Literal["duplicate", "contradiction"]
NameKind = Literal["file", "symbol", "setting", "command"]
NAME_KINDS: tuple[NameKind, ...] = ("file", "symbol", "setting", "command")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that say the same (`duplicate`), or of which the newer contradicts the older (`contradiction`).

    `low`, `high`: memory ids; of a duplicate in their order, of a contradiction the older and the newer one.
    """

    low: int
    high: int
    relation: Relation
    score: float
    """How sure this is, 0 to 1."""
    evidence: dict[str, Any]
    """JSON. Always `versions` (those compared, low then high); of a duplicate `vector` (cosine or null), `text` (0..1),
    `exact`, `differs` (what only one of them names: {low: [...], high: [...]}); of a contradiction `reasons` and
    `sentences` ({low, high, reason} each), and once a model was asked `verdict` ({contradicts, holds, why, model})."""
    automatic: bool = False
    """Whether the settings let it be merged without asking."""


@dataclass(frozen=True, slots=True)
class GoneName:
    """A name that was in the repository and is no longer; `commit`: the one that took it away ("": not committed)."""

    name: str
    kind: NameKind
    renamed_to: str | None = None
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Gone:
    """What a memory names that the working tree no longer has."""

    memory: int
    names: list[GoneName]


@dataclass(frozen=True, slots=True)
class Value:
    """What a memory is worth keeping, and the parts that add up to it (docs/UPKEEP.md)."""

    total: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Forecast:
    """How full the store is, how fast it grows, and when a limit is reached (ms; None: not at this pace)."""

    memories: int
    max_memories: int
    bytes: int
    max_bytes: int
    memories_per_day: float
    bytes_per_day: float
    reached_on: int | None
    reached: Literal["", "max_memories", "max_bytes"]
    """Which limit comes first; empty: none."""

    def public(self) -> dict[str, Any]:
        """JSON: times as text."""
        return asdict(self) | {"reached_on": iso(self.reached_on) if self.reached_on is not None else None}


@dataclass(slots=True)
class Refreshed:
    """What a look for pairs and stale names did."""

    examined: int = 0
    """Memories compared with the others."""
    duplicates: int = 0
    """Proposals that stand now."""
    contradictions: int = 0
    stale: int = 0
    """Memories that name something that is gone."""
    merged: list[int] = field(default_factory=list)
    """Memories that were made by merging, where the settings ask for it."""
    cancelled: bool = False
    busy: bool = False
    """Another process is at it: nothing was done here."""


@dataclass(slots=True)
class Judged:
    """What a model was asked of contradictions; empty where no model is set up, can be had or may be asked today."""

    pairs: int = 0
    """Verdicts, each kept with its pair."""
    in_vain: int = 0
    """Pairs of which no answer was of use."""
    waiting: bool = False
    """Whether there are more that could be asked about."""


@dataclass(slots=True)
class Evicted:
    """What the limits took, or would take."""

    dry_run: bool = False
    observations: int = 0
    """Raw observations whose memories stay."""
    versions: int = 0
    """Older texts of memories: undo reaches back no further than what is left."""
    trashed: list[int] = field(default_factory=list)
    """Memories put into the trash, lowest value first."""
    purged: list[int] = field(default_factory=list)
    """Memories whose days in the trash were over."""
    bytes_before: int = 0
    bytes_after: int = 0
    """On disk; of a dry run an estimate."""
    over: bool = False
    """Whether the store is over a limit still: what is left is pinned, or must wait for its days in the trash."""
    busy: bool = False


@dataclass(slots=True)
class Upkept:
    """What one run of upkeep did: both halves, and the forecast after it."""

    refreshed: Refreshed
    evicted: Evicted
    forecast: Forecast

    def public(self) -> dict[str, Any]:
        """JSON."""
        return {
            "refreshed": asdict(self.refreshed),
            "evicted": asdict(self.evicted),
            "forecast": self.forecast.public(),
        }
