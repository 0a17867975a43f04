"""The pane that shows one record in full, scrolling, as plain text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui_memory.tui import bindings


class Detail(VerticalScroll, can_focus=True):
    """Shows a `Content`; goes back to its top only when another record is shown."""

    HELP = "One record in full. j and k scroll; enter in the list opens it alone."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG[1:]
    of: object = None
    """What is shown."""

    def compose(self) -> ComposeResult:
        """The text."""
        yield Static(markup=False)

    def show(self, content: Content, *, of: object = None, title: Content | None = None) -> None:
        """Put the content on show; `of` says what it is of, so that a refresh keeps the place."""
        self.query_one(Static).update(content)
        if title is not None:
            self.border_title = title
        if of != self.of:
            self.of = of
            self.scroll_to(y=0, animate=False)
