"""Live: what agents do, as it arrives; follows at the end, holds still when scrolled."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters, Observation
from tui_memory.tui import asking, bindings, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.live_detail import LiveDetail
from tui_memory.tui.screens.live_filters import LiveFilters
from tui_memory.tui.screens.live_rows import Head, LiveRows, Row, draw, key
from tui_memory.tui.widgets import empty, session_rows
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

FIRST, MORE, UNSETTLED = 120, 500, 200
WINDOW = 10.0
"""Seconds over which the rate is counted."""
SESSIONS_EVERY, SETTLE_EVERY = 1.0, 0.5
"""Seconds between two readings of the sessions, and of states that may have changed, however much arrives."""

FLOOD, CALM = 20.0, 0.15
"""From so many a second on, the list is drawn only so often (seconds): nobody reads faster, and keys come first."""


class LiveScreen(LiveFilters, LiveDetail):
    """One flight to the store at a time; whatever came meanwhile comes with the next."""

    ROOM = "live"
    HELP = "What agents do, as it arrives. The list follows its end until you scroll; f follows again."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.LIVE
    AUTO_FOCUS = "#list"
    fresh = 0
    """Observations that came while the list held still."""
    _sessions_due: Timer | None = None
    _settled_at = 0.0
    _calm: Timer | None = None

    def body(self) -> Iterable[Widget]:
        """Sessions, observations with their filter, detail."""
        self.live = LiveRows()
        self._flying = self._again = False
        self._held = False
        self._at = 0
        self._arrivals: deque[tuple[float, int]] = deque()
        self.sessions: RecordList[session_rows.Shown] = RecordList(
            lambda row: row.key, self.draw_session, what="sessions", id="sessions"
        )
        self.sessions.add_class("pane", "third")
        self.sessions.one_click = True
        self.sessions.border_title = "sessions"
        self.sessions.help_text = "Sessions, live ones first. enter or a click shows one alone, and again all."
        self.listing: RecordList[Row] = RecordList(key, draw, what="observations", id="list")
        self.listing.empty = self._empty
        self.box = SearchBox("/ filter what is shown", id="box")
        self.main = Vertical(self.box, self.listing, classes="pane main")
        self.detail = Detail(classes="pane side")
        return (self.main, self.detail)

    def third(self) -> Widget:
        """The sessions."""
        return self.sessions

    def on_mount(self) -> None:
        """Hold still when the wheel or a bar scrolls."""
        super().on_mount()
        self.watch(self.listing, "scroll_y", self._scrolled, init=False)
        self.watch(self.app, "status", self.say, init=False)
        self.set_interval(2.0, self._slow_down)

    # reading

    @property
    def filters(self) -> Filters:
        """What the store is asked for."""
        return self.sieve.filters(self.host.project)

    def begin(self) -> None:
        """Read the last ones and stand at the end."""
        self.live = LiveRows(self.sieve)
        self.following, self._held, self.fresh, self._flying = True, False, 0, True
        filters = self.filters
        asking.ask(
            self,
            "live",
            lambda memory: memory.observations(filters, limit=FIRST),
            self._first,
            failed=self.cannot,
        )
        self._read_sessions()

    def sift(self) -> None:
        """Words or failures changed: show another part of what was read, and read more where that is little."""
        self.live.sift(self.sieve)
        self.listing.show(ListSource(self.live.rows))
        self._follow()
        self.say()
        self._fill_up()

    def _fill_up(self) -> None:
        """What is sought may be further back than what was read."""
        if self.sieve.looks_inside and len(self.live.rows) < self.listing.size.height:
            self._older()

    def _first(self, newest_first: list[Observation]) -> None:
        self._flying = False
        self.live.complete = len(newest_first) < FIRST
        self.live.prepend(newest_first)
        self.listing.show(ListSource(self.live.rows))
        self._to_end()
        self.say()
        self._fill_up()

    def renew(self) -> None:
        """The store changed: read what came, and the states that may have changed."""
        if self._flying or self._calm is not None:
            self._again = True
            return
        self._flying, self._again = True, False
        newest, filters = self.live.newest, self.filters
        unsettled: list[int] = []
        if time.monotonic() - self._settled_at > SETTLE_EVERY:
            self._settled_at = time.monotonic()
            unsettled = self.live.unsettled(UNSETTLED)
        asking.ask(
            self, "live", partial(_arrived, newest, unsettled, filters), lambda answer: self._came(*answer),
            failed=self._failed,
        )  # fmt: skip
        if self._sessions_due is None:
            self._sessions_due = self.set_timer(SESSIONS_EVERY, self._read_sessions)

    def _failed(self, error: TuiMemoryError) -> None:
        self._flying = False
        self.host.report(error)

    def _came(self, arrived: list[Observation], settled: dict[int, tuple[str, str, str | None]]) -> None:
        self._flying = False
        changed = self.live.settle(settled)
        gone = self.live.append(arrived)
        if arrived:
            self._arrivals.append((time.monotonic(), len(arrived)))
            self.fresh += 0 if self.following else len(arrived)
        if arrived or changed:
            self._list(moved=-gone)
        self.say()
        if len(arrived) >= MORE:
            self.renew()
        elif arrived and self._rate() > FLOOD:
            self._calm = self.set_timer(CALM, self._calmed)
        elif self._again:
            self.renew()
        elif self.live.unsettled(UNSETTLED):
            self.set_timer(SETTLE_EVERY, self._settle_later)

    def _calmed(self) -> None:
        """Enough time went by for another look."""
        self._calm = None
        if self._again and not self._flying:
            self.renew()

    def _settle_later(self) -> None:
        """The last change may have been a state's that was not asked for then."""
        if not self._flying and time.monotonic() - self._settled_at > SETTLE_EVERY:
            self.renew()

    def _list(self, *, moved: int = 0) -> None:
        self.listing.show(ListSource(self.live.rows), keep=True, moved=moved)
        if self.following:
            self._to_end()

    def _older(self) -> None:
        """Scrolled to the beginning: read what was before."""
        if self._flying or self.live.complete or self.live.full or not self.live.oldest:
            return
        self._flying = True
        filters, oldest = self.filters, self.live.oldest
        asking.ask(
            self, "live", lambda memory: memory.observations(filters, limit=MORE, before=oldest), self._came_older,
            failed=self._failed,
        )  # fmt: skip

    def _came_older(self, newest_first: list[Observation]) -> None:
        self._flying = False
        self.live.complete = len(newest_first) < MORE
        put_in = self.live.prepend(newest_first)
        self.listing.show(ListSource(self.live.rows), keep=True, moved=put_in)
        if self.sieve.looks_inside and self.following:
            self._follow()
        self.say()
        if self._again:
            self.renew()
        else:
            self._fill_up()

    def _read_sessions(self) -> None:
        self._sessions_due = None
        filters = Filters(project=self.host.project or None)
        asking.ask(self, "sessions", lambda memory: memory.sessions(filters, limit=200), self.show_sessions)

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in the list."""
        self._flying = False
        self.listing.fail(error)

    def _empty(self) -> empty.Notice:
        if said := " · ".join(self.sieve.said()):
            where = "everything" if self.live.complete else f"the last {formats.number(self.live.read)}"
            return empty.Notice(f"Nothing of {where} is {said}.", ("esc ends the filters, one at a time.",), "○")
        if self.host.project:
            return empty.Notice("Nothing was captured here yet.", ("P chooses another project, or all.",), "○")
        return self.first_run()

    # following

    def action_follow(self) -> None:
        """Follow the end, or hold still."""
        if self.following:
            self.following, self._held = False, True
        else:
            self._follow()
        self.say()

    def _to_end(self) -> None:
        """Where it follows to is no move of a person's: that `f` was pressed meanwhile must hold."""
        self.listing.go(self.listing.total - 1)
        self._at = self.listing.cursor

    def _follow(self) -> None:
        self.following, self._held, self.fresh = True, False, 0
        self._to_end()

    def _scrolled(self, _top: float) -> None:
        at_end = self.listing.scroll_offset.y + self.listing.size.height >= self.listing.total
        if self.following and not at_end:
            self.following = False
        if self.listing.scroll_offset.y == 0 and self.listing.total > self.listing.size.height:
            self._older()
        self.say()

    @on(RecordList.Moved, "#list")
    def _moved(self, event: RecordList.Moved) -> None:
        row = event.record
        if row is None:
            return
        assert isinstance(row, Head | Observation)
        here, before = self.listing.cursor, self._at
        self._at = here
        if here < self.listing.total - 1:
            self.following = False
        elif not self.following and (here != before or not self._held):
            self._follow()
        if here == 0:
            self._older()
        self.rest_on(row)
        self.say()

    # what the borders say

    def say(self, *_: object) -> None:
        """Count, filters, and how it flows, in the borders."""
        status = self.host.status
        title = [(self._counted(), "")]
        title += [(f" · {part}", "$text-accent") for part in self.sieve.said()]
        self.main.border_title = Content.assemble(*title)
        state = ("● following", "$text-success") if self.following else ("‖ paused", "$text-warning")
        new = f" · {formats.number(self.fresh)} new · f follows" if not self.following else ""
        foot = f"{new} · {self._rate():.1f}/s · queue {status.queue} · {formats.number(status.dropped)} dropped"
        self.main.border_subtitle = Content.assemble(state, (foot, ""))

    def _slow_down(self) -> None:
        """The rate falls while nothing comes; once it is nought there is nothing to draw."""
        if self._arrivals:
            self.say()

    def _counted(self) -> str:
        """How many are listed, and of how many where that is known."""
        live, shown = self.live, self.live.shown
        if self.sieve.looks_inside:
            of = "" if live.complete else f" of the last {formats.number(live.read)}"
            return f"{formats.count(shown, 'observation')}{of}"
        if live.complete:
            return formats.count(shown, "observation")
        stored = self.host.status.stored if self.filters == Filters() else 0
        of = f" of {formats.number(stored)}" if stored > shown else ""
        return f"last {formats.number(shown)}{of} observations"

    def _rate(self) -> float:
        edge = time.monotonic() - WINDOW
        while self._arrivals and self._arrivals[0][0] < edge:
            self._arrivals.popleft()
        return sum(count for _, count in self._arrivals) / WINDOW

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        verb = "Hold still" if self.following else "Follow"
        yield Command(f"live: {verb}", "the key f", self.action_follow)
        yield from self.filter_commands()
        yield Command("live: Memories it became", "the key m; esc comes back", self.action_became)
        yield Command("live: What was dropped", "by reason", self.action_drops)


def _arrived(
    newest: int, unsettled: list[int], filters: Filters, memory: Memory
) -> tuple[list[Observation], dict[int, tuple[str, str, str | None]]]:
    """What came after the newest that is here, oldest first; and the unsettled ones as they are now."""
    if filters == Filters():
        arrived = memory.observations_after(newest, limit=MORE)
    else:
        arrived = memory.observing.arrived(newest, filters, MORE)
    return arrived, memory.observing.settled(unsettled) if unsettled else {}
