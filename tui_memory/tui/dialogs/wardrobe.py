"""Themes, tried on as one goes through them."""

from __future__ import annotations

from collections.abc import Sequence

from tui_memory.tui.dialogs.pick import Choice, Pick
from tui_memory.tui.widgets.record_list import RecordList


class Wardrobe(Pick):
    """Answers with the theme that is kept; None: the one that was worn before is worn again."""

    def __init__(self, names: Sequence[str], worn: str) -> None:
        super().__init__("theme", [Choice(name, name) for name in names], worn)

    def on_record_list_moved(self, event: RecordList.Moved) -> None:
        """Try it on."""
        if isinstance(event.record, Choice):
            self.app.theme = event.record.value

    def action_cancel(self) -> None:
        """As it was."""
        self.app.theme = self._current
        super().action_cancel()
