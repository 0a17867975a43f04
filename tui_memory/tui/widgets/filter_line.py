"""One line that says by what is filtered; a click chooses."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui_memory.safetext import one_line

_ALWAYS = ("kind", "since")


class FilterLine(Static):
    """Posts `Clicked`."""

    class Clicked(Message):
        """A person wants other filters."""

    def say(self, project: str, chosen: Mapping[str, str]) -> None:
        """The project on show (empty: all) and the filters by name."""
        parts: list[tuple[str, str]] = [("filters  ", "$tm-muted")]
        parts += [("project ", "$tm-muted"), (one_line(project, 30) or "any", "")]
        for name in (*_ALWAYS, *(name for name in chosen if name not in _ALWAYS)):
            value = one_line(chosen.get(name, ""), 30)
            written = f"{value} d" if name == "since" and value else value or "any"
            parts += [(f" · {name} ", "$tm-muted"), (written, "bold" if value else "")]
        self.update(Content.assemble(*parts))

    def on_click(self) -> None:
        """Choose."""
        self.post_message(self.Clicked())
