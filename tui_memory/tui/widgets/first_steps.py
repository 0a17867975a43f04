"""What an empty store says first: three ways on, each with its key, what was found for it, and what it does."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui_memory.safetext import clean
from tui_memory.tui import bindings, first_run

ACTIONS = {"first.install": "app.install_found", "first.sessions": "app.past_sessions", "first.sample": "app.sample"}


class WayRow(Horizontal, can_focus=True):
    """One way; a click takes it."""

    def __init__(self, way: first_run.Way) -> None:
        super().__init__()
        self._way = way
        self._title, self._says = Static(classes="name", markup=False), Static(classes="says", markup=False)

    @property
    def action(self) -> str:
        """What taking it does."""
        return ACTIONS[self._way.identity]

    def compose(self) -> ComposeResult:
        """Its key and name, and what it does."""
        yield self._title
        yield self._says

    def on_mount(self) -> None:
        """Say it."""
        self.tell(self._way)

    def tell(self, way: first_run.Way) -> None:
        """The same way with what is known of it by now."""
        self._way = way
        keys = self.app.keys_of(way.identity)  # type: ignore[attr-defined]
        self._title.update(Content.assemble((f"{keys}  ", "bold $text-accent"), (clean(way.name), "bold")))
        self._says.update(Content.assemble((f"{clean(way.found)}\n", ""), (clean(way.says), "$tm-muted")))

    async def on_click(self, event: events.Click) -> None:
        """Take it."""
        event.stop()
        await self.run_action(self.action)


class FirstSteps(VerticalScroll, can_focus=False):
    """Stands where Live's list would: keys, mouse, and every other key of the application work."""

    HELP = "Nothing has come into this store yet. Each of these shows what it would do before it does it."
    BINDINGS: ClassVar[bindings.BindingList] = bindings.FIRST

    def __init__(self, title: str) -> None:
        super().__init__(classes="pane first-steps")
        self._title = title
        self._rows = [WayRow(way) for way in first_run.ways(None)]

    def compose(self) -> ComposeResult:
        """A heading, the ways, and what happens by itself."""
        yield Static(Content.assemble((clean(self._title), "bold")), classes="heading")
        yield from self._rows
        yield Static("What agents do appears here as it happens. esc shows the screens as they are.", classes="foot")

    def on_mount(self) -> None:
        """The keys come here."""
        self.take_focus()

    def tell(self, found: first_run.Found) -> None:
        """What was found on this machine."""
        for row, way in zip(self._rows, first_run.ways(found), strict=True):
            row.tell(way)

    def take_focus(self) -> None:
        """The first way has the keys."""
        self._rows[0].focus()

    def action_step(self, by: int) -> None:
        """To the way below, or above."""
        rows = self._rows
        at = next((index for index, row in enumerate(rows) if row.has_focus), 0)
        rows[max(0, min(at + by, len(rows) - 1))].focus()

    async def action_take(self) -> None:
        """The way that has the focus."""
        row = next((row for row in self._rows if row.has_focus), None)
        if row is not None:
            await row.run_action(row.action)
