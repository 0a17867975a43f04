"""A list of any length that is drawn, not mounted: rows come by page from a thread, the cursor never waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tui_memory.errors import TuiMemoryError
from tui_memory.tui import asking, bindings
from tui_memory.tui.widgets.empty import Notice, failed, loading
from tui_memory.tui.widgets.pages import PAGE, ListSource, Pages, Source
from tui_memory.tui.widgets.painter import Painter
from tui_memory.tui.widgets.rows import Cell, Span, lay_out
from tui_memory.tui.widgets.scrolling import resize_to

R = TypeVar("R")


class RecordList(ScrollView, Generic[R], can_focus=True):
    """Rows of one `Source`, drawn by `draw(record, width)` as cells; `key(record)` is a record's identity."""

    HELP = "A list. The cursor's row is shown in full beside it."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.LIST

    @dataclass
    class Moved(Message):
        """The cursor is on another record, or on another version of it; None: on nothing yet."""

        origin: RecordList[Any]
        record: Any

        @property
        def control(self) -> Widget:
            """The list."""
            return self.origin

        def can_replace(self, message: Message) -> bool:
            """Only the latest place matters."""
            return isinstance(message, RecordList.Moved) and message.origin is self.origin

    @dataclass
    class Opened(Message):
        """A record is to be opened whole."""

        origin: RecordList[Any]
        record: Any

        @property
        def control(self) -> Widget:
            """The list."""
            return self.origin

    @dataclass
    class Counted(Message):
        """How many rows there are is known."""

        origin: RecordList[Any]
        total: int

        @property
        def control(self) -> Widget:
            """The list."""
            return self.origin

    def __init__(
        self,
        key: Callable[[R], int],
        draw: Callable[[R, int], Sequence[Cell]],
        *,
        what: str = "rows",
        id: str | None = None,  # noqa: A002  (Textual's own name)
    ) -> None:
        super().__init__(id=id)
        self._key, self._draw, self._what = key, draw, what
        self._pages: Pages[R] = Pages()
        self._source: Source[R] | None = None
        self._flight = self.total = self.cursor = 0
        self._flying = self._failing = False
        self.watching = False
        """Whether a cursor at the very top stays there while rows come in above, not with its record."""
        self.one_click = False
        """Whether a single click opens: for lists of things to choose."""
        self.steady = False
        """Whether a row's looks depend on its record and the width alone: what was drawn is then kept."""
        self._painter = Painter(self)
        self.help_text = ""
        """What this list is, for its help; empty: what every list is."""
        self.empty: Callable[[], Notice] = lambda: Notice("Nothing here.")
        self._notice: Notice | None = loading(what)
        self._sought: int | None = None

    # what is listed

    def show(self, source: Source[R], *, keep: bool = False, moved: int = 0) -> None:
        """List another source from its top; `keep`: the same one again, its place kept.

        `moved`: so many rows were put in (taken out, where negative) before the first that was there.
        """
        self._source = source
        if moved:
            self._pages.clear()
            self.cursor = max(self.cursor + moved, 0)
            resize_to(self, max(self.total + moved, 0))
            self.scroll_to(y=max(self.scroll_offset.y + moved, 0), animate=False, force=True)
        elif keep:
            self._pages.renew()
        else:
            self._pages.clear()
            self.cursor = 0
            self.scroll_to(y=0, animate=False, force=True)
        if isinstance(source, ListSource):
            self._flight += 1
            self._fill(source)
        else:
            if not keep:
                self.total, self._notice = 0, loading(self._what)
            self._start(source, counting=True)
        self.refresh()

    def _fill(self, source: ListSource[R]) -> None:
        pages = {page: source.fetch(page * PAGE, PAGE) for page in self._wanted(source.count())}
        self._flying = False
        self._arrived(self._flight, source.count(), pages)

    def _wanted(self, total: int | None = None) -> list[int]:
        first, height = self.scroll_offset.y, max(self.size.height, 1)
        last = first + height + height // 2
        end = (self.total if total is None else total) - 1
        return self._pages.wanted(first - height // 2, min(last, end) if end >= 0 else last)

    def _start(self, source: Source[R], *, counting: bool = False) -> None:
        self._flight, self._flying = self._flight + 1, True
        flight, wanted = self._flight, self._wanted(0 if self.total == 0 else None)

        def fetch(_memory: object) -> tuple[int | None, dict[int, Sequence[R]]]:
            total = source.count() if counting else None
            return total, {page: source.fetch(page * PAGE, PAGE) for page in wanted}

        asking.ask(
            self,
            "rows",
            fetch,
            lambda answer: self._arrived(flight, *answer),
            failed=lambda error: self._failed(flight, error),
        )

    def _arrived(self, flight: int, total: int | None, pages: dict[int, Sequence[R]]) -> None:
        if flight != self._flight:
            return
        self._flying = False
        before = self.record
        for page, rows in pages.items():
            self._pages.put(page, rows)
        if total is not None:
            self._count(total)
        self._stay_with(before)
        self.refresh()
        self.post_message(self.Moved(self, self.record))
        self._want()

    def _count(self, total: int) -> None:
        self.total, self._failing = total, False
        self.cursor = max(min(self.cursor, total - 1), 0)
        resize_to(self, total)
        self._notice = None if total else self.empty()
        self.post_message(self.Counted(self, total))

    def forget(self) -> None:
        """Show no row any more until others come."""
        self._flight, self._source, self.total, self._notice = self._flight + 1, None, 0, loading(self._what)
        self._pages.clear()
        resize_to(self, 0)
        self.refresh()

    def seek(self, key: int) -> None:
        """The next rows that come are to have the cursor on this one, where it is near or at the top."""
        self._sought = key

    def _stay_with(self, before: R | None) -> None:
        """Rows moved under the cursor: it stays with its record, or goes to the one sought, where that is near."""
        wanted, self._sought = self._sought, None
        if wanted is None:
            if before is None or (self.watching and self.cursor == 0):
                return
            wanted = self._key(before)
        now = self.record
        if now is not None and self._key(now) == wanted:
            return
        for index, record in self._pages.loaded(self.cursor, self.total):
            if self._key(record) == wanted:
                moved, self.cursor = index - self.cursor, index
                below = index >= self.scroll_offset.y + max(self.size.height, 1)
                if self.scroll_offset.y or below:
                    self.scroll_to(y=self.scroll_offset.y + moved, animate=False, force=True)
                return

    def _failed(self, flight: int, error: TuiMemoryError) -> None:
        if flight == self._flight:
            self.fail(error)

    def fail(self, error: TuiMemoryError) -> None:
        """Say in place of the rows why there are none."""
        self._flying, self._failing = False, True
        self._notice = failed(error)
        self.total = 0
        resize_to(self, 0)
        self.refresh()

    def say_again(self) -> None:
        """What an empty list says may have changed."""
        if self._source is not None and not self.total and not self._flying and not self._failing:
            self._notice = self.empty()
            self.refresh()

    def _want(self) -> None:
        """Fetch what is on screen and missing; one flight at a time, the latest place first."""
        if self._source is None or self._flying or not self.total or not self._wanted():
            return
        if isinstance(self._source, ListSource):
            for page in self._wanted():
                self._pages.put(page, self._source.fetch(page * PAGE, PAGE))
            self.refresh()
            return
        self._start(self._source)

    @property
    def is_failing(self) -> bool:
        """Whether it says, in place of rows, why there are none."""
        return self._failing

    # where the cursor is

    @property
    def source(self) -> Source[R] | None:
        """Where the rows come from."""
        return self._source

    @property
    def record(self) -> R | None:
        """The record under the cursor, once it is here."""
        return self._pages.row(self.cursor) if self.total else None

    def go(self, index: int) -> None:
        """Put the cursor on a row and bring it into view."""
        if not self.total:
            return
        old, self.cursor = self.cursor, max(min(index, self.total - 1), 0)
        top, height = self.scroll_offset.y, max(self.size.height, 1)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)
        for line in {old, self.cursor}:
            self.refresh_line(line)
        self.post_message(self.Moved(self, self.record))

    def action_down(self) -> None:
        """The next row."""
        self.go(self.cursor + 1)

    def action_up(self) -> None:
        """The row before."""
        self.go(self.cursor - 1)

    def action_page(self, screens: float) -> None:
        """So many screens down, up where negative."""
        self.go(self.cursor + int(screens * max(self.size.height, 2)))

    def action_first(self) -> None:
        """The first row."""
        self.go(0)

    def action_last(self) -> None:
        """The last row."""
        self.go(self.total - 1)

    def action_open(self) -> None:
        """Open the row."""
        if self.record is not None:
            self.post_message(self.Opened(self, self.record))

    def on_click(self, event: events.Click) -> None:
        """A click chooses, a double click opens; where `one_click` says so, the first one does."""
        event.stop()
        index = event.get_content_offset_capture(self).y + self.scroll_offset.y  # a border is no row
        if 0 <= index < self.total:
            self.go(index)
            if event.chain == (1 if self.one_click else 2):
                self.action_open()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolled: fetch what came into view."""
        super().watch_scroll_y(old_value, new_value)
        self._want()

    def on_resize(self) -> None:
        """More rows may be in view; nothing that is here is asked again."""
        self._want()

    # drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region."""
        self._painter.begin()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width, index = self.scrollable_content_region.width, y + self.scroll_offset.y
        if self._notice is not None:
            return self._painter.strip(self._notice_line(self._notice, y, width), width, Style())
        if index >= self.total:
            return self._painter.blank(width)
        record = self._pages.row(index)
        if record is None:
            return self._painter.strip([("   · · ·", "muted")], width, self._row_style(index, None))
        return self._row(record, index, width)

    def _row(self, record: R, index: int, width: int) -> Strip:
        key = (width, self._row_style(index, record))
        if self.steady and (kept := self._painter.kept(index, record, key)):
            return kept
        spans = lay_out(self._draw(record, width - 2), max(width - 2, 1))
        strip = self._painter.strip([self._margin(record, index), *spans], width, key[1])
        return self._painter.keep(index, record, key, strip) if self.steady else strip

    def _notice_line(self, notice: Notice, y: int, width: int) -> list[Span]:
        rows = notice.spans(max(width - 4, 8))
        return [("  ", ""), *rows[y - 1]] if 0 <= y - 1 < len(rows) else []

    def _margin(self, record: R, index: int) -> Span:
        return (" ", "")

    def _row_style(self, index: int, record: R | None) -> Style:
        if index != self.cursor:
            return Style()
        name = "cursor" if self.has_focus else "cursor-dim"
        return self._role(name)

    def _role(self, role: str) -> Style:
        return self._painter.role(role)
