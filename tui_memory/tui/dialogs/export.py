"""Where to write what is marked, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, Label, Select, Static

from tui_memory.tui import bindings


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person wants written."""

    path: str
    format: Literal["jsonl", "markdown"]
    journal: bool
    sources: bool


class _Sign(Checkbox):
    """Empty where it is off: Textual's own is told from one that is on by its colour alone."""

    BUTTON_INNER = " "

    def watch_value(self) -> None:
        """Another sign for another value."""
        self.BUTTON_INNER = "✓" if self.value else " "
        super().watch_value()


class Export(ModalScreen[Asked | None]):
    """Answers with what to write; None: nothing."""

    CSS_PATH = "dialogs.tcss"
    HELP = "enter writes the file, for you alone. jsonl says everything and import reads it; markdown is to be read."
    BINDINGS: ClassVar[bindings.BindingList] = [*bindings.DIALOG[:2], *bindings.EXPORT]

    def __init__(self, what: str, path: str) -> None:
        """`what`: in words; `path`: without its ending."""
        super().__init__()
        self._what, self._path = what, path

    def compose(self) -> ComposeResult:
        """File, format, what goes along, two buttons."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(f"Export {self._what}")
            with Horizontal(classes="row"):
                yield Label("file")
                box = Input(f"{self._path}.jsonl", id="path", compact=True, select_on_focus=False)
                box.cursor_blink = False
                yield box
            with Horizontal(classes="row"):
                yield Label("format")
                options = [("jsonl: everything, to be imported", "jsonl"), ("markdown: to be read", "markdown")]
                yield Select(options, value="jsonl", allow_blank=False, compact=True, id="format")
            with Horizontal(classes="row", id="along"):
                yield Label("with")
                yield _Sign("history: no", id="journal", compact=True)
                yield _Sign("sources: no", id="sources", compact=True)
            yield Static("Secrets are masked once more. A purge names the file while it is there.", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(Content("esc  Nothing"), id="no")
                yield Button(Content("enter  Export"), id="yes", variant="primary")

    def on_mount(self) -> None:
        """The file's name first."""
        self.query_one("#path", Input).focus()

    @on(Select.Changed, "#format")
    def _chosen(self) -> None:
        """The ending follows the format; Markdown has no room for the rest."""
        markdown = self._format == "markdown"
        box = self.query_one("#path", Input)
        old, new = (".jsonl", ".md") if markdown else (".md", ".jsonl")
        if box.value.endswith(old):
            box.value = box.value.removesuffix(old) + new
        self.query_one("#along").disabled = markdown

    @on(Checkbox.Changed)
    def _turned(self, event: Checkbox.Changed) -> None:
        """The word says it, too."""
        name = str(event.checkbox.label).partition(":")[0]
        event.checkbox.label = f"{name}: {'yes' if event.value else 'no'}"

    @property
    def _format(self) -> Literal["jsonl", "markdown"]:
        return cast("Literal['jsonl', 'markdown']", self.query_one("#format", Select).value)

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def action_export(self) -> None:
        """Hand over what is wanted."""
        path = self.query_one("#path", Input).value.strip()
        if not path:
            self.notify("A file needs a name. Nothing was written.", severity="warning", markup=False)
            return
        along = self._format == "jsonl"
        journal, sources = (along and self.query_one(f"#{name}", Checkbox).value for name in ("journal", "sources"))
        self.dismiss(Asked(path, self._format, journal, sources))

    @on(Button.Pressed, "#no")
    def action_cancel(self) -> None:
        """Nothing is written."""
        self.dismiss(None)
