"""One text, whole, on the whole screen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen

from tui_memory.safetext import one_line
from tui_memory.tui import bindings
from tui_memory.tui.widgets.line_view import LineView


class WholeText(ModalScreen[None]):
    """Shows a text to its end; esc closes."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[bindings.BindingList] = [
        *bindings.DIALOG[:2],
    ]

    def __init__(self, title: str, text: str, subtitle: str = "") -> None:
        super().__init__()
        self._title, self._text, self._subtitle = title, text, subtitle

    def compose(self) -> ComposeResult:
        """The text."""
        view = LineView(self._text)
        view.add_class("dialog", "whole")
        view.border_title = Content(one_line(self._title, 100))
        view.border_subtitle = Content(one_line(f"{self._subtitle} · esc closes".removeprefix(" · "), 100))
        yield view

    def action_cancel(self) -> None:
        """Close."""
        self.dismiss()
