"""The second line: the screens with their number keys, clickable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class TabBar(Widget):
    """Shows which screen this is."""

    @dataclass
    class Chosen(Message):
        """A screen's tab was clicked."""

        room: str

    waiting: reactive[Mapping[str, int]] = reactive(dict)
    """What waits for a person in a room, by mode."""

    def __init__(self, rooms: Sequence[tuple[str, str, str]], current: str) -> None:
        """`rooms`: number, mode, title, in order."""
        super().__init__()
        self._rooms, self._current = rooms, current

    def _titled(self) -> Iterator[tuple[str, str, str]]:
        """The rooms, with the number of what waits in them."""
        for number, room, title in self._rooms:
            waiting = self.waiting.get(room, 0)
            yield number, room, f"{title} ({waiting:,})" if waiting else title

    def render(self) -> Content:
        """The line."""
        pieces: list[tuple[str, str]] = []
        for number, room, title in self._titled():
            here = room == self._current
            pieces.append((f" {number} ", "bold $text-accent" if here else "$tm-muted"))
            pieces.append((title, "bold underline" if here else "$tm-muted"))
            pieces.append(("  ", ""))
        return Content.assemble(*pieces)

    def on_click(self, event: events.Click) -> None:
        """Which tab is under the pointer."""
        x = event.get_content_offset_capture(self).x
        for number, room, title in self._titled():
            width = len(number) + len(title) + 4
            if 0 <= x < width:
                self.post_message(self.Chosen(room))
                return
            x -= width
