"""A bounded cache of pages over rows that are fetched elsewhere."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
PAGE = 50
KEPT = 80
"""Pages kept: 4,000 rows, whatever the list's length."""


class Source(Protocol[R_co]):
    """Where a list's rows come from; called in a thread, may block, may raise TuiMemoryError."""

    def count(self) -> int:
        """How many rows there are."""

    def fetch(self, offset: int, n: int) -> Sequence[R_co]:
        """The rows from `offset`, at most `n`."""


class Pages(Generic[R]):
    """Rows by index, where they have arrived; which pages are still wanted; old ones shown until new ones come."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, tuple[int, Sequence[R]]] = OrderedDict()
        self.generation = 0

    def renew(self) -> None:
        """Everything is to be fetched again; what is there stays on show until it is replaced."""
        self.generation += 1

    def clear(self) -> None:
        """Forget all rows: those of another question must not be shown under this one."""
        self.generation += 1
        self._pages.clear()

    def put(self, page: int, rows: Sequence[R]) -> None:
        """Keep one page, as of this generation; the one not looked at for longest makes room."""
        self._pages[page] = (self.generation, rows)
        self._pages.move_to_end(page)
        if len(self._pages) > KEPT:
            self._pages.popitem(last=False)

    def row(self, index: int) -> R | None:
        """The row, or None where its page has not arrived."""
        kept = self._pages.get(index // PAGE)
        if kept is None:
            return None
        self._pages.move_to_end(index // PAGE)
        rows = kept[1]
        return rows[index % PAGE] if index % PAGE < len(rows) else None

    def wanted(self, first: int, last: int) -> list[int]:
        """The pages of the rows first..last that are missing or of an older generation."""
        pages = range(max(first, 0) // PAGE, max(last, 0) // PAGE + 1)
        return [page for page in pages if (kept := self._pages.get(page)) is None or kept[0] != self.generation]

    def loaded(self, around: int, total: int) -> Iterable[tuple[int, R]]:
        """The rows that are here, of the page of `around` and its neighbours."""
        start = max(around // PAGE - 1, 0) * PAGE
        for index in range(start, min(start + 3 * PAGE, total)):
            row = self.row(index)
            if row is not None:
                yield index, row


class ListSource(Generic[R]):
    """Rows that are already here."""

    def __init__(self, rows: Sequence[R]) -> None:
        self.rows = rows

    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def fetch(self, offset: int, n: int) -> Sequence[R]:
        """The rows from `offset`, at most `n`."""
        return self.rows[offset : offset + n]
