"""The observation under the cursor in full, what it became, and what was never stored."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on
from textual.content import Content
from textual.timer import Timer

from tui_memory import model
from tui_memory.model import Observation
from tui_memory.tui import asking, describe, formats
from tui_memory.tui.screens.health_words import DROPS
from tui_memory.tui.screens.live_rows import Head, Row, key
from tui_memory.tui.screens.room import Room
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.record_list import RecordList

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

SETTLE, FLOOD = 0.03, 0.3
"""Seconds the cursor rests before its row is read; and while it follows a stream."""


class LiveDetail(Room):
    """Reads a row whole once the cursor has rested on it; under a flood a few times a second, never each row."""

    listing: RecordList[Row]
    detail: Detail
    following = True
    _shown = 0
    _timer: Timer | None = None

    def rest_on(self, row: Row) -> None:
        """The cursor is on this row now."""
        self._shown = key(row)
        if self._timer is None:
            self._timer = self.set_timer(FLOOD if self.following and self.detail.of else SETTLE, self._settled)

    def _settled(self) -> None:
        """The cursor rested, or went on: read the row it is on now."""
        self._timer = None
        row = self.listing.record
        if row is not None:
            asking.ask(self, "detail", partial(_read, _first(row)), partial(self._show, key(row)))

    def _show(self, shown: int, answer: tuple[Observation, list[model.Memory]]) -> None:
        row, became = answer
        if shown == self._shown or self.following:
            self.detail.show(describe.observation(row, became), of=shown)
            self.detail.border_title = Content(describe.line(describe.kind(row.kind), 40))
            self.detail.border_subtitle = "m goes to its memories" if became else ""
        if shown != self._shown and self._timer is None:
            self._timer = self.set_timer(SETTLE, self._settled)

    @on(RecordList.Opened, ".events")
    def _opened(self, event: RecordList.Opened) -> None:
        chosen = _first(event.record)
        asking.lead(self, "open", lambda memory: memory.observation([chosen]), self._open)

    def _open(self, rows: list[Observation]) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        for row in rows:
            kind = describe.kind(row.kind)
            title = f"{kind} · {row.tool}" if row.tool else kind
            self.app.push_screen(WholeText(title, describe.observation_text(row), formats.moment(row.time)))

    def action_became(self) -> None:
        """Go to the memories that the row became; esc there comes back."""
        row = self.listing.record
        if row is None:
            return
        chosen = _first(row)
        asking.lead(self, "became", partial(_read, chosen), self._go_to_memories)

    def _go_to_memories(self, answer: tuple[Observation, list[model.Memory]]) -> None:
        row, became = answer
        if became:
            self.host.show_memories(only=tuple(one.id for one in became), of=f"event #{row.id}")
            return
        waits = {"captured": "its turn is not compressed yet"}.get(row.state, "nothing in it was worth one")
        why = describe.reason(row.reason) if row.reason else waits
        self.notify(f"It became no memory: {why}.", markup=False)

    def action_drops(self) -> None:
        """What was not stored, by reason."""
        asking.lead(self, "drops", lambda memory: memory.stats(), self._show_drops)

    def _show_drops(self, stats: dict[str, Any]) -> None:
        from tui_memory.tui.dialogs.text import WholeText

        dropped: dict[str, int] = stats["dropped"]
        captured, stored = (formats.number(stats.get(name, 0)) for name in ("captured", "stored"))
        head = f"{captured} events were captured, {stored} of them stored."
        rows = [
            f"{formats.number(count):>9}  {reason}\n           {DROPS.get(reason, 'see the error log on Health')}"
            for reason, count in sorted(dropped.items(), key=lambda pair: -pair[1])
        ]
        text = "\n\n".join([head, *(rows or ["Nothing was dropped."])])
        self.app.push_screen(WholeText("What was not stored, and why", text))


def _first(row: Row) -> int:
    """The observation that a row stands for: a head for the first under it."""
    return row.first.id if isinstance(row, Head) else row.id


def _read(chosen: int, memory: Memory) -> tuple[Observation, list[model.Memory]]:
    """An observation, and the memories it became. In a thread."""
    return memory.observation([chosen])[0], memory.observing.became(chosen)
