"""The filters of Live and its sessions pane: words, failures, kind, agent, session; esc ends one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on

from tui_memory.model import Kind
from tui_memory.tui import describe, keepsake
from tui_memory.tui.commands import Command
from tui_memory.tui.screens.live_rows import Head, Row
from tui_memory.tui.screens.live_sieve import Sieve
from tui_memory.tui.screens.room import Room
from tui_memory.tui.widgets import session_rows
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell
from tui_memory.tui.widgets.search_box import PAST, SearchBox

if TYPE_CHECKING:
    from tui_memory.store.observations import SessionRow


class LiveFilters(Room):
    """What the store answers is asked anew; words and failures are looked for in what was read."""

    listing: RecordList[Row]
    sessions: RecordList[session_rows.Shown]
    box: SearchBox
    sieve = Sieve()
    session_list: Sequence[session_rows.Shown] = ()

    def sift(self) -> None:
        """Show another part of what was read."""

    def _change(self, sieve: Sieve) -> None:
        asked = sieve.filters("") != self.sieve.filters("")
        self.sieve = sieve
        self.sessions.refresh()
        if asked:
            self.begin()
        else:
            self.sift()

    # what is remembered from run to run

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Every part of the filter but the session, which is over by then; the words sought before."""
        plain, texts = super().keepsake()
        sieve = {"kind": self.sieve.kind, "agent": self.sieve.agent}
        words = {"query": self.box.query_text, "queries": list(self.box.past)}
        return plain | {"errors": self.sieve.errors}, texts | sieve | words

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """The same, put back."""
        super().recall(plain, texts)
        query, kind = keepsake.text(texts, "query"), keepsake.text(texts, "kind")
        self.sieve = Sieve(
            words=tuple(query.lower().split()),
            kind=kind if kind in [str(one) for one in Kind] else "",
            agent=keepsake.text(texts, "agent"),
            errors=plain.get("errors") is True,
        )
        self.box.past = keepsake.listed(texts, "queries", PAST)
        self.box.put(query)

    def forget_texts(self) -> None:
        """No query is kept that a purge may have named."""
        self.box.past = []

    # words

    def action_filter(self) -> None:
        """Into the filter."""
        self.box.focus()

    @on(SearchBox.Sought)
    def _sought(self, event: SearchBox.Sought) -> None:
        self._change(replace(self.sieve, words=tuple(event.query.lower().split())))

    @on(SearchBox.Left)
    def _left_box(self) -> None:
        self.listing.focus()

    # failures, kind, agent, session

    def action_errors(self) -> None:
        """Only what failed, or everything again."""
        self._change(replace(self.sieve, errors=not self.sieve.errors))

    def action_pick_kind(self) -> None:
        """Only one kind."""
        kinds = {str(kind): describe.kind(kind) for kind in Kind}
        self._pick("Show only the kind", "every kind", kinds, self.sieve.kind, "kind")

    def action_pick_agent(self) -> None:
        """Only one agent."""
        source = self.sessions.source
        rows = source.rows if isinstance(source, ListSource) else []
        agents = sorted({row.agent for row in rows if row.agent} | ({self.sieve.agent} - {""}))
        named = dict(zip(agents, agents, strict=True))
        self._pick("Show only the agent", "every agent", named, self.sieve.agent, "agent")

    def _pick(self, title: str, every: str, values: Mapping[str, str], current: str, name: str) -> None:
        from tui_memory.tui.dialogs.pick import Choice, Pick

        def picked(value: str | None) -> None:
            if value is not None and value != current:
                chosen: dict[str, Any] = {name: value}
                self._change(replace(self.sieve, **chosen))

        choices = [Choice("", every), *(Choice(value, word) for value, word in values.items())]
        self.app.push_screen(Pick(title, choices, current), picked)

    def action_this_session(self) -> None:
        """Only the session of the cursor's row, or all again."""
        row = self.listing.record
        if self.sieve.session:
            self._change(replace(self.sieve, session=""))
        elif row is not None:
            self._change(replace(self.sieve, session=(row.first if isinstance(row, Head) else row).session))

    def action_leave(self) -> None:
        """End the filters, the last word in them first: one at a time."""
        if self.box.value:
            self.box.action_clear()
        elif self.sieve != Sieve():
            self._change(self.sieve.less())
        else:
            self.host.go_back()
        self.listing.focus()

    def next_turn(self, step: int) -> int | None:
        """Where the next turn begins, or the one before; None where there is none."""
        rows, here = self.listing.source, self.listing.cursor
        if not isinstance(rows, ListSource):
            return None
        later = range(here + 1, len(rows.rows)) if step > 0 else range(here - 2, -1, -1)
        return next((index for index in later if isinstance(rows.rows[index], Head)), None)

    def action_turn(self, step: int) -> None:
        """To the next turn, or the one before."""
        head = self.next_turn(step)
        if head is not None:
            self.listing.go(head + 1)

    # the sessions pane

    def show_sessions(self, found: Sequence[SessionRow]) -> None:
        """The sessions as they are now."""
        rows = self.session_list = session_rows.rows(found)
        self.sessions.show(ListSource(rows), keep=True)
        self.sessions.border_title = session_rows.summary(rows)

    def draw_session(self, row: session_rows.Shown, width: int) -> list[Cell]:
        """One of them."""
        return session_rows.draw(row, self.sieve.agent, self.sieve.session, width)

    @on(RecordList.Opened, "#sessions")
    def _session_chosen(self, event: RecordList.Opened) -> None:
        row = event.record
        assert isinstance(row, session_rows.Shown)
        if row.session:
            again = row.session == self.sieve.session
            self._change(replace(self.sieve, session="" if again else row.session, agent=""))
        else:
            again = row.agent == self.sieve.agent
            self._change(replace(self.sieve, agent="" if again else row.agent, session=""))

    def filter_commands(self) -> Iterator[Command]:
        """The same for the palette."""
        yield Command("live: Filter", "show only what holds these words", self.action_filter)
        verb = "Everything again" if self.sieve.errors else "Errors only"
        yield Command(f"live: {verb}", "the key e", self.action_errors)
        yield Command("live: Kind", "show only one kind of event", self.action_pick_kind)
        yield Command("live: Agent", "show only one agent's events", self.action_pick_agent)
        yield Command("live: Session", "show only the row's session, or all again", self.action_this_session)
        if self.sieve != Sieve():
            yield Command("live: Show everything", "end all filters", partial(self._everything))

    def _everything(self) -> None:
        self.box.value = ""
        self._change(Sieve())
