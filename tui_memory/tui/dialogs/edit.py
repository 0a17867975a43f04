"""A memory's fields to edit in place; nothing is written before it is said, and nothing that was not touched."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select

from tui_memory.errors import UsageError
from tui_memory.model import MemoryKind, Tier
from tui_memory.safetext import one_line
from tui_memory.tui import bindings, fields
from tui_memory.tui.dialogs.confirm import leave
from tui_memory.tui.widgets.boxes import Lines

_BOXES = ("title", "summary", "labels")


class Edit(ModalScreen[dict[str, Any] | None]):
    """Answers with the changes, as the engine takes them; empty: none were made; None: given up."""

    CSS_PATH = "dialogs.tcss"
    HELP = (
        "tab goes from box to box. ctrl+s saves, as enter does in a box of one line; esc leaves the memory as it is,"
        " and asks where something was written."
    )
    BINDINGS: ClassVar[bindings.BindingList] = [*bindings.DIALOG[:2], *bindings.EDIT]

    def __init__(self, name: str, before: fields.Shown, now: fields.Shown | None = None) -> None:
        """`before`: the fields as they are; `now`: as a person left them already, where that could not be saved."""
        super().__init__()
        self._name, self._before, self._now = name, before, now or before
        self._untouched = self._before

    def compose(self) -> ComposeResult:
        """The boxes, two buttons."""
        with Vertical(classes="dialog whole") as dialog:
            dialog.border_title = Content(one_line(f"Edit {self._name}", 100))
            for name in _BOXES[:2]:
                yield from self._box(name)
            with Horizontal(classes="row"):
                yield Label("kind")
                yield self._choice("kind", [str(kind) for kind in MemoryKind])
                yield Label("tier")
                yield self._choice("tier", [str(tier) for tier in Tier])
            yield from self._box("labels")
            yield Lines(self._now["text"], "text", id="text")
            with Horizontal(id="lists"):
                yield Lines(self._now["facts"], "facts, one a line", id="facts")
                yield Lines(self._now["files"], "files, one a line", id="files")
            with Horizontal(classes="buttons"):
                yield Button(Content("esc  Leave it"), id="no")
                yield Button(Content("ctrl+s  Save"), id="yes", variant="primary")

    def _box(self, name: str) -> ComposeResult:
        with Horizontal(classes="row"):
            yield Label(name)
            box = Input(self._now[name], id=name, compact=True, select_on_focus=False)
            box.cursor_blink = False
            yield box

    def _choice(self, name: str, known: list[str]) -> Select[str]:
        value = self._now[name] if self._now[name] in known else self._before[name]
        values = known if value in known else [*known, value]
        return Select([(one, one) for one in values], value=value, allow_blank=False, compact=True, id=name)

    def on_mount(self) -> None:
        """The title first."""
        self._untouched = self._read()
        self.query_one("#title", Input).focus()

    def _read(self) -> fields.Shown:
        found = {name: self.query_one(f"#{name}", Input).value for name in _BOXES}
        found |= {name: str(self.query_one(f"#{name}", Select).value) for name in ("kind", "tier")}
        return found | {name: self.query_one(f"#{name}", Lines).written for name in ("text", "facts", "files")}

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def action_save(self) -> None:
        """Hand over what was changed."""
        try:
            self.dismiss(fields.changes(self._before, self._read()))
        except UsageError as error:
            self.notify(f"{error.message} Nothing was changed.", severity="warning", markup=False)

    @on(Button.Pressed, "#no")
    def action_cancel(self) -> None:
        """The memory stays as it is."""
        leave(self, written=self.written)

    @property
    def written(self) -> bool:
        """Whether a person wrote something here that is nowhere else."""
        return self._now is not self._before or self._read() != self._untouched
