"""Boxes to write several lines in: as all boxes here, without a blinking cursor, tab goes on to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.content import Content
from textual.widgets import TextArea

from tui_memory.tui import formats

if TYPE_CHECKING:
    from tui_memory.tui.app import TuiMemoryApp

MOST = 40_000
"""Characters of a text that is changed here; Textual wraps a line anew with every key, and all of a text to open it."""
SHOWN = 4_000
"""Characters on show of one that is longer."""


class Lines(TextArea):
    """Several lines of text under a title; one that is too long to be written in is shown by its beginning."""

    def __init__(self, text: str, title: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's own name)
        super().__init__("", id=id, soft_wrap=True, tab_behavior="focus", compact=True, highlight_cursor_line=False)
        self.cursor_blink = False
        self._title = title
        self.put(text)

    def put(self, text: str) -> None:
        """Another text in place of what stands there."""
        self._whole = text
        self.read_only = len(text) > MOST
        self.text = text[:SHOWN] if self.read_only else text
        shown, every = formats.number(SHOWN), formats.number(len(text))
        editor = cast("TuiMemoryApp", self.app).keys_of("memories.editor")
        less = f" · too long to change here: {shown} of {every} characters · {editor} on Memories opens your editor"
        self.border_title = Content(self._title + (less if self.read_only else ""))

    @property
    def written(self) -> str:
        """The text as it stands: all of it, also where only its beginning is on show."""
        return self._whole if self.read_only else self.text
