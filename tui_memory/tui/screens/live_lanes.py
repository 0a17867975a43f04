"""Live with its agents side by side: from 120 columns, each session a lane of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.containers import Vertical

from tui_memory.model import Filters, Observation
from tui_memory.tui import asking
from tui_memory.tui.screens.live_detail import LiveDetail
from tui_memory.tui.screens.live_filters import LiveFilters
from tui_memory.tui.screens.live_lists import LANE_WIDTH, EventList, Lane, Lanes, allot
from tui_memory.tui.screens.live_rows import LiveRows
from tui_memory.tui.widgets.session_rows import Shown

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.observations import SessionRow

WIDE = 120
"""Columns from which there is room for lanes."""
BROAD = 170
"""Columns from which the sessions' pane stays beside the lanes."""
LANE_FIRST = 60
"""Observations that a lane begins with."""


class LiveLanes(LiveFilters, LiveDetail):
    """Knows which of its lists is at hand; fills lanes and keeps them filled."""

    stream: EventList
    lanes: Lanes
    main: Vertical
    side_by_side: bool | None = None
    """What the person chose; None: side by side where several agents are at work when the screen opens."""
    _at_hand = 0
    _found: Sequence[Shown] = ()
    _chosen_by_itself = _chosen_by_hand = False

    @property
    def in_lanes(self) -> bool:
        """Whether lanes are on show."""
        return self.has_class("-lanes")

    @property
    def listing(self) -> EventList:  # type: ignore[override]
        """The list at hand: the lane that had the focus last, or the stream."""
        if not self.in_lanes:
            return self.stream
        used = self.lanes.used
        if self.focused in used:
            self._at_hand = used.index(self.focused)
        return used[min(self._at_hand, len(used) - 1)] if used else self.stream

    @property
    def live(self) -> LiveRows:
        """The rows of the list at hand."""
        return self.listing.live

    @property
    def lists(self) -> list[EventList]:
        """The lists on show."""
        return list(self.lanes.used) if self.in_lanes else [self.stream]

    def say(self, *_: object) -> None:
        """Count, filters, and how it flows, in the borders."""

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Whether side by side, as well."""
        plain, texts = super().keepsake()
        return plain | {"side_by_side": self.side_by_side} if self._chosen_by_hand else plain, texts

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """The same, put back."""
        super().recall(plain, texts)
        chosen = plain.get("side_by_side")
        if isinstance(chosen, bool):
            self.side_by_side, self._chosen_by_hand = chosen, True

    # one list, or lanes

    def action_columns(self) -> None:
        """Agents side by side, or one list."""
        if self.in_lanes:
            self.side_by_side, self._chosen_by_hand = False, True
        else:
            self.side_by_side, self._chosen_by_hand = True, True
            self.sieve = replace(self.sieve, session="")
        self.settle_lanes()

    def show_sessions(self, found: Sequence[SessionRow]) -> None:
        """The sessions as they are now, in their pane and in the lanes."""
        super().show_sessions(found)
        self._found = [row for row in self.session_list if row.session]
        if self.side_by_side is None and not self._chosen_by_itself:
            self._chosen_by_itself = True  # once: nothing is rearranged under the eyes of who reads
            if sum(row.live for row in self._found) > 1 and self.app.size.width >= WIDE:
                self.side_by_side = True
        self.settle_lanes()

    def on_resize(self) -> None:
        """Room for more lanes, for fewer, or for none."""
        if self.begun:
            self.call_after_refresh(self.settle_lanes)

    @on(Lanes.Resized)
    def _resized(self) -> None:
        if self.in_lanes:
            self.settle_lanes()

    def _sessions(self) -> list[Shown]:
        """Those that may have a lane."""
        return [row for row in self._found if self.sieve.agent in ("", row.agent)]

    def _wants_lanes(self) -> bool:
        wide = self.app.size.width >= WIDE
        return bool(self.side_by_side and wide and not self.sieve.session and len(self._sessions()) > 1)

    def prepare(self, listing: EventList) -> None:
        """A list was made."""

    def settle_lanes(self) -> None:
        """Lanes or the stream, as it was chosen and as there is room; lanes to those they are for."""
        wanted, focused = self._wants_lanes(), self.app.focused in (self.stream, *self.lanes.all)
        self.set_class(self.app.size.width >= BROAD, "-broad")
        if wanted and not self.lanes.all:
            for lane in self.lanes.make():
                self.prepare(lane)
            self.call_after_refresh(self.settle_lanes)
            return
        if wanted != self.in_lanes:
            self.set_class(wanted, "-lanes")
            self._at_hand = 0
            if not wanted:
                self.stream.list_rows()
            self.call_after_refresh(self._stand_again, self.following)
        if wanted:
            self._give_lanes()
        if focused and self.app.focused is not self.listing:
            self.listing.focus()
        self.follow_all()
        self.say()

    def _stand_again(self, followed: bool) -> None:
        """What was not on show had no height to stand at the end of: that it stood elsewhere was no person's move."""
        self.following = followed
        self.follow_all()
        self.say()

    def _give_lanes(self) -> None:
        across = self.lanes.size.width or self.app.size.width // 2
        lanes = self.lanes.all
        room = min(max(across // LANE_WIDTH, 1), len(lanes))
        given = allot([lane.shown for lane in lanes], self._sessions(), room, hold=not self.following)
        anew = [lane for lane, shown in zip(lanes, given, strict=True) if lane.give(shown, self.sieve)]
        for lane in anew:
            self._fill_lane(lane)

    def refill_lanes(self) -> None:
        """Another question is asked: all lanes are read anew."""
        for lane in self.lanes.used:
            lane.afresh(self.sieve)
            lane.list_rows(keep=False)
            self._fill_lane(lane)

    def _fill_lane(self, lane: Lane) -> None:
        filters, session = self.lane_filters(lane), lane.session
        asking.ask(lane, "lane", partial(_first_of, filters), lambda rows: self._came_lane(lane, session, rows))

    def lane_filters(self, lane: Lane) -> Filters:
        """What the store is asked for one lane."""
        return replace(self.sieve, session=lane.session).filters(self.host.project)

    def _came_lane(self, lane: Lane, session: str, newest_first: list[Observation]) -> None:
        if lane.session != session:
            return
        oldest = lane.live.oldest  # what came while it was asked for is there already
        lane.live.prepend([row for row in newest_first if not oldest or row.id < oldest])
        lane.live.complete = len(newest_first) < LANE_FIRST
        lane.list_rows(keep=False)
        lane.to_end()
        self.say()

    def follow_all(self) -> None:
        """Where it follows, every list on show stands at its end."""
        if self.following:
            for listing in self.lists:
                listing.to_end()

    # from lane to lane

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """The keys between lanes need lanes, those of a row a row, those between turns a turn."""
        if action == "columns" and not self.in_lanes:
            return self._no_lanes()
        if action == "lane" and not self.in_lanes:
            return "There is one list: c puts agents side by side."
        if action in ("became", "this_session") and self.listing.record is None and not self.sieve.session:
            return "There is no event here."
        if action == "turn" and self.next_turn(int(str(parameters[0]))) is None:
            return f"There is no turn {'after' if parameters[0] == 1 else 'before'} this one here."
        return super().refusal(action, parameters)

    def _no_lanes(self) -> str:
        """Why sessions cannot be put side by side; '' where they can."""
        if self.app.size.width < WIDE:
            return f"Side by side needs {WIDE} columns; this terminal has {self.app.size.width}."
        return "" if len(self._sessions()) > 1 else "There is one session at most: nothing to put side by side."

    def action_lane(self, step: int) -> None:
        """To the next lane, or the one before."""
        used = self.lanes.used
        if used:
            used[max(0, min(self._at_hand + step, len(used) - 1))].focus()

    @on(events.DescendantFocus)
    def _another_lane(self, event: events.DescendantFocus) -> None:
        if self.in_lanes and event.widget is self.listing:
            row = self.listing.record
            if row is not None:
                self.rest_on(row)
            self.say()


def _first_of(filters: Filters, memory: Memory) -> list[Observation]:
    """The newest of one session, newest first."""
    return memory.observations(filters, limit=LANE_FIRST)
