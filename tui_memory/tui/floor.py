"""Below its floor the application shows nothing that a key could be meant for: only keys that need no sight act."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from textual import events
from textual.screen import Screen
from textual.widget import Widget

from tui_memory.tui.in_turn import ANYWAY, InTurn

WIDTH, HEIGHT = 60, 16
"""Cells below which no screen and no dialog has room."""
BLIND = {"app.quit": "quit", "anywhere.quit": "quit_anywhere", "app.help": "help", "app.refresh": "refresh_room"}
"""What acts below the floor, by the binding's id."""


class Floor(InTurn):
    """Keys that are meant for what cannot be seen are nobody's; help has room everywhere."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._had_keys: WeakKeyDictionary[Screen[Any], Widget] = WeakKeyDictionary()

    def blind_keys(self) -> dict[str, str]:
        """Each key that acts below the floor, and its action."""
        return {}

    @property
    def is_blind(self) -> bool:
        """Whether there is no room for what is on show."""
        small = self.size.width < WIDTH or self.size.height < HEIGHT
        return small and not self.screen.has_class("-anywhere")

    async def _resize(self, event: events.Resize) -> None:
        """What is hidden loses the keys: it has them again with what is shown, or what a screen begins with has."""
        for screen in self.screen_stack:
            if screen.focused is not None:
                self._had_keys[screen] = screen.focused
            screen.screen_layout_refresh_signal.unsubscribe(self)
            screen.screen_layout_refresh_signal.subscribe(self, self._focus_again)
        await super().on_event(event)

    def _focus_again(self, screen: Screen[Any]) -> None:
        at = screen.focused
        if at is not None and at.region:
            self._had_keys[screen] = at
            return
        begins = screen.query(screen.AUTO_FOCUS or "*") if screen.AUTO_FOCUS != "" else ()
        for widget in (self._had_keys.get(screen), *begins):
            if widget is not None and widget.is_attached and widget.focusable and widget.region:
                widget.focus()
                return

    async def on_event(self, event: events.Event) -> None:
        """A key from the terminal acts only where a person sees on what."""
        if isinstance(event, events.Resize):
            await self._resize(event)
        elif not isinstance(event, events.Key) or event.is_forwarded or event.key in ANYWAY or not self.is_blind:
            await super().on_event(event)
        elif action := self.blind_keys().get(event.key):
            await self.run_action(action)
