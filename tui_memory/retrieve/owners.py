"""Whose vector is whose: the index knows versions, a search knows rows; asked of a million, it must not look at all."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_memory.index.vector_index import Layout
    from tui_memory.retrieve.columns import Columns

    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Owners:
    """The rows of an index's positions, and the positions of rows."""

    layout: Layout
    columns: Columns

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """By position: its memory's row, -1 where its version is not the current one."""
        return self.columns.rows_of_versions(self.layout.versions)

    @cached_property
    def without(self) -> Mask:
        """By row: whether it has no vector."""
        import numpy as np

        lacking = np.ones(len(self.columns) + 1, dtype=bool)  # the last place is for -1: no row
        lacking[self.rows] = False
        return lacking[:-1]

    @cached_property
    def _by_row(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(positions in the order of their rows, where each row's begin among them: one more than there are rows)."""
        import numpy as np

        order = np.argsort(self.rows, kind="stable").astype(np.int32)
        starts = np.searchsorted(self.rows[order], np.arange(len(self.columns) + 1)).astype(np.int32)
        return order, starts

    def inside(self, mask: Mask) -> Mask:
        """By position: whether its row is allowed."""
        import numpy as np

        allowed: Mask = np.append(mask, False)[self.rows]
        return allowed

    def positions(self, rows: Ints) -> tuple[Ints, Ints]:
        """(every position that is one of these rows', ascending; the place in `rows` of whose it is)."""
        import numpy as np

        order, starts = self._by_row
        counts = starts[rows + 1] - starts[rows]
        places = np.repeat(np.arange(len(rows)), counts)
        within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        found = order[starts[rows][places] + within].astype(np.int64)
        ascending = np.argsort(found)
        return found[ascending], places[ascending]


class OwnersCache:
    """The owners of one index, kept while neither the index nor the columns change. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: Owners | None = None

    def of(self, layout: Layout, columns: Columns) -> Owners:
        """Those of these two."""
        with self._lock:
            held = self._held
            if held is None or held.layout is not layout or held.columns is not columns:
                held = self._held = Owners(layout, columns)
            return held
