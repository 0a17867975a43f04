"""What a query turned up, before any weight is applied: a profile can be changed and ranked again without asking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.model import Memory
    from tui_memory.retrieve.as_of import Past
    from tui_memory.retrieve.columns import Columns
    from tui_memory.retrieve.query_words import Words

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Near:
    """Where the asker stands: what is of this branch and about these files gains by it."""

    branch: str = ""
    files: tuple[str, ...] = ()


NOWHERE = Near()


@dataclass(slots=True)
class Candidates:
    """The union of what meaning and words found; every array has one value a candidate, in `rows`' order."""

    query: str
    columns: Columns
    rows: Ints
    """Rows of `columns`."""
    signals: dict[str, Floats]
    """By profile weight: dense, passage (both absent without a model), those of the words; and context."""
    words: Words
    """The query's, as rare as they are among what was searched."""
    searched: int
    """Among how many memories it was looked for: those that the filters let through."""
    uses: Floats
    branch: Floats
    """1 where the memory is of the branch at hand."""
    files: Floats
    """Share of the files at hand that the memory is about."""
    heads: Floats | None
    """Vectors of the memories' heads (n, dimension), zeros where there is none; None without a model."""
    degraded: list[str]
    took_ms: float
    memories: dict[int, Memory] = field(default_factory=dict)
    """Memories already read, by id."""
    past: Past | None = None
    """The moment that was asked about; None: now."""
    everything: Columns | None = None
    """All of the store's rows, where `columns` has the candidates' alone; None: `columns` has all."""
    elsewhere: Floats | None = None
    """1 where the memory is another place's; None: nowhere else was asked."""
    vector: Floats | None = None
    """The query's own, so that asking for more candidates asks no model again; None without a model."""

    def __len__(self) -> int:
        return len(self.rows)
