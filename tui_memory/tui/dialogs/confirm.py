"""Yes or no, before something large; no has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from tui_memory.safetext import clean
from tui_memory.tui import bindings

if TYPE_CHECKING:
    from tui_memory.tui.app import TuiMemoryApp


class Confirm(ModalScreen[bool]):
    """Answers true only where yes was pressed or `y` typed."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[bindings.BindingList] = [
        *bindings.DIALOG[:2],
        *bindings.CONFIRM,
    ]

    def __init__(self, question: str, consequence: str, verb: str) -> None:
        super().__init__()
        self._question, self._consequence, self._verb = question, consequence, verb

    def compose(self) -> ComposeResult:
        """Question, what follows, two buttons."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(clean(self._question))
            yield Static(clean(self._consequence), markup=False)
            with Horizontal(classes="buttons"):
                yield Button(Content(f"{self._key('no')}  Keep"), id="no", variant="primary")
                yield Button(Content(f"{self._key('yes')}  {self._verb}"), id="yes")

    def _key(self, answer: str) -> str:
        return cast("TuiMemoryApp", self.app).keys_of(f"confirm.{answer}")

    def on_mount(self) -> None:
        """The safe button has the focus."""
        self.query_one("#no", Button).focus()

    @on(Button.Pressed, "#yes")
    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    @on(Button.Pressed, "#no")
    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(False)


def leave(dialog: ModalScreen[Any], *, written: bool) -> None:
    """Close a dialog with None; where a person wrote in it, only once they say that it may go."""
    if not written:
        dialog.dismiss(None)
        return

    def answered(yes: bool | None) -> None:
        if yes:
            dialog.dismiss(None)

    dialog.app.push_screen(_throwing_away(), answered)


def leave_all(app: App[Any]) -> None:
    """Quit; where a person wrote in a dialog that is open, only once they say that it may go."""
    if not any(getattr(screen, "written", False) for screen in app.screen_stack):
        app.exit()
        return
    if isinstance(app.screen, Confirm):
        return  # it is being asked

    def answered(yes: bool | None) -> None:
        if yes:
            app.exit()

    app.push_screen(_throwing_away(), answered)


def _throwing_away() -> Confirm:
    said = "The store stays as it is either way; what you wrote here is nowhere else."
    return Confirm("Throw away what you wrote?", said, "Throw away")
