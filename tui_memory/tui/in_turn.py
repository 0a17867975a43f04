"""One key after the other: what the last one did is done before the next one finds whom it is for.

Textual forwards each key to the widget that has the focus when the key comes in. Keys that come in one go (over a slow
line, pasted, typed ahead while the machine is busy) would all go to the widget that had it before the first of them:
`/delete` would open the search box, and then press `d` on the list.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.timer import Timer

PATIENCE = 0.5
"""Seconds after which the next key goes on its way whatever holds up the last one: no key is ever blocked."""
ROUNDS = 3
"""How often a key's way is gone behind it: submitting a box is a message, leaving it one more, the focus a third."""


class InTurn(App[None]):
    """Holds keys back while one is on its way from the widget that has the focus up to the application."""

    _under_way: Timer | None = None

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._waiting: deque[events.Key] = deque()

    async def on_event(self, event: events.Event) -> None:
        """Keys from the terminal wait for their turn; those that come back up were forwarded by this."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._under_way is not None:
            self._waiting.append(event)
        else:
            await self._send(event)

    async def _send(self, key: events.Key) -> None:
        target: MessagePump = self.focused or self.screen
        self._under_way = self.set_timer(PATIENCE, self._next)
        await super().on_event(key)
        self._follow(target, ROUNDS)

    def _follow(self, pump: MessagePump | None, rounds: int) -> None:
        """Go the key's way, behind it, from parent to parent.

        What it had done there may have left messages on the same way (a box that was submitted, the focus that moves):
        behind each of them, so some rounds.
        """
        if pump is None or pump is self:
            if rounds > 1:
                self.call_later(lambda: self._follow(self.focused or self.screen, rounds - 1))
            else:
                self.call_later(self.call_later, self._next)
        elif not pump.call_later(self._follow, pump._parent, rounds):
            self._follow(pump._parent, rounds)

    async def _next(self) -> None:
        if self._under_way is None:
            return
        self._under_way.stop()
        self._under_way = None
        if self._waiting:
            await self._send(self._waiting.popleft())
