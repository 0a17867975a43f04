"""Choose one of a few things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.screen import ModalScreen

from tui_memory.tui import bindings, formats
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose: the answer, and how it is written."""

    value: str
    label: str


class Pick(ModalScreen[str | None]):
    """Answers with the chosen value; None: nothing was chosen."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG[:2]

    def __init__(self, title: str, choices: Sequence[Choice], current: str) -> None:
        super().__init__()
        self._title, self._choices, self._current = title, list(choices), current

    def compose(self) -> ComposeResult:
        """The list."""
        numbers = {choice.value: index for index, choice in enumerate(self._choices)}
        picker: RecordList[Choice] = RecordList(lambda choice: numbers[choice.value], self._draw, what="choices")
        picker.add_class("dialog")
        picker.styles.height = len(self._choices) + 2
        picker.border_title, picker.border_subtitle = self._title, "enter chooses · esc closes"
        yield picker

    def on_mount(self) -> None:
        """Fill it and stand on the present choice."""
        picker = self.query_one(RecordList)
        picker.show(ListSource(self._choices))
        picker.go(next((i for i, choice in enumerate(self._choices) if choice.value == self._current), 0))

    def _draw(self, choice: Choice, width: int) -> list[Cell]:
        here = choice.value == self._current
        return [Cell("●" if here else " ", "accent"), Cell(formats.short(choice.label, width), flex=True)]

    def on_record_list_opened(self, event: RecordList.Opened) -> None:
        """Chosen."""
        event.stop()
        assert isinstance(event.record, Choice)
        self.dismiss(event.record.value)

    def action_cancel(self) -> None:
        """Nothing is chosen."""
        self.dismiss(None)
