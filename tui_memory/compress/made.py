"""What a compressor hands back: memories with their sources, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tui_memory.errors import CompressError
from tui_memory.model import Body, MemoryState

if TYPE_CHECKING:
    from tui_memory.compress.turns import Turn


class Unfinished(CompressError):
    """An answer that came to its limit before its end; `said` is what there is of it."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


@dataclass(slots=True)
class Made:
    """One memory: its body, the observations that carry it, and the state it starts in (active or held)."""

    body: Body
    sources: list[int]
    state: str = MemoryState.ACTIVE
    written: Body | None = None
    """As a model wrote it, before what its sources do not hold was taken out; None for the rules."""


@dataclass(slots=True)
class Cost:
    """What a model was asked for one turn: calls, tokens as the model counted them, milliseconds."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    repairs: int = 0
    """Answers that had to be asked for again because they were of no use."""


@dataclass(slots=True)
class Compressed:
    """What one turn became. `made` may be empty: then `skipped_reason` says why nothing was worth keeping."""

    made: list[Made] = field(default_factory=list)
    route: str = ""
    model: str = ""
    skipped_reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    repairs: int = 0
    failures: list[str] = field(default_factory=list)
    """One sentence for each route that was tried before this one, in order."""


class Route(Protocol):
    """One way of compressing."""

    @property
    def name(self) -> str:
        """As in the settings: `extractive`, `ollama:MODEL`."""

    @property
    def model(self) -> str:
        """The model it asks; "" for none: then it costs nothing and no budget stops it."""

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """The memories of a turn; what it takes is added to `cost`, also where it fails.

        CompressError where the answer is of no use, ModelError where the model cannot be had.
        """
