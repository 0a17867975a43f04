"""From the pieces of a row to a strip of the terminal; what was drawn is kept where it cannot have changed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from tui_memory.tui.widgets import roles
from tui_memory.tui.widgets.rows import Span

KEPT = 400
"""Drawn rows kept: a few screens of them."""
Key = tuple[int, Style]
"""A width in cells, and what is laid over the row."""


class Painter:
    """Knows its widget's own style, worked out once a frame: asked of every line it is half of what drawing costs."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._worn: tuple[Style, str] | None = None
        self._kept: dict[int, tuple[object, Key, Strip]] = {}

    def begin(self) -> None:
        """A frame begins: the style may be another, and all that was drawn in the old one void."""
        worn = (self._widget.rich_style, self._widget.app.theme)
        if worn != self._worn or len(self._kept) > KEPT:
            self._worn = worn
            self._kept.clear()

    @property
    def base(self) -> Style:
        """The widget's own style."""
        return self._worn[0] if self._worn else self._widget.rich_style

    def kept(self, index: int, record: object, key: Key) -> Strip | None:
        """What was drawn of this very record, as it would be drawn now."""
        found = self._kept.get(index)
        return found[2] if found and found[0] is record and found[1] == key else None

    def keep(self, index: int, record: object, key: Key, strip: Strip) -> Strip:
        """Keep what was drawn."""
        self._kept[index] = (record, key, strip)
        return strip

    def blank(self, width: int) -> Strip:
        """A line of nothing."""
        return Strip.blank(width, self.base)

    def strip(self, spans: Sequence[Span], width: int, row: Style) -> Strip:
        """The pieces in exactly `width` cells, with `row` laid over them."""
        # Sixteen colours have no shade between a cursor's ground and its muted words: there they are plain.
        plain = bool(row.bgcolor) and self._widget.app.current_theme.ansi
        segments = [
            Segment(text, self.base + self.role("" if plain and role == "muted" else role) + row)
            for text, role in spans
        ]
        return Strip(segments).adjust_cell_length(width, self.base + row)

    def role(self, role: str) -> Style:
        """What a role adds."""
        return roles.style(role, self._widget.app.theme_variables)
