"""One key after the other: what the last one did is done before the next one finds whom it is for.

Textual forwards each key to the widget that has the focus when the key comes in. Keys that come in one go (over a slow
line, pasted, typed ahead while the machine is busy) would all go to the widget that had it before the first of them:
`/delete` would open the search box, and then press `d` on the list.

What a key leads to may have to be read first (a merge to be looked at, a text to be opened): keys behind it wait for
that, too, and are the dialog's. esc calls it off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.timer import Timer

PATIENCE = 0.5
"""Seconds after which the next key goes on its way whatever holds up the last one: no key is ever blocked."""
LEADING = 10.0
"""Seconds that keys wait for what the last one leads to; then they are nobody's."""
ROUNDS = 3
"""How often a key's way is gone behind it: submitting a box is a message, leaving it one more, the focus a third."""
SLOW = 0.7
"""Seconds after which it is said that something is being read."""
ANYWAY = ("ctrl+q", "ctrl+c")
"""Keys that wait for nothing."""


@dataclass(slots=True)
class _Expected:
    """What a key leads to and is still being read."""

    call_off: Callable[[], object] | None
    slow: Timer
    late: Timer


class InTurn(App[None]):
    """Holds keys back while one is on its way from the widget that has the focus up to the application."""

    _under_way: Timer | None = None
    _expected: _Expected | None = None

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._waiting: deque[events.Key] = deque()

    async def on_event(self, event: events.Event) -> None:
        """Keys from the terminal wait for their turn; those that come back up were forwarded by this."""
        if not isinstance(event, events.Key) or event.is_forwarded or event.key in ANYWAY:
            await super().on_event(event)
        elif self._expected is not None and self._expected.call_off is not None and event.key == "escape":
            self._expected.call_off()
            self._end_expecting(came=False)
        elif self._under_way is not None or self._expected is not None:
            self._waiting.append(event)
        else:
            await self._send(event)

    def expect(self, call_off: Callable[[], object] | None) -> Callable[[bool], None]:
        """What the key at hand leads to is being read: keys wait until what this gives is called with whether it came.

        Where it did not come, they are nobody's: they were meant for it. `call_off`: what esc does meanwhile.
        """
        self._forget_expected()
        said = f"One moment…{' esc calls it off.' if call_off else ''}"
        slow = self.set_timer(SLOW, lambda: self.notify(said, timeout=LEADING, markup=False))
        wanted = self._expected = _Expected(call_off, slow, self.set_timer(LEADING, lambda: arrived(False)))

        def arrived(came: bool) -> None:
            if self._expected is wanted:
                self._end_expecting(came=came)

        return arrived

    def _forget_expected(self) -> None:
        if self._expected is not None:
            self._expected.slow.stop()
            self._expected.late.stop()
            self._expected = None
            for old in [one for one in self._notifications if one.message.startswith("One moment…")]:
                self._unnotify(old)

    def _end_expecting(self, *, came: bool) -> None:
        self._forget_expected()
        if not came:
            self._waiting.clear()
        self._follow(self.focused or self.screen, ROUNDS)

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
        if self._under_way is not None:
            self._under_way.stop()
            self._under_way = None
        if self._waiting and self._expected is None:
            await self._send(self._waiting.popleft())
