"""Which memories are near each other by meaning: all pairs of a project in tiles, or the neighbours of a few.

Only heads are compared (a version's first chunk: title, summary, start). Memory is bounded by the tiles: about 60 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.index.vector_index import Floats, Ints, Layout, VectorIndex

FLOOR = 0.65
"""Cosine below which two memories are not looked at: of two tellings of one event the least was 0.84, of a truth and
what replaced it 0.68 (tests/upkeep/labelled.py); two memories of one topic stay below 0.55."""
_MOST = 8  # neighbours of one memory that are looked at
_BLOCK, _SLAB = 2048, 4096  # rows and columns of a tile
_TOPICS = 256


class Near(NamedTuple):
    """Pairs by place in the list that was given: `one` < `other`, and their cosines."""

    done: int
    """Rows that are finished."""
    one: Ints
    other: Ints
    cosine: Floats


def grouped(index: VectorIndex, layout: Layout, positions: Ints) -> Ints:
    """The positions, those of one topic beside each other: what is near each other is then compared in one stretch.

    A topic is whatever is nearest to one of some vectors out of all; without many there is nothing to be won.
    """
    import numpy as np

    if len(positions) <= _BLOCK:
        return positions
    few = positions[np.linspace(0, len(positions) - 1, _TOPICS).astype(np.int64)]
    middles = index.vectors(few, layout=layout).T
    nearest = [
        (index.vectors(positions[start : start + _SLAB], layout=layout) @ middles).argmax(axis=1)
        for start in range(0, len(positions), _SLAB)
    ]
    return positions[np.argsort(np.concatenate(nearest), kind="stable")]


def all_pairs(index: VectorIndex, layout: Layout, positions: Ints) -> Iterator[Near]:
    """Every pair above the floor among these positions, at most a few of each row, block after block."""
    import numpy as np

    for start in range(0, len(positions), _BLOCK):
        rows = index.vectors(positions[start : start + _BLOCK], layout=layout)
        parts = [
            _tile(rows, index.vectors(positions[slab : slab + _SLAB], layout=layout), start, slab)
            for slab in range(start, len(positions), _SLAB)
        ]
        one, other, cosine = (np.concatenate([part[at] for part in parts]) for at in range(3))
        keep = _best(one, cosine)
        yield Near(min(start + _BLOCK, len(positions)), one[keep], other[keep], cosine[keep])


def _tile(rows: Floats, columns: Floats, start: int, slab: int) -> tuple[Ints, Ints, Floats]:
    """The pairs of one tile above the floor and above the diagonal, the best of each row."""
    import numpy as np

    similar = rows @ columns.T
    at, to = np.nonzero(similar >= FLOOR)
    one, other = at + start, to + slab
    upper = other > one
    one, other, cosine = one[upper], other[upper], similar[at[upper], to[upper]]
    keep = _best(one, cosine)
    return one[keep].astype(np.int64), other[keep].astype(np.int64), cosine[keep]


def _best(one: Ints, cosine: Floats) -> NDArray[np.int64]:
    """The places of the best few of each row."""
    import numpy as np

    order = np.lexsort((-cosine, one))
    rows = one[order]
    first = np.searchsorted(rows, rows, side="left")
    kept: NDArray[np.int64] = order[np.arange(len(order)) - first < _MOST]
    return kept


def of_one(index: VectorIndex, layout: Layout, position: int, among: NDArray[np.bool_]) -> tuple[Ints, Floats]:
    """The nearest allowed positions of one vector above the floor, itself left out, and their cosines."""
    import numpy as np

    vector = index.vectors(np.array([position]), layout=layout)[0]
    cosine, found = index.search(vector, _MOST + 1, among, layout=layout, exact=True)
    keep = (cosine >= FLOOR) & (found != position)
    return found[keep], cosine[keep]
