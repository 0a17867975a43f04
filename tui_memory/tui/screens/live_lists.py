"""The lists of Live: the stream of everything, and lanes, each a column of one session; each bounded by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message

from tui_memory.model import Observation
from tui_memory.safetext import one_line
from tui_memory.tui import describe, formats
from tui_memory.tui.screens.live_rows import MOST, LiveRows, Row, draw, draw_narrow, key
from tui_memory.tui.screens.live_sieve import Sieve
from tui_memory.tui.widgets.borders import entitle
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.rows import Cell
from tui_memory.tui.widgets.session_rows import Shown

LANE_WIDTH = 38
"""Terminal cells below which a lane says too little."""
LANES, LANE_MOST = 6, 500


class EventList(RecordList[Row]):
    """Observations under the heads of their turns."""

    def __init__(self, drawn: Callable[[Row, int], Sequence[Cell]], most: int, identity: str) -> None:
        super().__init__(key, drawn, what="observations", id=identity)
        self.add_class("events")
        self.steady = True
        self.live = LiveRows(most=most)
        self.on_hand: Callable[[], object] = lambda: None
        """Called at once when a person moves off the end: a message would come after what arrives meanwhile."""

    def afresh(self, sieve: Sieve) -> None:
        """Nothing was read yet."""
        self.live = LiveRows(sieve, self.live.most)

    def list_rows(self, *, moved: int = 0, keep: bool = True) -> None:
        """Show the rows as they are now; `moved` as `show` takes it."""
        self.show(ListSource(self.live.rows), keep=keep, moved=moved)

    def take(self, arrived: Sequence[Observation], settled: dict[int, tuple[str, str, str | None]]) -> bool:
        """Put what came at the end, and take over states that changed: whether there is anything else to see."""
        changed = self.live.settle(settled)
        gone = self.live.append(arrived)
        if arrived or changed:
            self.list_rows(moved=-gone)
        return bool(arrived or changed)

    def to_end(self) -> None:
        """The cursor on the last row."""
        super().go(self.total - 1)

    def go(self, index: int) -> None:
        """A person's move."""
        super().go(index)
        if self.cursor < self.total - 1:
            self.on_hand()


def stream() -> EventList:
    """The list of everything."""
    return EventList(draw, MOST, "list")


class Lane(EventList):
    """One session, in a column."""

    HELP = "One session in a column. h and l go from column to column; c shows one list again."
    shown: Shown | None = None
    """Whose it is; None: nobody's, and it is not seen."""

    def __init__(self, number: int) -> None:
        super().__init__(draw_narrow, LANE_MOST, f"lane-{number}")
        self.add_class("lane", "-unused")

    @property
    def session(self) -> str:
        """The session's id, empty where there is none."""
        return self.shown.session if self.shown else ""

    def give(self, shown: Shown | None, sieve: Sieve) -> bool:
        """Whose it is from now on: whether that is another session than before."""
        other = (shown.session if shown else "") != self.session
        self.shown = shown
        self.set_class(shown is None, "-unused")
        if shown is not None:
            self._entitle(shown)
        if other:
            self.afresh(sieve)
            self.list_rows(keep=False)
        return other and shown is not None

    def _entitle(self, shown: Shown) -> None:
        state, style = ("● live", "$text-success") if shown.live else (formats.age(shown.last_seen), "")
        branch = f" · {describe.line(shown.branch, 24)}" if shown.branch else ""
        name = f" {one_line(shown.agent, 16)} {formats.session(shown.session)} · "
        entitle(self, title=Content.assemble((name, ""), (state, style), (f" · turn {shown.turn}{branch}", "")))


class Lanes(Horizontal):
    """As many lanes as there is room for; made when they are first wanted, not on the way to the first paint."""

    def make(self) -> list[Lane]:
        """All of them, nobody's yet."""
        lanes = [Lane(number) for number in range(LANES)]
        self.mount(*lanes)
        return lanes

    @dataclass
    class Resized(Message):
        """There is room for another number of lanes."""

    def on_resize(self) -> None:
        """Say so."""
        self.post_message(self.Resized())

    @property
    def all(self) -> list[Lane]:
        """Every lane, used or not, from the left."""
        return list(self.query(Lane))

    @property
    def used(self) -> list[Lane]:
        """Those that are somebody's."""
        return [lane for lane in self.all if lane.shown is not None]


def allot(lanes: Sequence[Shown | None], found: Sequence[Shown], room: int, *, hold: bool) -> list[Shown | None]:
    """Who gets which lane: those that have one keep it while they are live, or nobody live waits for it.

    `found`: live ones first, then the last seen; `hold`: somebody reads, so that nothing is taken from anybody.
    """
    by_session = {row.session: row for row in found}
    now = [by_session.get(one.session) if one else None for one in lanes]
    for index in range(room, len(now)):
        now[index] = None
    here = {one.session for one in now if one}
    for waiting in [row for row in found[: max(room, 0)] if row.session not in here]:
        free = next((i for i in range(room) if now[i] is None), None)
        idle = [(one.last_seen, i) for i, one in enumerate(now) if one and not one.live]
        if free is None and waiting.live and idle and not hold:
            free = min(idle)[1]
        if free is not None:
            now[free] = waiting
    return now
