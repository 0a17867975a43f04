"""A long text, drawn line by line: a hundred thousand lines, or one of five million characters, open as fast as ten."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from time import monotonic
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui_memory.safetext import clean
from tui_memory.tui import bindings
from tui_memory.tui.widgets.rows import wrapped

_AT_ONCE = 0.02
"""Seconds of wrapping in one go: the first lines are drawn, and keys answered, before the last are wrapped."""
_TOGETHER = 200
"""Lines that are wrapped between two looks at the clock."""


class LineView(ScrollView, can_focus=True):
    """Clean, wrapped to the width; scrolled with the keys of every list."""

    HELP = "The whole text. j and k scroll, g and G go to its ends."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.LIST[:-1]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = clean(text)
        self._lines: list[str] = []
        self._left: Iterator[str] | None = None
        """The lines that are not wrapped yet; None once all are."""
        self._wrapped_at = 0
        self._to_end = False
        """Whether the end was asked for before it was there."""

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again where the width is another."""
        width = max(self.scrollable_content_region.width - 1, 1)
        if width != self._wrapped_at:
            self._wrapped_at = width
            working = self._left is not None
            self._lines, self._left = [], wrapped(self._text, width)
            if not working:
                self._wrap_on()

    def _wrap_on(self) -> None:
        """More lines, for as long as nobody notices; the rest after what came in meanwhile."""
        ends = monotonic() + _AT_ONCE
        while self._left is not None and monotonic() < ends:
            more = list(islice(self._left, _TOGETHER))
            self._lines += more
            if len(more) < _TOGETHER:
                self._left = None
        self.virtual_size = Size(1, len(self._lines))
        self.refresh()
        if self._to_end:
            self.scroll_to(y=len(self._lines), animate=False, force=True)
        if self._left is not None:
            self.set_timer(_AT_ONCE / 10, self._wrap_on)

    def render_line(self, y: int) -> Strip:
        """One line of the text."""
        index = y + self.scroll_offset.y
        text = self._lines[index] if index < len(self._lines) else ""
        return Strip([Segment(text, self.rich_style)]).adjust_cell_length(self.size.width, self.rich_style)

    def action_down(self) -> None:
        """One line down."""
        self._go(self.scroll_offset.y + 1)

    def action_up(self) -> None:
        """One line up."""
        self._go(self.scroll_offset.y - 1)

    def action_page(self, screens: float) -> None:
        """So many screens down, up where negative."""
        self._go(self.scroll_offset.y + int(screens * self.size.height))

    def action_first(self) -> None:
        """The beginning."""
        self._go(0)

    def action_last(self) -> None:
        """The end, also where it is still being wrapped."""
        self._go(len(self._lines))
        self._to_end = self._left is not None

    def _go(self, y: int) -> None:
        self._to_end = False
        self.scroll_to(y=y, animate=False, force=True)
