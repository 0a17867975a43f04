"""Which memory was expected: its number, or words that find it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from tui_memory.errors import TuiMemoryError
from tui_memory.tui import asking, bindings
from tui_memory.tui.screens.memory_rows import Listed, draw
from tui_memory.tui.widgets import empty
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

MOST = 50


class Expected(ModalScreen[int | None]):
    """Answers with a memory's id; None: nothing was chosen."""

    CSS_PATH = "dialogs.tcss"
    HELP = "Type the memory's number, or words of it; enter, then enter again on its row."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG[:2]

    def compose(self) -> ComposeResult:
        """A box and what it finds."""
        with Vertical(classes="dialog whole") as dialog:
            dialog.border_title = Content("Which memory did you expect?")
            dialog.border_subtitle = Content("enter chooses · esc closes")
            yield SearchBox("its number, or words of it", id="sought")
            listing: RecordList[Listed] = RecordList(lambda row: row.memory.id, draw, what="memories", id="found")
            listing.empty = self._nothing
            yield listing

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one("#found", RecordList).show(ListSource([]))
        self.query_one(SearchBox).focus()

    def _nothing(self) -> empty.Notice:
        if self.query_one(SearchBox).query_text:
            return empty.Notice("No memory is found by that.", ("By its number it is found in any state.",), "○")
        return empty.Notice("Type the memory's number, or words of it.", ("A number finds it in any state.",))

    @on(SearchBox.Sought)
    def _sought(self, event: SearchBox.Sought) -> None:
        query = event.query
        asking.ask(self, "expected", partial(_find, query), partial(self._show, query), failed=self._failed)

    def _show(self, query: str, rows: list[Listed]) -> None:
        if query == self.query_one(SearchBox).query_text:
            self.query_one("#found", RecordList).show(ListSource(rows))

    def _failed(self, _error: TuiMemoryError) -> None:
        """A number that no memory has."""
        self.query_one("#found", RecordList).show(ListSource([]))

    @on(SearchBox.Left)
    def _left(self) -> None:
        listing = self.query_one("#found", RecordList)
        if listing.total == 1 and isinstance(listing.record, Listed):
            self.dismiss(listing.record.memory.id)
        elif listing.total:
            listing.focus()
        elif not self.query_one(SearchBox).query_text:
            self.dismiss(None)

    @on(RecordList.Opened)
    def _chosen(self, event: RecordList.Opened) -> None:
        event.stop()
        self.dismiss(event.record.memory.id)

    def action_cancel(self) -> None:
        """Nothing is chosen."""
        self.dismiss(None)


def _find(query: str, memory: Memory) -> list[Listed]:
    number = query.removeprefix("#")
    if number.isdigit():
        return [Listed(row) for row in memory.get([int(number)])]
    return [Listed(hit.memory, hit.score) for hit in memory.search_result(query, limit=MOST).results] if query else []
