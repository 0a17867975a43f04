"""What every screen has: header, tabs, body, hints; a say when the store opens or changes; a floor for its size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tui_memory.errors import TuiMemoryError
from tui_memory.safetext import one_line
from tui_memory.tui import keepsake
from tui_memory.tui import sample as samples
from tui_memory.tui.commands import Command
from tui_memory.tui.floor import HEIGHT, WIDTH
from tui_memory.tui.rooms import ROOMS
from tui_memory.tui.widgets import empty
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.header import HeaderBar
from tui_memory.tui.widgets.hint_bar import HintBar
from tui_memory.tui.widgets.record_list import RecordList
from tui_memory.tui.widgets.tab_bar import TabBar

if TYPE_CHECKING:
    from tui_memory.tui.app import TuiMemoryApp


TOO_SMALL = f"needs {WIDTH}×{HEIGHT}"
SIDE = (20, 70)
"""The least and the most, in per cent, that the pane beside the list takes."""
ON_A_ROW = frozenset({"open", "mark", "range", "mark_all"})
"""What every list does with its row."""


class Room(Screen[None]):
    """Base of the screens; a subclass gives `ROOM`, `body`, `begin`, `renew`, `cannot`."""

    ROOM: ClassVar[str] = ""
    stale = False
    """The store changed while another screen was shown."""
    begun = recalled = False
    side_share: int | None = None
    """Per cent of the width for the pane beside the list, where a person chose."""

    def __init__(self) -> None:
        super().__init__()
        # Nothing of a new screen is styled yet; Textual 8.2 would parse and apply all styles twice (20 ms).
        self._css_update_count = self.app._css_update_count

    @property
    def host(self) -> TuiMemoryApp:
        """The application, by its own type."""
        return cast("TuiMemoryApp", self.app)

    def compose(self) -> ComposeResult:
        """The frame around the body."""
        self._fit_first()
        yield HeaderBar()
        yield TabBar(ROOMS, self.ROOM)
        yield Horizontal(*self.body(), id="body")
        yield HintBar()
        yield Static(self._too_small(), id="too-small", markup=False)

    def _fit_first(self) -> None:
        """Wear the classes of this width and height before the first layout: after it, all is laid out twice."""
        width, height = self.app.size
        wide = self._get_breakpoint_classes(width, self.app.HORIZONTAL_BREAKPOINTS or [])
        high = self._get_breakpoint_classes(height, self.app.VERTICAL_BREAKPOINTS or [])
        self.add_class(*wide, *high, update=False)

    def on_mount(self) -> None:
        """Follow the application's state; begin where the store is open."""
        self.watch(self.app, "status", self._show_state)
        self.watch(self.app, "project", self._show_state)
        self.watch(self.app, "sample", self._show_sample)
        self.watch(self.app, "doing", self._show_doing)
        self.host.settle_room(self)

    def _show_state(self) -> None:
        header = self.query_one(HeaderBar)
        header.status, header.project, header.store = (
            self.host.status,
            self.host.project,
            self.host.store_name,
        )
        self.query_one(TabBar).waiting = {"audit": self.host.status.cases}
        self._say_again()

    def _show_sample(self) -> None:
        self.query_one(HeaderBar).sample = self.host.sample
        for listing in self.query(RecordList):
            listing.watching = self.host.sample.busy  # nobody has anything to do with the first rows yet
        self._say_again()

    def _say_again(self) -> None:
        """What lists that hold nothing say depends on what is known of the store."""
        for listing in self.query(RecordList):
            listing.say_again()

    def _show_doing(self) -> None:
        self.query_one(HeaderBar).doing = self.host.doing

    def first_run(self) -> empty.Notice:
        """What a list says that has nothing because the store has nothing."""
        if self.host.demo:
            return samples.notice(self.host.sample)
        return empty.nothing_of(self.host.project) if self.host.project else empty.first_run()

    def no_events(self) -> empty.Notice:
        """What a list of events says that has none, of a store that may hold memories."""
        known = self.host.status.memories and not self.host.sample.sentence
        return empty.no_events() if known else self.first_run()

    def on_screen_resume(self) -> None:
        """Shown again: catch up with what changed meanwhile, or begin anew where another project was chosen."""
        if self.is_mounted and not self.begun and self.recalled:
            self.stale = False
            self.host.settle_room(self)
        elif self.stale and self.begun:
            self.stale = False
            self.renew()

    def say_trouble(self, error: TuiMemoryError | None) -> None:
        """Where there is no room for rows, say at least that the store cannot be opened."""
        said = f"{TOO_SMALL} · ✗ {one_line(error.title, 60)}\n{one_line(error.message, 300)}" if error else ""
        self.query_one("#too-small", Static).update(Content(said or self._too_small()))

    def _too_small(self) -> str:
        leave, helps = (self.host.keys_of(f"app.{name}") for name in ("quit", "help"))
        return f"{TOO_SMALL}\n{leave} leaves · {helps} helps"

    # what is remembered from run to run

    def keepsake(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Choices, and texts that a person typed or picked, as JSON values."""
        return ({} if self.side_share is None else {"side": self.side_share}), {}

    def recall(self, plain: dict[str, Any], texts: dict[str, Any]) -> None:
        """What was kept, before the first rows are asked for."""
        self._widen(keepsake.number(plain, "side", *SIDE))

    def forget_texts(self) -> None:
        """A purge went over what is kept: what it forgot must not be kept again."""

    # what a key can do now

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why an action can do nothing now, as a sentence; '' where it can."""
        at = self.focused
        if action in ON_A_ROW and isinstance(at, RecordList) and at.record is None:
            return "There is no row here. Nothing was changed."
        if action == "wider":
            return self._unmoved(int(str(parameters[0])))
        return ""

    def _unmoved(self, step: int) -> str:
        """Why the pane beside the list cannot be made wider, or narrower."""
        now = self._side_now()
        if now is None:
            return "There is no pane beside the list to make wider or narrower."
        if now == max(SIDE[0], min(now + step, SIDE[1])):
            return f"The pane is as {'wide' if step > 0 else 'narrow'} as it gets."
        return ""

    def _side_now(self) -> int | None:
        """Per cent of the width that the pane beside the list has; None where none is on show."""
        side = next((side for side in self.query(".side") if side.region.width), None)
        return (self.side_share or round(100 * side.region.width / max(self.size.width, 1))) if side else None

    def action_wider(self, step: int) -> None:
        """The pane beside the list wider, or narrower."""
        now = self._side_now()
        if now is not None:
            self._widen(max(SIDE[0], min(now + step, SIDE[1])))

    def _widen(self, share: int | None) -> None:
        if share is not None:
            self.side_share = share
            for side in self.query(".side"):
                side.styles.width = f"{share}%"

    def start(self) -> None:
        """The store is open: ask for the first rows, once."""
        if not self.begun and not self.recalled:
            self.recalled = True
            kept = self.host.kept
            self.recall(kept.plain.get(self.ROOM, {}), kept.texts.get(self.ROOM, {}))
        self.begun = True
        third = self.third()
        if third is not None and not third.is_attached:
            self.query_one("#body").mount(third, before=0)
        self.begin()

    def body(self) -> Iterable[Widget]:
        """The panes between tabs and hints."""
        return ()

    def third(self) -> Widget | None:
        """The pane of wide screens, made with the body and mounted when the store opens: the first paint is sooner."""
        return None

    def begin(self) -> None:
        """Ask for what is to be shown: at first, or of another project."""

    def forget_rows(self) -> None:
        """Another project is chosen: nothing of the one before is shown under its name, until rows of it come."""
        for listing in self.query("#list").results(RecordList):
            listing.forget()
        for detail in self.query("Detail.side").results(Detail):
            detail.show(Content(""))

    def renew(self) -> None:
        """The store changed: read again, and keep the place."""

    def again(self) -> None:
        """A person wants everything read again, now."""
        self.renew()

    def cannot(self, error: TuiMemoryError) -> None:
        """The store cannot be opened: say so where rows would be."""

    def commands(self) -> Iterator[Command]:
        """What the palette offers here."""
        return iter(())
