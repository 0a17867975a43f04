"""A merge before it happens: the originals left, what becomes of them right, its title to edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from tui_memory.model import Body, Memory
from tui_memory.safetext import one_line
from tui_memory.tui import bindings, describe, formats


class Merge(ModalScreen[str | None]):
    """Answers with the title to merge under; None: nothing is merged."""

    HELP = "The originals, and the one memory they would become. enter merges; esc leaves everything as it is."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG[:1]

    def __init__(self, originals: Sequence[Memory], result: Body) -> None:
        super().__init__()
        self._originals, self._result = originals, result

    def compose(self) -> ComposeResult:
        """Left, right, what is kept, two buttons."""
        with Vertical(classes="dialog whole") as dialog:
            dialog.border_title = f"Merge {len(self._originals)} memories into one"
            with Horizontal(id="sides"):
                with VerticalScroll(classes="pane", id="originals") as left:
                    left.border_title = "now"
                    for number, memory in enumerate(self._originals):
                        rule = Content("") if number == 0 else Content.styled("\n" + "─" * 20 + "\n", "$tm-line")
                        yield Static(rule + describe.memory(memory), markup=False)
                with Vertical(classes="pane", id="result") as right:
                    right.border_title = "then"
                    title = Input(one_line(self._result.title), id="title", compact=True, select_on_focus=False)
                    title.cursor_blink = False
                    yield title
                    with VerticalScroll():
                        yield Static(describe.body(self._result), markup=False)
            yield Static(self._kept(), id="kept")
            with Horizontal(classes="buttons"):
                yield Button(Content("esc  Keep apart"), id="no")
                yield Button(Content("enter  Merge"), id="yes", variant="primary")

    def _kept(self) -> Content:
        facts, files = len(self._result.facts), len(self._result.files)
        kept = f"{formats.count(facts, 'fact')} and {formats.count(files, 'file')} are kept"
        return Content.styled(
            f"{kept}; the originals leave the list, stay in the store, and u brings them back.", "$tm-muted"
        )

    def on_mount(self) -> None:
        """The title is what there is to decide."""
        self.query_one("#title", Input).focus()

    @on(Input.Submitted, "#title")
    @on(Button.Pressed, "#yes")
    def merge(self) -> None:
        """Merge under the title as it stands; an empty one is no title."""
        title = self.query_one("#title", Input).value.strip()
        if title:
            self.dismiss(title)
        else:
            self.notify("A memory needs a title. Nothing was changed.", severity="warning", markup=False)

    @on(Button.Pressed, "#no")
    def action_cancel(self) -> None:
        """Nothing is merged."""
        self.dismiss(None)
