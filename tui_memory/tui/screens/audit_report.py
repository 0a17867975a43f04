"""The week's report in the audit's pane: made in a thread, saved where it says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui_memory.safetext import clean
from tui_memory.tui import asking
from tui_memory.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


class ReportPane(Vertical):
    """One text, scrolling; empty until it is made."""

    wanted = False
    """Whether a person asked for it while cases are open: it stays then."""

    def __init__(self) -> None:
        super().__init__(id="report")

    def make(self, *, save: bool) -> None:
        """Read the report anew; `save`: write it into the store's folder as well."""

        def read(memory: Memory) -> tuple[str, Path | None]:
            text = memory.auditing.report().markdown()
            return text, memory.auditing.save_report() if save else None

        asking.ask(self, "report", read, lambda answer: self.show(*answer))

    def show(self, text: str, place: Path | None) -> None:
        """Put it on show, with where it was saved."""
        had_focus = self.screen.focused is None or self.has_focus_inside
        told = f"● saved in {clean(str(place))}" if place is not None else "R saves it as a file"
        view = LineView(text)
        self.remove_children()
        self.mount(Static(Content(told), classes="saved", markup=False), view)
        if had_focus:
            view.focus()

    @property
    def has_focus_inside(self) -> bool:
        """Whether the keys go to the report."""
        focused = self.screen.focused
        return focused is not None and self in focused.ancestors_with_self

    def take_focus(self) -> None:
        """So that j and k scroll it."""
        for view in self.query(LineView):
            view.focus()
