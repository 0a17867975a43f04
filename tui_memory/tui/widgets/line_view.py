"""A long text, drawn line by line: a hundred thousand lines open as fast as ten."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui_memory.safetext import clean
from tui_memory.tui import bindings
from tui_memory.tui.widgets.rows import wrap


class LineView(ScrollView, can_focus=True):
    """Clean, wrapped to the width; scrolled with the keys of every list."""

    HELP = "The whole text. j and k scroll, g and G go to its ends."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.LIST[:-1]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = clean(text)
        self._lines: list[str] = []
        self._wrapped_at = 0

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again where the width is another."""
        width = max(self.scrollable_content_region.width - 1, 1)
        if width != self._wrapped_at:
            self._wrapped_at = width
            self._lines = wrap(self._text, width)
            self.virtual_size = Size(1, len(self._lines))
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the text."""
        index = y + self.scroll_offset.y
        text = self._lines[index] if index < len(self._lines) else ""
        return Strip([Segment(text, self.rich_style)]).adjust_cell_length(self.size.width, self.rich_style)

    def action_down(self) -> None:
        """One line down."""
        self.scroll_to(y=self.scroll_offset.y + 1, animate=False, force=True)

    def action_up(self) -> None:
        """One line up."""
        self.scroll_to(y=self.scroll_offset.y - 1, animate=False, force=True)

    def action_page(self, screens: float) -> None:
        """So many screens down, up where negative."""
        self.scroll_to(y=self.scroll_offset.y + int(screens * self.size.height), animate=False, force=True)

    def action_first(self) -> None:
        """The beginning."""
        self.scroll_to(y=0, animate=False, force=True)

    def action_last(self) -> None:
        """The end."""
        self.scroll_to(y=len(self._lines), animate=False, force=True)
