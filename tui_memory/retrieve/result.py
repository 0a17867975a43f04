"""What a search answers, as every surface shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui_memory.clock import iso
from tui_memory.light import dataclass

if TYPE_CHECKING:
    from tui_memory.model import Memory


@dataclass(slots=True)
class Hit:
    """One search result: a memory, its final score, and every number that made its place."""

    id: int
    score: float
    scores: dict[str, float]
    memory: Memory

    def public(self) -> dict[str, Any]:
        """The contract's JSON shape: the memory without text and facts, score and scores beside it."""
        return self.memory.public(whole=False) | {"score": self.score, "scores": self.scores}


@dataclass(slots=True)
class SearchResult:
    """A search's answer: `degraded` names what was missing ("model", "index", "hub") for a full one."""

    query: str
    took_ms: float
    degraded: list[str]
    results: list[Hit]
    as_of: int | None = None
    """The moment (ms) that was asked about; None: now."""
    purged: int = 0
    """How many memories of that moment are purged: nothing else is known of them."""

    def public(self) -> dict[str, Any]:
        """The contract's JSON shape; of another moment than now, that moment and what is purged since."""
        shown = {
            "query": self.query,
            "took_ms": round(self.took_ms, 2),
            "degraded": self.degraded,
            "results": [hit.public() for hit in self.results],
        }
        return shown if self.as_of is None else shown | {"as_of": iso(self.as_of), "purged": self.purged}
