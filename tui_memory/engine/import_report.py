"""What an import did, in numbers that add up: read = stored + known + dropped, and what was not kept, by reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Progress:
    """How far an import of transcripts is: sessions, bytes, and what has been stored."""

    sessions: int
    of_sessions: int
    bytes: int
    of_bytes: int
    stored: int
    stage: str
    """`read`, or `compress`: the last session read is becoming memories."""


@dataclass(slots=True)
class TranscriptReport:
    """What was read of agents' histories, and what became of it."""

    dry_run: bool = False
    sessions: Counter[str] = field(default_factory=Counter)
    """Sessions by agent."""
    files: int = 0
    unchanged: int = 0
    """Files that are as they were when they were read last: not opened again."""
    records: int = 0
    read: int = 0
    """Observations found."""
    stored: int = 0
    known: int = 0
    """Observations that the store has already, from hooks or an earlier import."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Observations that were not stored, by reason."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Records and files that are no observation, by reason."""
    failed: list[str] = field(default_factory=list)
    """What could not be read, and why."""
    turns: int = 0
    memories: int = 0
    cancelled: bool = False

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        names = (
            "dry_run",
            "files",
            "unchanged",
            "records",
            "read",
            "stored",
            "known",
            "turns",
            "memories",
            "cancelled",
        )
        counts = {name: dict(getattr(self, name)) for name in ("sessions", "dropped", "skipped")}
        return {name: getattr(self, name) for name in names} | counts | {"failed": self.failed}


@dataclass(slots=True)
class Mapped:
    """What rows of one sort of a foreign store become."""

    source: str
    kind: str
    tier: str
    labels: list[str]
    count: int = 0


@dataclass(slots=True)
class ForeignReport:
    """What a foreign store holds, what it becomes here, and what is left out."""

    format: str
    dry_run: bool = False
    mapping: dict[str, Mapped] = field(default_factory=dict)
    """What becomes what, by sort of row."""
    added: list[int] = field(default_factory=list)
    """The new memories; empty in a dry run."""
    new: int = 0
    changed: int = 0
    known: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    redactions: Counter[str] = field(default_factory=Counter)
    cancelled: bool = False

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        rows = [
            {"source": row.source, "kind": row.kind, "tier": row.tier, "labels": row.labels, "count": row.count}
            for row in self.mapping.values()
        ]
        names = ("format", "dry_run", "new", "changed", "known", "added", "cancelled")
        counts = {"skipped": dict(self.skipped), "redactions": dict(self.redactions)}
        return {name: getattr(self, name) for name in names} | {"mapping": rows} | counts
