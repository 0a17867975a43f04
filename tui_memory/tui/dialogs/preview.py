"""What a change would write, line by line, before it is made: yes makes it, everything else leaves all as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen

from tui_memory.safetext import one_line
from tui_memory.tui import bindings
from tui_memory.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from tui_memory.tui.app import TuiMemoryApp


class Preview(ModalScreen[bool]):
    """Answers true only where `y` was typed."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[bindings.BindingList] = [
        *bindings.DIALOG[:2],
        *bindings.CONFIRM,
    ]

    def __init__(self, title: str, text: str, verb: str) -> None:
        super().__init__()
        self._title, self._text, self._verb = title, text, verb

    def compose(self) -> ComposeResult:
        """The text, and the two answers in its border."""
        view = LineView(self._text)
        view.add_class("dialog", "whole")
        view.border_title = Content(one_line(self._title, 100))
        keys = cast("TuiMemoryApp", self.app).keys_of
        no, yes = ((keys(f"confirm.{answer}"), "bold $text-accent") for answer in ("no", "yes"))
        answers = [no, (" leaves all as it is · ", ""), yes]
        view.border_subtitle = Content.assemble(*answers, (f" {one_line(self._verb, 40)}", ""))
        yield view

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(False)
