"""What a vector index must do, so that a server engine can take the place of the local files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Layout:
    """Which vector is whose, by position 0..n-1: arrays of equal length that are never changed in place."""

    chunks: Ints
    """The chunk's id."""
    versions: Ints
    """The version's id."""
    heads: Mask
    """True where the chunk is its version's first."""
    parts: tuple[Any, ...] = ()
    """What the index needs to search just these, however it has moved on since."""


class VectorIndex(Protocol):
    """Search over the vectors of one model; positions are those of `layout`."""

    notes: list[str]
    """What was found wrong and mended, for a person."""

    def refresh(self) -> Layout:
        """Follow the store, then say which vectors there are."""

    def search(
        self, query: Floats, k: int, allowed: Mask | None = None, *, layout: Layout | None = None, exact: bool = False
    ) -> tuple[Floats, Ints]:
        """The best k of the allowed positions: (scores, positions), best first, shorter only where fewer are allowed.

        `layout`: the one that the positions of `allowed` are of; None: the present one.
        """

    def vectors(self, positions: Ints, *, layout: Layout | None = None) -> Floats:
        """The vectors at these positions (n, dimension)."""

    def snapshot(self) -> bool:
        """Write the index's files anew; False where another process is doing it."""
