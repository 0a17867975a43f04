"""Help for what has the focus: a paragraph, then its keys, then those that work everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from tui_memory.tui import bindings
from tui_memory.tui.widgets.rows import wrap

if TYPE_CHECKING:
    from tui_memory.tui.app import TuiMemoryApp

SHARE, MOST, FRAME = 0.96, 140, 6
"""Of the width that a whole dialog takes: the share, the most, and what border, padding and scrollbar take of it."""


class Help(ModalScreen[None]):
    """Reads the bindings as they are now, the person's own keys included."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[bindings.BindingList] = bindings.DIALOG

    def __init__(self, content: Content) -> None:
        super().__init__(classes="-anywhere")
        self._content = content

    @classmethod
    def of(cls, screen: Screen[object]) -> Help:
        """The help of a screen, as its focus stands."""
        return cls(_content(screen))

    def compose(self) -> ComposeResult:
        """The text, scrolling."""
        with VerticalScroll(classes="dialog whole") as pane:
            pane.border_title, pane.border_subtitle = "Help", "esc closes"
            yield Static(self._content)

    def action_cancel(self) -> None:
        """Close."""
        self.dismiss()

    def action_scroll_down(self) -> None:
        """Down."""
        self.query_one(VerticalScroll).scroll_down(animate=False)

    def action_scroll_up(self) -> None:
        """Up."""
        self.query_one(VerticalScroll).scroll_up(animate=False)


def _content(screen: Screen[object]) -> Content:
    focused = screen.focused
    paragraph = getattr(focused, "help_text", "") or getattr(focused, "HELP", "") or screen.HELP or ""
    parts: list[tuple[str, str]] = [(f"{paragraph.strip()}\n", "")] if paragraph else []
    room = min(round(screen.size.width * SHARE), MOST) - FRAME
    for title, rows in _groups(screen).items():
        parts.append((f"\n{title}\n", "bold $text-accent"))
        width = max(cell_len(keys) for keys, _, _ in rows)
        for keys, what, identity in rows:
            parts.append((f"  {keys}{' ' * (width - cell_len(keys))}  ", "bold"))
            parts += _beside(what, identity, width + 4, room)
    leaves = cast("TuiMemoryApp", screen.app).keys_of("anywhere.quit")
    parts.append((f"\nctrl+p finds every command by name; {leaves} leaves from anywhere.\n", "$tm-muted"))
    parts.append(("Keys are changed in the settings file by the grey names: ui: keys: {live.follow: F}\n", "$tm-muted"))
    return Content.assemble(*parts)


def _beside(what: str, identity: str, left: int, room: int) -> list[tuple[str, str]]:
    """What keys do, and their id behind it: what takes another line begins where the first one did."""
    indent = "\n" + " " * left
    lines = wrap(what, max(room - left, 10))
    fits = left + cell_len(lines[-1]) + 2 + cell_len(identity) <= room
    return [(indent.join(lines), ""), (f"{'  ' if fits else indent}{identity}\n", "$tm-muted")]


def _groups(screen: Screen[object]) -> dict[str, list[tuple[str, str, str]]]:
    """Keys, what they do and their id, by the part they belong to, in the order they were bound."""
    known = bindings.table()
    keys: dict[str, list[str]] = {}
    for active in screen.active_bindings.values():
        if active.binding.id in known:
            keys.setdefault(active.binding.id, []).append(screen.app.get_key_display(active.binding))
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for identity, names in keys.items():
        binding = known[identity]
        scope = identity.partition(".")[0]
        row = (" ".join(dict.fromkeys(names)), binding.tooltip or binding.description, identity)
        groups.setdefault(_TITLES.get(scope, scope.capitalize()), []).append(row)
    return dict(sorted(groups.items(), key=lambda group: _LAST.index(group[0]) if group[0] in _LAST else -1))


_TITLES = {
    "list": "In the list",
    "marks": "Marking",
    "app": "Everywhere",
    "anywhere": "Everywhere",
    "search": "In the box",
    "evidence": "Scrolling",
    "dialog": "Scrolling",
}
_LAST = ["Marking", "In the list", "Scrolling", "Everywhere"]
"""After what is special to the screen."""
