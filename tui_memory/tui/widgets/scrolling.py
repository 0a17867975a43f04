"""How far a drawn widget can be scrolled."""

from __future__ import annotations

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


def resize_to(view: ScrollView, lines: int) -> None:
    """So many lines can be scrolled through.

    Setting `virtual_size` lays out the whole screen each time; that is needed only where the bar comes or goes, and
    what arrives several times a second would else cost every key 30 ms.
    """
    height, size = view.size.height, Size(1, lines)
    if not height or (lines > height) != (view.virtual_size.height > height):
        view.virtual_size = size
        return
    view.set_reactive(Widget.virtual_size, size)
    view._scroll_update(size)
