"""The memory under the cursor in full: its text, the observations it came from, every change to it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content

from tui_memory.tui import asking, describe
from tui_memory.tui.screens.memory_edits import MemoryEdits
from tui_memory.tui.screens.memory_rows import Listed
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.record_list import RecordList

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

SETTLE = 0.03
"""Seconds the cursor rests on a row before its detail is asked for."""


class MemoryDetail(MemoryEdits):
    """Shows a row only once the cursor has rested on it."""

    detail: Detail
    _shown = 0
    _aspect = ""
    """What the detail shows of the row: nothing special, its sources, its history."""

    def say(self) -> None:
        """What the borders say may have changed."""

    @on(RecordList.Moved, "#list")
    def _moved(self, event: RecordList.Moved) -> None:
        row = event.record
        self.refresh_bindings()
        if isinstance(row, Listed):
            if self._shown != row.memory.id:
                self._aspect = ""
            self._shown = row.memory.id
            self.set_timer(SETTLE, partial(self._settled, row.memory.id))
        elif not self.listing.total:
            self.detail.show(Content(""))
        self.say()

    def _settled(self, memory: int) -> None:
        """The cursor rested: only the row it is on now is asked for."""
        if memory != self._shown:
            return
        aspect = self._aspect
        asking.ask(
            self,
            "detail",
            partial(_read, memory, aspect),
            lambda content: self._show(memory, aspect, content),
        )

    def _show(self, memory: int, aspect: str, content: Content) -> None:
        if memory == self._shown and aspect == self._aspect:
            self.detail.show(content, of=(memory, aspect))
            self.detail.border_subtitle = "s sources · h history" if not aspect else f"{aspect[0]} goes back"

    def action_sources(self) -> None:
        """The observations behind the memory, or the memory again."""
        self._turn("sources")

    def action_history(self) -> None:
        """The changes to the memory, or the memory again."""
        self._turn("history")

    def _turn(self, aspect: str) -> None:
        if self.listing.record is None:
            return
        if not self.detail.region.width:  # the list stands alone: open it instead
            memory, title = self.listing.record.memory.id, self.listing.record.memory.title
            asking.lead(
                self,
                "open",
                partial(_read, memory, aspect),
                lambda content: self.open_text(title, content.plain),
            )
            return
        self._aspect = "" if self._aspect == aspect else aspect
        self._settled(self._shown)

    @on(RecordList.Opened, "#list")
    def _opened(self, event: RecordList.Opened) -> None:
        if isinstance(event.record, Listed):
            chosen = event.record.memory.id
            asking.lead(
                self,
                "open",
                lambda memory: memory.get(chosen)[0],
                lambda row: self.open_text(row.title, describe.whole_memory(row)),
            )


def _read(chosen: int, aspect: str, memory: Memory) -> Content:
    """The detail of a memory, in a thread."""
    row = memory.get(chosen)[0]
    if aspect == "sources":
        return describe.sources(row.title, memory.observation(row.sources))
    if aspect == "history":
        entries = memory.history(chosen)
        return describe.history(row.title, entries, memory.editing.told(entries))
    return describe.memory(row)
