"""A record list whose rows can be marked: one by one, as a range, or all that the list holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from rich.style import Style
from textual.message import Message
from textual.widget import Widget

from tui_memory.tui import asking, bindings
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Span

R = TypeVar("R")
CHUNK = 2_000


@runtime_checkable
class Keyed(Protocol):
    """A source that knows all its keys without a look at its rows."""

    def keys(self) -> frozenset[int]:
        """The keys of all rows; called in a thread."""


class MarkList(RecordList[R]):
    """`chosen` hands over what is marked, else the cursor's row."""

    HELP = "A list. space marks rows, v begins a range, * marks everything; what you do next is done to the marked."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.MARKS

    @dataclass
    class Marked(Message):
        """Which rows are marked has changed."""

        origin: Widget
        count: int

        @property
        def control(self) -> Widget:
            """The list."""
            return self.origin

    _marks: frozenset[int] = frozenset()
    _anchor: int | None = None

    @property
    def marked(self) -> int:
        """How many rows are marked, those of an open range included."""
        span = self._span()
        return len(self._marks) + (sum(1 for index in span if not self._is_marked(index)) if span else 0)

    @property
    def ranging(self) -> bool:
        """Whether a range is open."""
        return self._anchor is not None

    def clear_marks(self) -> None:
        """Unmark everything."""
        self._marks, self._anchor = frozenset(), None
        self._say()

    def mark_also(self, keys: frozenset[int]) -> None:
        """Mark these rows as well; where all of them are marked already, unmark them."""
        self._marks = self._marks - keys if keys <= self._marks else self._marks | keys
        self._say()

    def end_range(self) -> None:
        """Other rows are listed: an open range, which is by place, is none any more; marks stay."""
        self._anchor = None
        self._say()

    def chosen(self, then: Callable[[list[int]], object]) -> None:
        """Hand over the keys of the marked rows, else of the cursor's; nothing where there is no row."""
        if self._anchor is not None:
            self._close_range(lambda: self.chosen(then))
        elif self._marks:
            then(sorted(self._marks))
        elif self.record is not None:
            then([self._key(self.record)])

    def action_mark(self) -> None:
        """Mark or unmark the row and go to the next."""
        if self.record is None:
            return
        self._marks ^= {self._key(self.record)}
        self.go(self.cursor + 1)
        self._say()

    def action_range(self) -> None:
        """Begin a range here, or end it here."""
        if self._anchor is None:
            self._anchor = self.cursor
            self._say()
        else:
            self._close_range(lambda: None)

    def action_mark_all(self) -> None:
        """Mark all rows of the list; where all are marked, none of them. Marks on rows of another list stay."""
        self._keys(0, self.total, self._turn_all)

    def _turn_all(self, keys: frozenset[int]) -> None:
        self.mark_also(keys)

    def go(self, index: int) -> None:
        """Put the cursor on a row; an open range grows with it."""
        super().go(index)
        if self._anchor is not None:
            self._say()

    def _close_range(self, then: Callable[[], object]) -> None:
        span = self._span()
        self._anchor = None
        if span:
            self._mark_span(span.start, span.stop, then)

    def _mark_span(self, start: int, stop: int, then: Callable[[], object]) -> None:
        """Mark rows by place."""

        def add(keys: frozenset[int]) -> None:
            self._marks |= keys
            self._say()
            then()

        self._keys(start, stop, add)

    def _keys(self, start: int, stop: int, then: Callable[[frozenset[int]], object]) -> None:
        """The keys of rows by place; those that are not here are fetched in a thread."""
        here = [self._pages.row(index) for index in range(start, stop)] if stop - start <= CHUNK else [None]
        known = [self._key(record) for record in here if record is not None]
        if len(known) == stop - start:
            then(frozenset(known))
            return
        source, key, whole = self._source, self._key, stop - start == self.total
        if source is None:
            return

        def fetch(_memory: object) -> frozenset[int]:
            if whole and isinstance(source, Keyed):
                return source.keys()
            keys: set[int] = set()
            for offset in range(start, stop, CHUNK):
                keys.update(key(record) for record in source.fetch(offset, min(CHUNK, stop - offset)))
            return frozenset(keys)

        asking.lead(self, "marks", fetch, then)

    def _say(self) -> None:
        self.refresh()
        self.post_message(self.Marked(self, self.marked))

    def _span(self) -> range | None:
        if self._anchor is None:
            return None
        first, last = sorted((self._anchor, self.cursor))
        return range(first, last + 1)

    def _is_marked(self, index: int) -> bool:
        record = self._pages.row(index)
        return record is not None and self._key(record) in self._marks

    def _in_range(self, index: int) -> bool:
        span = self._span()
        return span is not None and index in span

    def _margin(self, record: R, index: int) -> Span:
        marked = self._key(record) in self._marks or self._in_range(index)
        return ("▌", "accent") if marked else (" ", "")

    def _row_style(self, index: int, record: R | None) -> Style:
        style = super()._row_style(index, record)
        if record is not None and (self._key(record) in self._marks or self._in_range(index)):
            return self._role("marked") + style
        return style
