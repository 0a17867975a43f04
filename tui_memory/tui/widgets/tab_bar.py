"""The second line: the screens with their number keys, clickable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

SHORT = {"memories": "Mem", "playground": "Play"}
"""Titles where the whole ones do not fit, by mode."""


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

    def _tabs(self) -> list[tuple[str, str, str]]:
        """(room, number, title with what waits there) as drawn: all of them are seen at every width there is."""
        whole = [(room, f" {number} ", f"{self._waits(room, title)}  ") for number, room, title in self._rooms]
        if sum(len(number) + len(title) for _, number, title in whole) <= self.content_size.width:
            return whole
        return [
            (room, f" {number} ", f"{self._waits(room, SHORT.get(room, title))} ")
            for number, room, title in self._rooms
        ]

    def _waits(self, room: str, title: str) -> str:
        waiting = self.waiting.get(room, 0)
        return f"{title} ({waiting:,})" if waiting else title

    def render(self) -> Content:
        """The line."""
        pieces: list[tuple[str, str]] = []
        for room, number, title in self._tabs():
            here, words = room == self._current, title.rstrip()
            pieces.append((number, "bold $text-accent" if here else "$tm-muted"))
            pieces.append((words, "bold underline" if here else "$tm-muted"))
            pieces.append((title[len(words) :], ""))
        return Content.assemble(*pieces)

    def on_click(self, event: events.Click) -> None:
        """Which tab is under the pointer."""
        x = event.get_content_offset_capture(self).x
        for room, number, title in self._tabs():
            width = len(number) + len(title)
            if 0 <= x < width:
                self.post_message(self.Chosen(room))
                return
            x -= width
