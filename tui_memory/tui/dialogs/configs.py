"""Which configurations the Lab compares: those that there are, and any that is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui_memory.safetext import clean, one_line
from tui_memory.tui import bindings, describe
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell

MOST = 6
"""Columns that a screen can tell apart."""


class Configs(ModalScreen[tuple[str, ...]]):
    """Answers with the chosen configurations, in the order of the list."""

    CSS_PATH = "dialogs.tcss"
    HELP = (
        "enter takes a configuration in or out; esc is done. A box below takes any other:"
        " ollama:MODEL, openai:URL#MODEL or extractive, then @event or @session, then +PROMPT."
    )
    BINDINGS: ClassVar[bindings.BindingList] = [bindings.DIALOG[1], *bindings.CONFIGS]

    def __init__(self, offered: Sequence[str], chosen: Sequence[str], trouble: str = "") -> None:
        super().__init__()
        self._names = list(dict.fromkeys([*offered, *chosen]))
        self._chosen, self._trouble = set(chosen), trouble

    def compose(self) -> ComposeResult:
        """The list, a box for others, and what is missing."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title, dialog.border_subtitle = (
                "Compare",
                "enter takes in or out · tab types another · esc done",
            )
            self.listing: RecordList[str] = RecordList(lambda name: self._names.index(name), self._draw, what="ways")
            self.listing.one_click = True
            yield self.listing
            self.box = Input(placeholder="another: ollama:MODEL@event+PROMPT", id="other", compact=True)
            self.box.cursor_blink = False
            yield self.box
            yield Static(clean(self._trouble), id="trouble", markup=False)

    def on_mount(self) -> None:
        """Fill it."""
        self._list()
        self.listing.focus()

    def _list(self) -> None:
        self.listing.styles.height = min(len(self._names), 14)
        self.listing.show(ListSource(self._names), keep=True)

    def _draw(self, name: str, width: int) -> list[Cell]:
        taken = name in self._chosen
        return [
            Cell("[x]" if taken else "[ ]", "accent" if taken else "muted"),
            Cell(describe.line(name, width), flex=True),
        ]

    @on(RecordList.Opened)
    def _opened(self, event: RecordList.Opened) -> None:
        event.stop()
        self._toggle(event.record)

    def action_take(self) -> None:
        """Take the row in or out."""
        if self.listing.record is not None:
            self._toggle(self.listing.record)

    def _toggle(self, name: str) -> None:
        if name not in self._chosen and len(self._chosen) >= MOST:
            self.notify(f"{MOST} are the most that fit beside each other.", markup=False)
            return
        self._chosen ^= {name}
        self.listing.refresh()

    @on(Input.Submitted, "#other")
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        name = one_line(event.value).strip()
        if name and len(self._chosen) < MOST:
            self._names = list(dict.fromkeys([*self._names, name]))
            self._chosen.add(name)
            self.box.value = ""
            self._list()

    def action_cancel(self) -> None:
        """Done."""
        self.dismiss(tuple(name for name in self._names if name in self._chosen))
