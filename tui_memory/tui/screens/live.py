"""Live: what agents do, as it arrives; follows at the end, holds still when scrolled."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical
from textual.timer import Timer
from textual.widget import Widget

from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters, Observation
from tui_memory.tui import asking, bindings, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.live_first import LiveFirst
from tui_memory.tui.screens.live_foot import Flow
from tui_memory.tui.screens.live_lists import EventList, Lanes, stream
from tui_memory.tui.screens.live_rows import Head
from tui_memory.tui.widgets import empty, session_rows
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.observations import SessionRow

Settled = dict[int, tuple[str, str, str | None]]
FIRST, MORE, UNSETTLED = 120, 500, 200
SESSIONS_EVERY, SETTLE_EVERY = 1.0, 0.5
"""Seconds between two readings of the sessions, and of states that may have changed, however much arrives."""
FLOOD, CALM = 20.0, 0.25
"""From so many a second on, the lists are drawn only so often (seconds): nobody reads faster, and keys come first."""
SHARE = 10
"""Sessions are read again after so many times as long as reading them took: a large store is not asked all day."""


class LiveScreen(LiveFirst):
    """One flight to the store at a time; whatever came meanwhile comes with the next."""

    ROOM = "live"
    HELP = (
        "What agents do, as it arrives. The list follows its end until you scroll; f follows again."
        " c puts the agents side by side where there is room; h and l go from one to the other."
    )
    BINDINGS: ClassVar[bindings.BindingList] = bindings.LIVE
    AUTO_FOCUS = "#list"
    _sessions_due: Timer | None = None
    _sessions_took = 0.0
    _settled_at = 0.0
    _calm: Timer | None = None
    _unasked = False
    """Whether the last reading was too soon for states: they are asked for once more; then a quiet store has peace."""

    def body(self) -> Iterable[Widget]:
        """Sessions, observations with their filter, detail."""
        self.flow = Flow()
        self._flying = self._again = self._held = False
        self._at = 0
        self.sessions: RecordList[session_rows.Shown] = RecordList(
            lambda row: row.key, self.draw_session, what="sessions", id="sessions"
        )
        self.sessions.add_class("pane", "third")
        self.sessions.one_click = True
        self.sessions.border_title = "sessions"
        self.sessions.help_text = "Sessions, live ones first. enter or a click shows one alone, and again all."
        self.stream, self.lanes = stream(), Lanes(id="lanes")
        self.box = SearchBox("/ filter what is shown", id="box")
        self.main = Vertical(self.box, self.stream, self.lanes, classes="pane main")
        self.detail = Detail(classes="pane side")
        return (self.main, self.detail)

    def third(self) -> Widget:
        """The sessions."""
        return self.sessions

    def on_mount(self) -> None:
        """Hold still when the wheel or a bar scrolls."""
        super().on_mount()
        self.prepare(self.stream)
        self.watch(self.app, "status", self.say, init=False)
        self.watch(self.app, "status", self.judge_steps, init=False)
        self.set_interval(2.0, self.slow_down)

    def prepare(self, listing: EventList) -> None:
        """What an empty list says, and that scrolling it holds everything still."""
        listing.empty, listing.on_hand = self._empty, self._hold
        self.watch(listing, "scroll_y", partial(self._scrolled, listing), init=False)

    # reading

    def begin(self) -> None:
        """Read the last ones and stand at the end."""
        self.stream.afresh(self.sieve)
        self.following, self._held, self.fresh, self._flying = True, False, 0, True
        filters = self.filters()
        asking.ask(
            self, "live", lambda memory: memory.observations(filters, limit=FIRST), self._first, failed=self.cannot
        )
        self.refill_lanes()
        self._read_sessions()

    def sift(self) -> None:
        """Words or failures changed: show another part of what was read, and read more where that is little."""
        for listing in dict.fromkeys((self.stream, *self.lanes.used)):
            listing.live.sift(self.sieve)
            listing.list_rows(keep=False)
        self._follow()
        self.say()
        self._fill_up()

    def _fill_up(self) -> None:
        """What is sought may be further back than what was read."""
        if self.sieve.looks_inside and len(self.live.rows) < self.listing.size.height:
            self._older()

    def _first(self, newest_first: list[Observation]) -> None:
        self._flying = False
        self.stream.live.complete = len(newest_first) < FIRST
        self.stream.live.prepend(newest_first)
        self.stream.list_rows(keep=False)
        self._to_end()
        self.say()
        self._fill_up()
        self.steps_if_empty()

    def renew(self) -> None:
        """The store changed: read what came, and the states that may have changed."""
        if self._flying or self._calm is not None:
            self._again = True
            return
        self._flying, self._again = True, False
        newest, filters = self.stream.live.newest, self.filters()
        unsettled: list[int] = []
        self._unasked = time.monotonic() - self._settled_at <= SETTLE_EVERY
        if not self._unasked:
            self._settled_at = time.monotonic()
            unsettled = self._unsettled()
        asking.ask(
            self, "live", partial(_arrived, newest, unsettled, filters), lambda answer: self._came(*answer),
            failed=self._failed,
        )  # fmt: skip
        if self._sessions_due is None:
            self._sessions_due = self.set_timer(max(SESSIONS_EVERY, SHARE * self._sessions_took), self._read_sessions)

    def _unsettled(self) -> list[int]:
        """The newest observations on show that may still change their state."""
        return sorted({number for listing in self.lists for number in listing.live.unsettled(UNSETTLED)})

    def _failed(self, error: TuiMemoryError) -> None:
        self._flying = False
        self.host.report(error)

    def _came(self, arrived: list[Observation], settled: Settled) -> None:
        self._flying = False
        if arrived:
            self.close_steps()
            self.flow.came(len(arrived))
            self.fresh += 0 if self.following else len(arrived)
        self._take(arrived, settled)
        self.say()
        if len(arrived) >= MORE:
            self.renew()
        elif arrived and self.flow.rate() > FLOOD:
            self._calm = self.set_timer(CALM, self._calmed)
        elif self._again:
            self.renew()
        elif self._unasked and self._unsettled():
            self.set_timer(SETTLE_EVERY, self._settle_later)

    def _take(self, arrived: list[Observation], settled: Settled) -> None:
        """Hand out what came; the stream takes it also while lanes are on show, so that it misses nothing."""
        more = False
        if self.in_lanes:
            self.stream.live.settle(settled)
            self.stream.live.append(arrived)
            for lane in self.lanes.used:
                more |= lane.take([row for row in arrived if row.session == lane.session], settled)
        else:
            more = self.stream.take(arrived, settled)
        if more and self.following:
            self._to_end()

    def _calmed(self) -> None:
        """Enough time went by for another look."""
        self._calm = None
        if self._again and not self._flying:
            self.renew()

    def _settle_later(self) -> None:
        """The last change may have been a state's that was not asked for then."""
        if not self._flying and time.monotonic() - self._settled_at > SETTLE_EVERY:
            self.renew()

    def _older(self) -> None:
        """Scrolled to the beginning: read what was before."""
        listing = self.listing
        live = listing.live
        if self._flying or live.complete or live.full or not live.oldest:
            return
        self._flying = True
        oldest, lane = live.oldest, next((one for one in self.lanes.used if one is listing), None)
        filters = self.lane_filters(lane) if lane is not None else self.filters()
        asking.ask(
            self, "live", lambda memory: memory.observations(filters, limit=MORE, before=oldest),
            partial(self._came_older, listing, oldest), failed=self._failed,
        )  # fmt: skip

    def _came_older(self, listing: EventList, oldest: int, newest_first: list[Observation]) -> None:
        self._flying = False
        live = listing.live
        if live.oldest == oldest:  # else the lane was given to another session meanwhile
            live.complete = len(newest_first) < MORE
            listing.list_rows(moved=live.prepend(newest_first))
        if self.sieve.looks_inside and self.following:
            self._follow()
        self.say()
        if self._again:
            self.renew()
        else:
            self._fill_up()

    def _read_sessions(self) -> None:
        self._sessions_due = None
        filters, began = Filters(project=self.host.project or None), time.monotonic()

        def answered(found: list[SessionRow]) -> None:
            self._sessions_took = time.monotonic() - began
            self.show_sessions(found)

        asking.ask(self, "sessions", lambda memory: memory.sessions(filters, limit=200), answered)

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in the list."""
        self._flying = False
        for listing in self.lists:
            listing.fail(error)
        self.say()

    def _empty(self) -> empty.Notice:
        if said := " · ".join(self.sieve.said()):
            where = "everything" if self.live.complete else f"the last {formats.number(self.live.read)}"
            return empty.Notice(f"Nothing of {where} is {said}.", ("esc ends the filters, one at a time.",), "○")
        if not self.host.status.known:
            return empty.loading("observations")
        return self.no_events()

    # following

    def action_follow(self) -> None:
        """Follow the end, or hold still."""
        if self.following:
            self.following, self._held = False, True
        else:
            self._follow()
        self.say()

    def _hold(self) -> None:
        """A person went off the end."""
        self.following = False

    def _to_end(self) -> None:
        """Where it follows to is no move of a person's: that `f` was pressed meanwhile must hold."""
        self.follow_all()
        self._at = self.listing.cursor

    def _follow(self) -> None:
        self.following, self._held, self.fresh = True, False, 0
        self._to_end()

    def _scrolled(self, listing: EventList, _top: float) -> None:
        if listing not in self.lists or not listing.size.height:  # none yet: where it stands was no person's move
            return
        top = listing.scroll_offset.y
        at_end = top + listing.size.height >= listing.total or top >= listing.max_scroll_y  # not laid out anew yet
        if self.following and not at_end:
            self.following = False
        if listing is self.listing and top == 0 and listing.total > listing.size.height:
            self._older()
        self.say()

    @on(RecordList.Moved, ".events")
    def _moved(self, event: RecordList.Moved) -> None:
        row = event.record
        if row is None or event.origin is not self.listing:
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

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        verb = "Hold still" if self.following else "Follow"
        yield Command(f"live: {verb}", "the key f", self.action_follow)
        view = "One list" if self.in_lanes else "Side by side"
        yield Command(f"live: {view}", "the key c", self.action_columns)
        yield from self.filter_commands()
        yield Command("live: Memories it became", "the key m; esc comes back", self.action_became)
        yield Command("live: What was dropped", "by reason", self.action_drops)


def _arrived(newest: int, unsettled: list[int], filters: Filters, memory: Memory) -> tuple[list[Observation], Settled]:
    """What came after the newest that is here, oldest first; and the unsettled ones as they are now."""
    if filters == Filters():
        arrived = memory.observations_after(newest, limit=MORE)
    else:
        arrived = memory.observing.arrived(newest, filters, MORE)
    return arrived, memory.observing.settled(unsettled) if unsettled else {}
