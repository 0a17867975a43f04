"""A name for a profile that is to be saved."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static

from tui_memory.tui import bindings


class Naming(ModalScreen[str | None]):
    """Answers with the name; None: nothing is to be saved."""

    CSS_PATH = "dialogs.tcss"
    HELP = "Type the profile's name; enter saves it. A saved profile of that name is replaced."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG[:2]

    def __init__(self, what: str, name: str) -> None:
        """`what`: a line about the weights; `name`: what stands there at first."""
        super().__init__()
        self._what, self._name_first = what, name

    def compose(self) -> ComposeResult:
        """One line, two buttons."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = "Save as a profile"
            with Horizontal(classes="row"):
                yield Label("name")
                box = Input(self._name_first, id="name", compact=True, select_on_focus=False)
                box.cursor_blink = False
                yield box
            yield Static(Content(self._what))
            with Horizontal(classes="buttons"):
                yield Button(Content("esc  Nothing"), id="no")
                yield Button(Content("enter  Save"), id="yes", variant="primary")

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one("#name", Input).focus()

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def _named(self) -> None:
        name = self.query_one("#name", Input).value.strip()
        if not name:
            self.notify("A profile needs a name. Nothing was saved.", severity="warning", markup=False)
            return
        self.dismiss(name)

    @on(Button.Pressed, "#no")
    def action_cancel(self) -> None:
        """Nothing is saved."""
        self.dismiss(None)
