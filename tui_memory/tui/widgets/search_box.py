"""A one-line box that says what is sought, once the typing pauses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from tui_memory.tui import bindings

PAST = 50
"""Queries kept."""
PAUSE = 0.12
"""Seconds without a key before the question is asked."""


class SearchBox(Input):
    """Posts `Sought` 120 ms after the last key, `Left` when it is done with.

    Coming into it selects what stands there: the next word takes its place, an arrow keeps it.
    """

    HELP = "Type what you look for; results follow as you type. esc empties the box, then leaves it."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.SEARCH

    @dataclass
    class Sought(Message):
        """What is sought now; empty: nothing."""

        box: SearchBox
        query: str

        @property
        def control(self) -> Widget:
            """The box."""
            return self.box

    @dataclass
    class Left(Message):
        """The person is done with the box and wants the list."""

        box: SearchBox

        @property
        def control(self) -> Widget:
            """The box."""
            return self.box

    def __init__(self, placeholder: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's own name)
        super().__init__(placeholder=placeholder, id=id, compact=True)
        self.cursor_blink = False
        self._timer: Timer | None = None
        self._said = ""
        self.past: list[str] = []
        """What was sought before and was of use: the last one last."""
        self._at = 0
        self._own = ""

    def put(self, query: str) -> None:
        """A query that is to stand here as if it had been asked already."""
        with self.prevent(Input.Changed):
            self.value = query
        self._said = self.query_text

    @property
    def query_text(self) -> str:
        """What is in the box, without space around it."""
        return self.value.strip()

    def on_input_changed(self) -> None:
        """A key: ask once the typing pauses."""
        if self._at and self.value != self.past[-self._at]:
            self._at = 0
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE, self._say)

    def on_input_submitted(self) -> None:
        """Enter: ask now and go to the results."""
        self._say()
        self._keep()
        self.post_message(self.Left(self))

    def action_clear(self) -> None:
        """Empty the box; an empty one is left."""
        if self.value:
            self.value = ""
            self._say()
        else:
            self.post_message(self.Left(self))

    def action_to_list(self) -> None:
        """To the results; among earlier queries, to the next one."""
        if self._at:
            self._recall(-1)
        else:
            self._keep()
            self.post_message(self.Left(self))

    def action_earlier(self) -> None:
        """The query before."""
        self._recall(1)

    def _recall(self, step: int) -> None:
        """So many queries further back; nought is what was being typed."""
        at = max(0, min(self._at + step, len(self.past)))
        if at == self._at:
            return
        if not self._at:
            self._own = self.value
        self.value = self.past[-at] if at else self._own
        self._at = at  # after the value, whose change by a key ends the walk
        self.cursor_position = len(self.value)

    def _keep(self) -> None:
        """What led to the results is worth going back to."""
        self._at = 0
        if query := self.query_text:
            self.past = [*(one for one in self.past if one != query), query][-PAST:]

    def _say(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.query_text != self._said:
            self._said = self.query_text
            self.post_message(self.Sought(self, self._said))
