"""Boxes to write several lines in: as all boxes here, without a blinking cursor, tab goes on to the next."""

from __future__ import annotations

from textual.widgets import TextArea


class Lines(TextArea):
    """Several lines of text under a title."""

    def __init__(self, text: str, title: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's own name)
        super().__init__(text, id=id, soft_wrap=True, tab_behavior="focus", compact=True, highlight_cursor_line=False)
        self.cursor_blink = False
        self.border_title = title
