"""The pane that shows one record in full, scrolling, as plain text."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.visual import Visual

from tui_memory.tui import bindings
from tui_memory.tui.widgets.borders import entitle
from tui_memory.tui.widgets.scrolling import resize_to


class Detail(ScrollView, can_focus=True):
    """Shows a `Content`; goes back to its top only when another record is shown.

    Drawn line by line: a text in a widget of its own, as tall as it is, lays out the whole screen whenever it changes.
    """

    HELP = "One record in full. j and k scroll; enter in the list opens it alone."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG[2:]
    of: object = None
    """What is shown."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  (Textual's name)
        super().__init__(id=id, classes=classes)
        self.content = Content("")
        self._lines: list[Strip] = []
        self._wrapped: object = None
        """For what the lines are right: content, width, style, selection."""

    def show(self, content: Content, *, of: object = None, title: Content | None = None) -> None:
        """Put the content on show; `of` says what it is of, so that a refresh keeps the place."""
        entitle(self, title=title)
        if content != self.content:
            self.content = content
            self._wrap()
            self.refresh()
        if of != self.of:
            self.of = of
            self.scroll_to(y=0, animate=False)

    def _wrap(self) -> None:
        """The lines for the width of now; nothing where they are right already."""
        width, style = self.scrollable_content_region.width, self.visual_style
        wanted = (self.content, width, style, self.text_selection)
        if wanted == self._wrapped or width <= 0:
            return
        self._wrapped = wanted
        self._lines = Visual.to_strips(self, self.content, width, None, style)
        resize_to(self, len(self._lines))

    def on_resize(self, _event: events.Resize) -> None:
        """Another width."""
        self._wrap()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is marked with the mouse, to be copied."""
        return selection.extract(self.content.plain), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """More is marked, or less."""
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region, wrapped once for all of them."""
        self._wrap()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the text."""
        index = y + self.scroll_offset.y
        width, style = self.scrollable_content_region.width, self.visual_style.rich_style
        line = self._lines[index] if index < len(self._lines) else Strip([])
        return line.adjust_cell_length(width, style)
