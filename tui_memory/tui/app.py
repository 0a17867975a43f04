"""The application: modes, keys, palette, themes; `run` opens it on a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding

from tui_memory import places
from tui_memory.errors import ConfigError
from tui_memory.store import ui_state
from tui_memory.store.ui_state import Kept
from tui_memory.tui import asking, bindings, hangup, heap, keepsake, keymap, rooms, undoing
from tui_memory.tui.commands import Command, Commands
from tui_memory.tui.default_theme import NAME
from tui_memory.tui.wearing import THEMES_AFTER, Wearing, tilde
from tui_memory.tui.widgets.search_box import SearchBox
from tui_memory.tui.widgets.tab_bar import TabBar

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tui_memory.config import Settings
    from tui_memory.engine.memory import Memory
    from tui_memory.store.reach import Reverted

_SAID = {"⏎": "enter", "␣": "space"}


class TuiMemoryApp(Wearing):
    """Live, Memories and Playground over one store."""

    TITLE = "tui-memory"
    CSS_PATH = "app.tcss"
    MODES: ClassVar = {room: rooms.factory(room) for _, room, _ in rooms.ROOMS}
    DEFAULT_MODE = "live"
    BINDINGS: ClassVar[bindings.BindingList] = [*bindings.APP, *bindings.ANYWHERE]
    COMMANDS: ClassVar = {Commands}
    HORIZONTAL_BREAKPOINTS = [(0, "-too-narrow"), (60, "-narrow"), (80, "-normal"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-too-low"), (16, "-high")]  # noqa: RUF012

    def __init__(
        self,
        open_memory: Callable[[], Memory],
        home: Path,
        *,
        theme: str = NAME,
        keys: Mapping[str, str] | None = None,
        store_name: str = "",
        folder: Path | None = None,
        demo: bool = False,
        kept: Kept | None = None,
    ) -> None:
        """`theme`, `keys`: as the settings give them; `folder`: its project is shown first, where there is one.

        `kept`: what was remembered of the screens; the last one is the first on show.
        """
        last = keepsake.screen(kept or Kept(), self.MODES, "live")
        self.DEFAULT_MODE = last  # type: ignore[misc]  # before Textual makes the first stack of screens
        super().__init__(open_memory, home, store_name or tilde(home), folder, demo)
        self.kept = kept or Kept()
        self.animation_level = "none"
        self._trail: list[str] = []
        """The screens that esc goes back to, the last one last."""
        self._wrong = self.begin_wearing(theme)
        good, wrong = keymap.check(keys or {})
        self._wrong += [f"{tilde(places.config_file())}: {sentence}" for sentence in wrong]
        self.own_keys = good
        self.set_keymap(good)

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave, once what is to be remembered of the screens is written."""
        self.keep()
        super().exit(result, return_code, message)

    def get_key_display(self, binding: Binding) -> str:
        """A key as people say it: ctrl+d, enter."""
        shown = super().get_key_display(binding)
        return shown.replace("^", "ctrl+") if len(shown) > 1 else _SAID.get(shown, shown)

    def on_ready(self) -> None:
        """The first frame is on screen: open the store."""
        if self._wrong:
            self.warn("\n".join(self._wrong))
        if self.kept.trouble:
            self.warn(self.kept.trouble, "Screens")
        self.begin()
        self.watch_themes()

    # keys

    def action_room(self, room: str) -> None:
        """Show a screen; where one was sent from is over with that."""
        self._trail.clear()
        if room != self.current_mode:
            self._turn_to(room)

    def jump(self, room: str) -> None:
        """Show a screen because of something on this one: esc there comes back here."""
        here = str(self.current_mode)
        if room == here:
            return
        self._trail = [*self._trail[: self._trail.index(room)]] if room in self._trail else [*self._trail, here]
        self._turn_to(room)

    def go_back(self) -> None:
        """To the screen that one was sent from, as it was left."""
        if self._trail:
            self._turn_to(self._trail.pop())

    def _turn_to(self, room: str) -> None:
        """Leave this screen, and a box of its own before: a box has the keys only where a person just went into it."""
        at = self.room.focused if self.room is not None else None
        if isinstance(at, SearchBox):
            at.post_message(SearchBox.Left(at))
        self.clear_receipts()
        self.switch_mode(room)

    def show_memories(self, *, state: str = "", only: tuple[int, ...] = (), of: str = "") -> None:
        """Memories, listing those of one state, or these alone."""

        def shown(_: object = None) -> None:
            from tui_memory.tui.screens.memories import MemoriesScreen

            if isinstance(self.room, MemoriesScreen):
                if only:
                    self.room.show_only(only, of)
                else:
                    self.room.show_all_of(state)

        self.jump("memories")
        self.call_after_refresh(shown)

    def on_tab_bar_chosen(self, event: TabBar.Chosen) -> None:
        """A tab was clicked."""
        self.action_room(event.room)

    def on_header_bar_project_asked(self) -> None:
        """The project's name was clicked."""
        self.action_pick_project()

    def on_header_bar_signs_asked(self) -> None:
        """A sign was clicked: Health says what it means, and mends it."""
        self.jump("health")

    def action_pick_project(self) -> None:
        """Choose the project that all screens show."""
        from tui_memory.tui.dialogs.pick import Choice, Pick

        def offer(names: list[str]) -> None:
            choices = [Choice("", "all projects"), *(Choice(name, name) for name in names)]
            self.push_screen(Pick("Show the project", choices, self.project), self._picked)

        asking.lead(self, "projects", lambda memory: [project.name for project in memory.projects()], offer)

    def _picked(self, project: str | None) -> None:
        if project is not None and project != self.project:
            self.choose_project(project)

    def action_undo(self) -> None:
        """Take back the last change a person made."""
        undoing.step(self, undoing.undo, partial(self._say, "Took back", "nothing left to take back"))

    def action_redo(self) -> None:
        """Bring back what undo took back."""
        undoing.step(self, undoing.redo, partial(self._say, "Brought back", "nothing to bring back"), again=True)

    def _say(self, done: str, nothing: str, entries: Reverted) -> None:
        for skipped in entries.skipped:
            self.warn(skipped, "Cannot be brought back")
        if not entries:
            self.notify(f"There is {nothing}.", markup=False)
            return
        other = "ctrl+r does it again" if done == "Took back" else "u undoes"
        self.notify(f"{done}: {undoing.named(entries)} · {other}", markup=False)

    def action_refresh_room(self) -> None:
        """Read the screen's rows again; where the store could not be opened, try that again."""
        if not self.is_open:
            self.open_store()
        elif self.room is not None:
            self.room.again()
            self.notify("Read again.", timeout=2, markup=False)

    def action_quit_anywhere(self) -> None:
        """Leave, out of a dialog too."""
        from tui_memory.tui.dialogs.confirm import leave_all

        leave_all(self)

    def action_help(self) -> None:
        """What the focused part does, and the keys that work now."""
        from tui_memory.tui.dialogs.help import Help

        if not isinstance(self.screen, Help):
            self.push_screen(Help.of(self.screen))

    def commands(self) -> Iterator[Command]:
        """What the palette offers everywhere."""
        for number, room, title in rooms.ROOMS:
            if room != self.current_mode:
                yield Command(f"go: {title}", f"the key {number}", partial(self.action_room, room))
        yield Command("view: Choose project", "the key P", self.action_pick_project)
        yield Command("view: Refresh", "read everything on this screen again", self.action_refresh_room)
        yield Command("change: Undo", "take back the last change a person made", self.action_undo)
        yield Command("change: Redo", "bring back what undo took back", self.action_redo)
        yield from self.starting_commands()
        yield Command("help: Keys", "what the focused part does, and its keys", self.action_help)
        yield from self.theme_commands()
        yield Command("app: Quit", "leave; nothing is lost", self.exit)


def _settings() -> tuple[Settings | None, str]:
    """The settings, None where there is no file to read; and what is wrong with them, for a toast."""
    if not places.config_file().is_file():
        return None, ""
    from tui_memory import config  # 35 ms with YAML: paid only where there is something to read

    try:
        return config.load(), ""
    except ConfigError as error:
        return config.UNREADABLE, f"{error.message} Defaults are used."


def _by_rules(settings: Settings | None) -> Settings:
    """The settings of a demonstration: its sample is compressed by the rules alone, so no model is missing."""
    from tui_memory import config

    given = settings or config.Settings()
    return replace(given, compress=replace(given.compress, routes=("extractive",)))


def run(home: Path, *, demo: bool = False) -> int:
    """Open the application on a store and return its exit code; `demo`: the store is a throw-away one."""
    heap.start_quickly()
    settings, wrong = _settings()

    def open_memory() -> Memory:
        from tui_memory.engine.memory import Memory

        memory = Memory(home, embedding="worker", settings=_by_rules(settings) if demo else settings)
        memory.store.data_version()  # opens it here and now, so that what is wrong with it is said at once
        return memory

    app = TuiMemoryApp(
        open_memory,
        home,
        theme=settings.ui.theme if settings else NAME,
        keys=settings.ui.keys if settings else None,
        store_name="sample data in a throw-away store" if demo else "",
        folder=None if demo else Path.cwd(),
        demo=demo,
        kept=None if demo else ui_state.read(home),
    )
    if wrong:
        app.call_later(app.warn, wrong)
    app.call_later(app.set_timer, THEMES_AFTER, heap.hold_still)
    app.call_later(app.set_interval, heap.GIVE_BACK_EVERY, heap.give_back)
    hangup.watch(partial(app.call_from_thread, app.exit))
    app.run()
    return app.return_code or 0
