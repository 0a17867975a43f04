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
from textual.widget import Widget

from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters, Observation
from tui_memory.tui import asking, bindings, describe, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.live_rows import Head, LiveRows, Row, draw, key
from tui_memory.tui.screens.room import Room
from tui_memory.tui.widgets import empty, session_rows
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell
from tui_memory.tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.observations import SessionRow

FIRST, MORE, UNSETTLED = 120, 500, 200
WINDOW = 10.0
"""Seconds over which the rate is counted."""
SETTLE = 0.03


class LiveScreen(Room):
    """One flight to the store at a time; whatever came meanwhile comes with the next."""

    ROOM = "live"
    HELP = "What agents do, as it arrives. The list follows its end until you scroll; f follows again."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.LIVE
    AUTO_FOCUS = "#list"
    following = True
    fresh = 0
    """Observations that came while the list held still."""
    session = ""
    """The session shown alone; empty: all."""

    def body(self) -> Iterable[Widget]:
        """Sessions, observations with their filter, detail."""
        self.live = LiveRows()
        self._flying = self._again = False
        self._held = False
        self._shown = self._at = 0
        self._arrivals: deque[tuple[float, int]] = deque()
        self.sessions: RecordList[SessionRow] = RecordList(
            lambda row: row.id, self._draw_session, what="sessions", id="sessions"
        )
        self.sessions.add_class("pane", "third")
        self.sessions.border_title = "sessions"
        self.sessions.help_text = "Sessions, last seen first. enter shows one alone, and again all."
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
        self.watch(self.app, "status", self._say, init=False)
        self.set_interval(2.0, self._slow_down)

    # reading

    @property
    def filters(self) -> Filters:
        """The project and the session chosen."""
        sessions = (self.session,) if self.session else ()
        return Filters(project=self.host.project or None, session=sessions)

    def begin(self) -> None:
        """Read the last ones and stand at the end."""
        words = self.live.words
        self.live = LiveRows()
        self.live.words = words
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

    def _first(self, newest_first: list[Observation]) -> None:
        self._flying = False
        self.live.complete = len(newest_first) < FIRST
        self.live.prepend(newest_first)
        self.listing.show(ListSource(self.live.rows))
        self.listing.go(self.listing.total - 1)
        self._say()

    def renew(self) -> None:
        """The store changed: read what came, and the states that may have changed."""
        if self._flying:
            self._again = True
            return
        self._flying, self._again = True, False
        newest, unsettled, filters = self.live.newest, self.live.unsettled(UNSETTLED), self.filters
        asking.ask(
            self, "live", partial(_arrived, newest, unsettled, filters), lambda answer: self._came(*answer),
            failed=self._failed,
        )  # fmt: skip
        self._read_sessions()

    def _failed(self, error: TuiMemoryError) -> None:
        self._flying = False
        self.host.report(error)

    def _came(self, arrived: list[Observation], settled: list[Observation]) -> None:
        self._flying = False
        changed = self.live.settle(settled)
        gone = self.live.append(arrived)
        if arrived:
            self._arrivals.append((time.monotonic(), len(arrived)))
            self.fresh += 0 if self.following else len(arrived)
        if arrived or changed:
            self._list(moved=-gone)
        self._say()
        if self._again:
            self.renew()

    def _list(self, *, moved: int = 0) -> None:
        self.listing.show(ListSource(self.live.rows), keep=True, moved=moved)
        if self.following:
            self.listing.go(self.listing.total - 1)

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
        if self._again:
            self.renew()

    def _read_sessions(self) -> None:
        filters = Filters(project=self.host.project or None)
        asking.ask(
            self, "sessions", lambda memory: memory.sessions(filters, limit=100),
            lambda rows: self.sessions.show(ListSource(rows), keep=True),
        )  # fmt: skip

    def cannot(self, error: TuiMemoryError) -> None:
        """Say so in the list."""
        self._flying = False
        self.listing.fail(error)

    def _empty(self) -> empty.Notice:
        if self.live.words:
            return empty.no_match(self.box.query_text)
        if self.session or self.host.project:
            return empty.Notice("Nothing was captured here yet.", ("P chooses another project, or all.",), "○")
        return empty.first_run()

    # following

    def action_follow(self) -> None:
        """Follow the end, or hold still."""
        if self.following:
            self.following, self._held = False, True
        else:
            self._follow()
        self._say()

    def _follow(self) -> None:
        self.following, self._held, self.fresh = True, False, 0
        self.listing.go(self.listing.total - 1)

    def _scrolled(self, _top: float) -> None:
        at_end = self.listing.scroll_offset.y + self.listing.size.height >= self.listing.total
        if self.following and not at_end:
            self.following = False
        if self.listing.scroll_offset.y == 0 and self.listing.total > self.listing.size.height:
            self._older()
        self._say()

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
        self._shown = key(row)
        self.set_timer(SETTLE, partial(self._settled, row))
        self._say()

    def _settled(self, row: Row) -> None:
        """The cursor rested: read the observation whole."""
        if key(row) != self._shown:
            return
        chosen = row.first.id if isinstance(row, Head) else row.id
        asking.ask(self, "detail", lambda memory: memory.observation([chosen]), partial(self._show, key(row)))

    def _show(self, shown: int, rows: list[Observation]) -> None:
        if shown == self._shown and rows:
            self.detail.show(describe.observation(rows[0]), of=shown)
            self.detail.border_title = Content(describe.line(rows[0].kind, 40))

    @on(RecordList.Opened, "#list")
    def _opened(self, event: RecordList.Opened) -> None:
        row = event.record
        chosen = row.first.id if isinstance(row, Head) else key(row)
        asking.ask(self, "open", lambda memory: memory.observation([chosen]), self._open)

    def _open(self, rows: list[Observation]) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        for row in rows:
            title = f"{row.kind} · {row.tool}" if row.tool else row.kind
            self.app.push_screen(WholeText(title, describe.observation_text(row), formats.moment(row.time)))

    # filter and sessions

    def action_filter(self) -> None:
        """Into the filter."""
        self.box.focus()

    @on(SearchBox.Sought)
    def _sought(self, event: SearchBox.Sought) -> None:
        self.live.filter(event.query)
        self.listing.show(ListSource(self.live.rows))
        self._follow()
        self._say()

    @on(SearchBox.Left)
    def _left_box(self) -> None:
        self.listing.focus()

    def action_leave(self) -> None:
        """The filter, then the session: everything again."""
        if self.box.value:
            self.box.action_clear()
        elif self.session:
            self.session = ""
            self.begin()
        self.listing.focus()

    def _draw_session(self, row: SessionRow, width: int) -> list[Cell]:
        return session_rows.draw(row, self.session, width)

    @on(RecordList.Opened, "#sessions")
    def _session_chosen(self, event: RecordList.Opened) -> None:
        chosen = event.record.session
        self.session = "" if chosen == self.session else chosen
        self.begin()

    # what the borders say

    def _say(self, *_: object) -> None:
        status = self.host.status
        title = [(self._counted(), "")]
        if self.live.words:
            title.append((f" · “{describe.line(self.box.query_text, 40)}”", "$text-accent"))
        if self.session:
            title.append((f" · session {describe.line(self.session, 12)}", "$text-accent"))
        self.main.border_title = Content.assemble(*title)
        state = ("● following", "$text-success") if self.following else ("‖ paused", "$text-warning")
        new = f" · {formats.number(self.fresh)} new · f follows" if not self.following else ""
        foot = f"{new} · {self._rate():.1f}/s · queue {status.queue} · {formats.number(status.dropped)} dropped"
        self.main.border_subtitle = Content.assemble(state, (foot, ""))

    def _slow_down(self) -> None:
        """The rate falls while nothing comes; once it is nought there is nothing to draw."""
        if self._arrivals:
            self._say()

    def _counted(self) -> str:
        """How many are listed, and of how many where that is known."""
        shown = sum(1 for row in self.live.rows if not isinstance(row, Head))
        if self.live.complete or self.live.words:
            return formats.count(shown, "observation")
        all_of_them = self.filters == Filters() and self.host.status.stored > shown
        of = f" of {formats.number(self.host.status.stored)}" if all_of_them else ""
        return f"last {formats.number(shown)}{of} observations"

    def _rate(self) -> float:
        edge = time.monotonic() - WINDOW
        while self._arrivals and self._arrivals[0][0] < edge:
            self._arrivals.popleft()
        return sum(count for _, count in self._arrivals) / WINDOW

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        yield Command("live: Filter", "show only what holds these words", self.action_filter)
        verb = "Hold still" if self.following else "Follow"
        yield Command(f"live: {verb}", "the key f", self.action_follow)
        if self.session or self.box.value:
            yield Command("live: Show everything", "end the filter and the session", self.action_leave)


def _arrived(
    newest: int, unsettled: list[int], filters: Filters, memory: Memory
) -> tuple[list[Observation], list[Observation]]:
    """What came after the newest that is here, oldest first; and the unsettled ones as they are now."""
    if filters == Filters():
        arrived = memory.observations_after(newest)
    else:
        recent = memory.observations(filters, limit=MORE)
        arrived = [row for row in reversed(recent) if row.id > newest]
    return arrived, memory.observation(unsettled) if unsettled else []
