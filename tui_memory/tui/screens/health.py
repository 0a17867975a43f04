"""Health: what is less than it could be, worst first, each with its mend; then the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from tui_memory.capture import AGENTS
from tui_memory.errors import TuiMemoryError
from tui_memory.safetext import one_line
from tui_memory.tui import asking, bindings, formats
from tui_memory.tui.commands import Command
from tui_memory.tui.screens import health_numbers, health_rows
from tui_memory.tui.screens.health_deeds import HealthDeeds
from tui_memory.tui.screens.health_numbers import Look
from tui_memory.tui.screens.health_rows import Line
from tui_memory.tui.widgets.borders import entitle
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.pages import ListSource
from tui_memory.tui.widgets.record_list import RecordList

if TYPE_CHECKING:
    from tui_memory.engine.agents import Installed
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.observing import Health, Inventory, Models

EVERY, ANYWAY, STOCK_EVERY = 2.0, 10.0, 20.0
"""Seconds: between two looks where the store changed, where it did not, and between two counts of all rows."""


class HealthScreen(HealthDeeds):
    """Looks at most once in two seconds, only while it is shown, and never reads all pages unasked."""

    ROOM = "health"
    HELP = "Whether everything works. enter mends what can be mended from here; c copies the command for the rest."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.HEALTH
    AUTO_FOCUS = "#list"
    _looking = _due = False
    _timer: Timer | None = None

    def body(self) -> Iterable[Widget]:
        """Receipts and numbers, the row in full."""
        self._installed: Sequence[Installed] | None = None
        self._stock: tuple[float, Inventory] | None = None
        self._models: tuple[float, Models] | None = None
        self._seen_last: Look | None = None
        self._looked = 0.0
        self.rows: list[Line] = []
        self.listing: RecordList[Line] = RecordList(lambda line: line.key, health_rows.draw, what="health", id="list")
        self.main = Vertical(self.listing, classes="pane main")
        self.main.border_title = "health"
        self.detail = Detail(classes="pane side")
        return (self.main, self.detail)

    def on_mount(self) -> None:
        """Look again now and then while this is shown."""
        super().on_mount()
        self.set_interval(EVERY, self._now_and_then)

    # looking

    def begin(self) -> None:
        """Look now."""
        self.look()

    def renew(self) -> None:
        """The store changed: with the next beat."""
        self._due = True

    def forget_rows(self) -> None:
        """Nothing: its rows are the store's, of no project."""

    def cannot(self, error: TuiMemoryError) -> None:
        """The store cannot be opened: that is the worst receipt there is."""
        self._show(health_rows.unusable(error))

    def on_screen_resume(self) -> None:
        """Shown again: what stands here may be old."""
        super().on_screen_resume()
        if self.begun:
            self.look()

    def _now_and_then(self) -> None:
        old = formats.monotonic() - self._looked > ANYWAY
        if self.begun and self.host.screen is self and (self._due or old):
            self.look()

    def look(self) -> None:
        """Ask for everything, in a thread; one look at a time."""
        if self._looking:
            self._due = True
            return
        self._looking, self._due = True, False
        asking.ask(self, "health", self._ask, self._seen, failed=self._failed)

    def _ask(self, memory: Memory) -> tuple[Health, Inventory, Sequence[Installed], float]:
        installed = self._installed if self._installed is not None else _find_installed()
        now = formats.monotonic()
        stock = self._stock
        if stock is None or now - stock[0] > STOCK_EVERY:
            stock = (now, memory.observing.inventory())
        return memory.observing.health(installed), stock[1], installed, stock[0]

    def _seen(self, answer: tuple[Health, Inventory, Sequence[Installed], float]) -> None:
        seen, stock, self._installed, counted = answer
        self._stock, self._looking, self._looked = (counted, stock), False, formats.monotonic()
        self._seen_last = Look(seen, stock, installed=self._installed)
        self.told_of_pull()
        if self._models is None or formats.monotonic() - self._models[0] > STOCK_EVERY:
            asking.ask(self, "models", lambda memory: memory.observing.models(), self._models_seen)

    def _models_seen(self, models: Models) -> None:
        self._models = (formats.monotonic(), models)
        self.told_of_pull()

    def told_of_pull(self) -> None:
        """Show the last look again, with what is known of models by now."""
        if self._seen_last is not None:
            models = self._models[1] if self._models else None
            look = replace(self._seen_last, models=models, pulling=self.pulling, died=self.host.sample.died)
            self._show(health_numbers.lines(look))

    def _failed(self, error: TuiMemoryError) -> None:
        self._looking, self._looked, self._seen_last = False, formats.monotonic(), None
        self.cannot(error)

    def again(self) -> None:
        """Look now, and at everything."""
        self._installed = self._stock = self._models = None
        self.look()

    def forget_installed(self) -> None:
        """Agents' settings may have changed, and models come."""
        self._installed = self._models = None

    def _show(self, rows: list[Line]) -> None:
        if rows == self.rows:
            return
        first = not self.rows
        self.rows = rows
        self.listing.show(ListSource(rows), keep=True)
        if first and len(rows) > 1:
            self.listing.go(1)
        worse = [row for row in rows if row.state and row.state != "ready"]
        glyph = ("✗", "$text-error") if any(row.state == "broken" for row in worse) else ("▲", "$text-warning")
        told = [(f"{glyph[0]} {len(worse)} less than ready", glyph[1])] if worse else [("● all ready", "$text-success")]
        foot = Content(f"looked {formats.clock(formats.now())} · ctrl+l looks again")
        entitle(self.main, title=Content.assemble(("health · ", ""), *told), subtitle=foot)

    # keys

    @on(RecordList.Moved, "#list")
    def _moved(self, event: RecordList.Moved) -> None:
        row = event.record
        self.refresh_bindings()
        if isinstance(row, Line):
            self.detail.show(health_rows.detail(row), of=row.key, title=Content(one_line(row.section, 40)))

    @on(RecordList.Opened, "#list")
    def _opened(self, event: RecordList.Opened) -> None:
        row = event.record
        if row.deed:
            self.mend(row)
        elif not row.head:
            from tui_memory.tui.dialogs.text import WholeText

            self.app.push_screen(WholeText(row.label, health_rows.detail(row).plain))

    def action_section(self, step: int) -> None:
        """To the next head, or the one before."""
        head = self.next_section(step)
        if head is not None:
            self.listing.go(head + 1)

    def commands(self) -> Iterator[Command]:
        """What can be done here."""
        row = self.listing.record
        if row is not None and row.deed:
            yield Command(f"health: {row.label}: {row.verb}", "the mend of this row", partial(self.mend, row))
        if self.pulling is not None:
            yield Command("health: Stop fetching the model", self.pulling[0], self.stop_pull)
        for name in self._models[1].wanted if self._models and self.pulling is None else ():
            yield Command(f"health: Fetch {one_line(name, 60)}", "have Ollama fetch it", partial(self.pull, name))
        for agent in AGENTS:
            yield Command(f"health: Install hooks of {agent}", "shows the change first", partial(self.install, agent))
        yield Command("health: Check pages", "read every page of the store, for damage", self.action_integrity)
        yield Command("health: Start worker", "where none runs", partial(self.do, "start"))
        yield Command("health: Empty the queue", "have the worker compress what waits, now", partial(self.do, "drain"))
        yield Command("health: Try failed turns again", "put them back into the queue", partial(self.do, "retry"))


def _find_installed() -> Sequence[Installed]:
    """Where agents run our hook; reads their settings. In a thread."""
    from tui_memory.surfaces.install import found

    return found.installed()
