"""Words in a widget's border, drawn anew only where they are others, and then only that line of the screen.

Textual paints the whole widget, with all that is in it, whenever a title is set; and reading one back gives its markup,
which equals no `Content`. A border that tells a rate would so paint the largest pane ten times a second.
"""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget


def entitle(widget: Widget, *, title: Content | None = None, subtitle: Content | None = None) -> None:
    """Put words into the border's upper and lower line; None: what stands there stays."""
    if title is not None and title != widget._border_title:
        widget._border_title = title
        _draw_line(widget, 0)
    if subtitle is not None and subtitle != widget._border_subtitle:
        widget._border_subtitle = subtitle
        _draw_line(widget, widget.outer_size.height - 1)


def _draw_line(widget: Widget, y: int) -> None:
    """One line of the widget, border and all; all of it where its size is not known yet."""
    inside, size = widget.content_offset, widget.outer_size
    if not size:
        widget.refresh()
        return
    widget.refresh(Region(-inside.x, y - inside.y, size.width, 1))
