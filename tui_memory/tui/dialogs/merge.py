"""A merge before it happens: the originals left, what they become right, to edit; how alike they are, what is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from tui_memory.model import Body
from tui_memory.safetext import clean, one_line
from tui_memory.tui import asking, bindings, differences, fields, formats
from tui_memory.tui.dialogs.confirm import leave
from tui_memory.tui.widgets.boxes import Lines

if TYPE_CHECKING:
    from tui_memory.compress.merging import Written
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.merging import Preview


class Merge(ModalScreen[Body | None]):
    """Answers with what the merged memory is to say; None: nothing is merged."""

    CSS_PATH = "dialogs.tcss"
    HELP = (
        "Left the originals: what only one of them says is underlined. Right the one memory they would become, to edit."
        " enter in the title merges, ctrl+s from anywhere; esc leaves everything as it is."
    )
    BINDINGS: ClassVar[bindings.BindingList] = [*bindings.DIALOG[:2], *bindings.MERGE]

    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self._preview = preview
        self._body = preview.body
        self._before = fields.shown(preview.body)
        self._asking = False

    def compose(self) -> ComposeResult:
        """Left, right, what is kept, the buttons."""
        with Vertical(classes="dialog whole") as dialog:
            dialog.border_title = f"Merge {len(self._preview.originals)} memories into one"
            with Horizontal(id="sides"):
                with VerticalScroll(classes="pane", id="originals") as left:
                    left.border_title = "now · underlined: only here"
                    for number, content in enumerate(differences.marked(self._preview.originals)):
                        rule = Content("") if number == 0 else Content.styled("\n" + "─" * 20 + "\n", "$tm-line")
                        yield Static(rule + content, markup=False)
                with Vertical(classes="pane", id="result") as right:
                    right.border_title = "then · yours to edit"
                    title = Input(self._before["title"], id="title", compact=True, select_on_focus=False)
                    title.cursor_blink = False
                    yield title
                    yield Lines(self._before["text"], "text", id="text")
                    yield Lines(self._before["facts"], "facts, one a line", id="facts")
            yield Static(self._kept(), id="kept")
            with Horizontal(classes="buttons"):
                yield Button(Content("esc  Keep apart"), id="no")
                yield Button(Content("ctrl+g  Let a model word it"), id="word")
                yield Button(Content("enter  Merge"), id="yes", variant="primary")

    def _kept(self) -> Content:
        seen, body = self._preview, self._preview.body
        meaning = f"meaning {seen.meaning:.2f}, " if seen.meaning is not None else ""
        kept = [formats.count(len(body.facts), "fact"), formats.count(len(body.files), "file"),
                formats.count(len(body.labels), "label"), formats.count(seen.sources, "source")]  # fmt: skip
        return Content.assemble(
            (f"alike {seen.alike:.2f}", "bold"),
            (f" ({meaning}words {seen.words:.2f})", "$tm-muted"),
            (f" · keeps {', '.join(kept)}, used {seen.uses}×; ", ""),
            ("the originals leave the list and stay in the store.", "$tm-muted"),
        )

    def on_mount(self) -> None:
        """The title is what there is to decide first."""
        self.query_one("#title", Input).focus()

    @on(Button.Pressed, "#word")
    def action_word(self) -> None:
        """Ask a model for the words, without waiting for it."""
        if self._asking:
            return
        self._asking = True
        self.query_one("#result").border_subtitle = "a model is writing… esc leaves"
        ids = [memory.id for memory in self._preview.originals]
        asking.ask(self, "word", _wording(ids), self._worded, failed=self._not_worded)

    def _worded(self, written: Written) -> None:
        self._asking = False
        result = self.query_one("#result")
        if written.note:
            result.border_subtitle = "by rule"
            note = f"No model could word it: {clean(written.note)}. The merge by rule stays."
            self.notify(note, severity="warning", timeout=8, markup=False)
            return
        result.border_subtitle = Content(f"worded by {one_line(written.body.made_by.model, 40)}")
        self._body, self._before = written.body, fields.shown(written.body)
        self.query_one("#title", Input).value = self._before["title"]
        self.query_one("#text", Lines).put(self._before["text"])

    def _not_worded(self, error: Exception) -> None:
        self._asking = False
        self.query_one("#result").border_subtitle = ""
        self.notify(clean(str(error)), severity="error", markup=False)

    @on(Input.Submitted, "#title")
    @on(Button.Pressed, "#yes")
    def action_merge(self) -> None:
        """Merge what stands there; an empty title is none."""
        now = self._read()
        if not now["title"].strip():
            self.notify("A memory needs a title. Nothing was changed.", severity="warning", markup=False)
            return
        self.dismiss(replace(self._body, **fields.changes(self._before, now)))

    @on(Button.Pressed, "#no")
    def action_cancel(self) -> None:
        """Nothing is merged."""
        leave(self, written=self.written)

    @property
    def written(self) -> bool:
        """Whether a person wrote something here that is nowhere else."""
        now = self._read()
        return now != {name: self._before[name] for name in now}

    def _read(self) -> fields.Shown:
        return {
            "title": self.query_one("#title", Input).value,
            "text": self.query_one("#text", Lines).written,
            "facts": self.query_one("#facts", Lines).written,
        }


def _wording(ids: list[int]) -> Callable[[Memory], Written]:
    return lambda memory: memory.merging.write(ids)
