"""What Live's borders say: how much is listed, and how it flows; redrawn only where a word of it changed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable

from textual.containers import Vertical
from textual.content import Content

from tui_memory.model import Filters
from tui_memory.tui import formats
from tui_memory.tui.screens.live_lanes import LiveLanes
from tui_memory.tui.screens.live_lists import EventList
from tui_memory.tui.widgets.borders import entitle

WINDOW = 10.0
"""Seconds over which the rate is counted."""
RATE_EVERY = 0.5
"""Seconds that a rate is shown for at least: a border that changes with every event costs every key a redraw."""


class Flow:
    """How many observations came of late."""

    def __init__(self) -> None:
        self._arrivals: deque[tuple[float, int]] = deque()
        self._said = (0.0, 0.0)

    def __bool__(self) -> bool:
        return bool(self._arrivals)

    def came(self, count: int) -> None:
        """So many came now."""
        self._arrivals.append((time.monotonic(), count))

    def rate(self) -> float:
        """How many a second, over the last ten."""
        edge = time.monotonic() - WINDOW
        while self._arrivals and self._arrivals[0][0] < edge:
            self._arrivals.popleft()
        return sum(count for _, count in self._arrivals) / WINDOW

    def shown(self) -> str:
        """The rate as the border says it, the same for half a second."""
        at, rate = self._said
        if time.monotonic() - at > RATE_EVERY or not rate:
            self._said = (time.monotonic(), self.rate())
        rate = self._said[1]
        return f"{rate:.1f}" if rate < 10 else f"{rate:.0f}"


class LiveFoot(LiveLanes):
    """Title and foot of the pane in the middle."""

    main: Vertical
    flow: Flow
    fresh = 0
    """Observations that came while the lists held still."""

    def filters(self) -> Filters:
        """What the store is asked for."""
        return self.sieve.filters(self.host.project)

    def say(self, *_: object) -> None:
        """Count, filters, and how it flows, in the borders."""
        if self.listing.is_failing:
            entitle(self.main, title=Content("live"), subtitle=Content.styled("✗ cannot be read", "$text-error"))
            return
        status, count = self.host.status, self._counted(self.lists)
        title = [(f"{len(self.lists)} sessions side by side · {count}" if self.in_lanes else count, "")]
        title += [(f" · {part}", "$text-accent") for part in self.sieve.said()]
        live = sum(row.live for row in self._found)
        if live > 1 and not self.in_lanes and not self.sieve.session and self.has_class("-wide"):
            title.append((f" · {live} live, c shows them side by side", ""))
        state = ("● following", "$text-success") if self.following else ("‖ paused", "$text-warning")
        new = f" · {formats.number(self.fresh)} new · f follows" if not self.following else ""
        foot = f"{new} · {self.flow.shown()}/s · queue {status.queue} · {formats.number(status.dropped)} dropped"
        entitle(self.main, title=Content.assemble(*title), subtitle=Content.assemble(state, (foot, "")))

    def slow_down(self) -> None:
        """The rate falls while nothing comes; once it is nought there is nothing to draw."""
        if self.flow:
            self.say()

    def _counted(self, lists: Iterable[EventList]) -> str:
        """How many are listed, and of how many where that is known."""
        lives = [listing.live for listing in lists]
        shown, read = sum(live.shown for live in lives), sum(live.read for live in lives)
        complete = all(live.complete for live in lives)
        if self.sieve.looks_inside:
            return f"{formats.count(shown, 'observation')}{'' if complete else f' of the last {formats.number(read)}'}"
        if complete or self.in_lanes:
            return formats.count(shown, "observation")
        stored = self.host.status.stored if self.filters() == Filters() else 0
        of = f" of {formats.number(stored)}" if stored > shown else ""
        return f"last {formats.number(shown)}{of} observations"
