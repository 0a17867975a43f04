"""The half of the application that has a store: opens it in a thread, follows it, says what goes wrong with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.actions import ActionParseResult, parse
from textual.dom import DOMNode
from textual.notifications import Notify
from textual.reactive import var
from textual.screen import Screen

from tui_memory import places
from tui_memory.errors import TuiMemoryError
from tui_memory.model import Filters
from tui_memory.safetext import clean
from tui_memory.store.faults import explain
from tui_memory.store.ui_state import Kept
from tui_memory.tui import asking, bindings, crash, feed, formats, keepsake
from tui_memory.tui import sample as samples
from tui_memory.tui import status as state
from tui_memory.tui.floor import BLIND, Floor
from tui_memory.tui.screens.room import Room

if TYPE_CHECKING:
    from tui_memory.engine.demo import Watched
    from tui_memory.engine.memory import Memory

LOOK_EVERY = 3.0
"""Seconds between two looks at the worker; it can start and leave without a commit."""
STATUS_AFTER = 0.5
"""Seconds from a change to new counts in the header; changes in between share one."""


SHARE = 10
"""They are read again after so many times as long as reading took: a large store is not counted all day."""
STATUS_FIRST, WORKER_AFTER = 0.1, 0.4
"""Seconds after opening: the first rows go before the header's counts, and both before the worker's start."""


KEEP_EVERY = 5.0
"""Seconds between two looks whether there is something new to remember of the screens."""
MOST_TOASTS = 3
SAMPLE_EVERY = 0.5
"""Seconds between two looks at a sample that is being made."""


class StoreApp(Floor):
    """`open_memory` is called in a thread and may raise; screens begin when it has returned."""

    status: var[state.Status] = var(state.Status)
    project: var[str] = var("")
    """The project that all screens show; empty: every project."""
    sample: var[samples.Sample] = var(samples.Sample)
    """How the sample of a demonstration stands."""
    doing: var[str] = var("")
    """Work that goes on for a while, for the header; empty: none."""

    def __init__(
        self, open_memory: Callable[[], Memory], home: Path, store_name: str, folder: Path | None, demo: bool = False
    ) -> None:
        super().__init__()
        self.demo = demo
        self.kept = Kept()
        self._unkept: frozenset[str] = frozenset()
        """What was remembered when this began, and then what was written last."""
        self.trouble: TuiMemoryError | None = None
        """Why the store cannot be opened."""
        self._began, self._worker_asked = 0.0, False
        self._open_memory, self._home, self._folder = open_memory, home, folder
        self.store_name = store_name
        self.opened: Future[Memory] = Future()
        self.changes = ThreadPoolExecutor(1, "tui-memory-changes")
        self._feed = feed.Feed(self, self.opened)
        self._status_due = False
        self._status_took = 0.0
        self.own_keys: Mapping[str, str] = {}
        """A person's keys, by the bindings' ids."""

    def keys_of(self, identity: str) -> str:
        """The key of a binding as it is now, the way people say it."""
        binding = bindings.table()[identity]
        key = self.own_keys.get(identity, binding.key).partition(",")[0]
        return self.get_key_display(replace(binding, key=key))

    def blind_keys(self) -> dict[str, str]:
        """Those that leave, help and read again, as they are now."""
        keys = {identity: self.own_keys.get(identity, bindings.table()[identity].key) for identity in BLIND}
        return {key: BLIND[identity] for identity, several in keys.items() for key in several.split(",")}

    @property
    def is_open(self) -> bool:
        """Whether the store can be asked."""
        return self.opened.done() and self.opened.exception() is None

    def begin(self) -> None:
        """Open the store, and follow it from then on."""
        self.open_store()
        self._feed.start()
        self.set_interval(LOOK_EVERY, self._look_at_worker)
        self.set_interval(KEEP_EVERY, self.keep)

    def open_store(self) -> None:
        """Try to open the store in a thread; again where it failed before."""
        self.run_worker(self._open, thread=True, group="open", description="open", exit_on_error=False)

    def _open(self) -> None:
        try:
            memory = self._open_memory()
            shown = _known(memory, self._folder) if self._folder else ""
        except TuiMemoryError as error:
            self.call_later(self._settle, error)
        except Exception as error:  # a defect: said and logged, and the application stays usable
            self.call_later(self._settle, self.unforeseen(error))
        else:
            self.call_later(self._settle, memory, shown)

    def _settle(self, outcome: Memory | TuiMemoryError, project: str = "") -> None:
        self.trouble = outcome if isinstance(outcome, TuiMemoryError) else None
        if isinstance(outcome, TuiMemoryError):
            for room in self._rooms():
                self.settle_room(room)
            return
        self.project, self._began = project, formats.monotonic()
        self.opened.set_result(outcome)
        if self.demo:
            self._look_at_sample()
        for room in self._rooms():
            self.settle_room(room)
        self.set_timer(STATUS_FIRST, self._read_status)
        self.set_timer(WORKER_AFTER, self._start_worker)

    def _start_worker(self) -> None:
        folder = self._folder
        if folder is not None and not self.project:
            asking.ask(self, "project", lambda memory: _sought(memory, folder), self._found_project)
        asking.ask(self, "worker", lambda memory: memory.start_worker(), self._started, failed=self._not_started)

    def _started(self, worker: dict[str, Any]) -> None:
        self._worker_asked = True
        self.status = state.with_worker(self.status, worker)

    def _not_started(self, error: TuiMemoryError) -> None:
        self._worker_asked = True
        self.status = state.with_worker(self.status, {"running": False, "error": error.message})
        self.report(error)

    def _look_at_sample(self) -> None:
        asking.ask(self, "sample", lambda memory: memory.observing.demo(), self._judge_sample)

    def _judge_sample(self, seen: Watched | None) -> None:
        before, self.sample = self.sample, samples.judge(seen, formats.monotonic() - self._began)
        if self.sample.ready and before.busy:
            asking.ask(self, "sample", samples.made, lambda said: self.notify(said, timeout=8, markup=False))
        elif self.sample.died and not before.died:
            self.notify(" ".join(samples.DIED[:2]), title="The sample", severity="error", timeout=12, markup=False)
        elif self.sample.busy:
            self.set_timer(SAMPLE_EVERY, self._look_at_sample)

    def _found_project(self, project: str) -> None:
        if project and not self.project:
            self.choose_project(project)

    def settle_room(self, room: Room) -> None:
        """Let a screen begin where the store is open, or say why it cannot be."""
        room.say_trouble(self.trouble)
        if self.is_open and not room.begun:
            room.start()
        elif self.trouble is not None:
            room.cannot(self.trouble)

    # what is remembered of the screens

    def keep(self) -> None:
        """Write what is to be remembered, where it is another than what was written last."""
        if self.is_open and not self.demo:
            now = keepsake.gather(self.kept, self.own_keepsake(), self._rooms(), self._unkept)
            if now != self.kept:
                self.kept = now
                asking.change(self, lambda memory: memory.observing.remember(now), self._keep_what_stands)

    def own_keepsake(self) -> dict[str, Any]:
        """What the application remembers of itself beside its screens."""
        return {"screen": str(self.current_mode)}

    def _keep_what_stands(self, there: Kept) -> None:
        """A purge may have gone over it meanwhile."""
        if there.purged != self.kept.purged:
            self.kept = there
            for room in self._rooms():
                self._unkept |= {text for text in keepsake.strings(room.keepsake()[1]) if text}
                room.forget_texts()

    def _rooms(self) -> list[Room]:
        stacks = [screen for stack in self._screen_stacks.values() for screen in stack]
        return [screen for screen in stacks if isinstance(screen, Room) and screen.is_mounted]

    def choose_project(self, project: str) -> None:
        """Show another project on every screen; empty: all."""
        self.project = project
        for room in self._rooms():
            room.begun = False
            room.forget_rows()
        if self.room is not None:
            self.settle_room(self.room)
        self._read_status()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do what a key, a click or a command asks; where it can do nothing now, say why."""
        _, name, parameters = parse(action) if isinstance(action, str) else action
        if why := self.refusal(name, parameters):
            self.notify(clean(why), markup=False)
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why an action can do nothing now, as a sentence; '' where it can, and in dialogs."""
        return self.screen.refusal(action, parameters) if isinstance(self.screen, Room) else ""

    @property
    def room(self) -> Room | None:
        """The screen of the mode on show, under whatever dialog."""
        stack = self.screen_stack  # empty while the application closes
        bottom: Screen[object] | None = stack[0] if stack else None
        return bottom if isinstance(bottom, Room) else None

    def on_changes_seen(self) -> None:
        """Somebody committed: the screen on show reads again, the others when they are next shown."""
        for room in self._rooms():
            if room is self.room and room.begun:
                room.renew()
            else:
                room.stale = True
        if not self._status_due:
            self._status_due = True
            self.set_timer(max(STATUS_AFTER, SHARE * self._status_took), self._read_status)

    def _read_status(self) -> None:
        self._status_due = False
        project, starting, began = self.project or None, not self._worker_asked, time.monotonic()

        def answered(value: state.Status) -> None:
            self.status, self._status_took = value, time.monotonic() - began

        asking.ask(self, "status", lambda memory: state.read(memory, project, starting), answered)

    def _look_at_worker(self) -> None:
        if self.is_open:
            asking.ask(self, "look", state.worker, self._set_worker)

    def _set_worker(self, worker: Mapping[str, Any]) -> None:
        self.status = state.with_worker(self.status, worker, starting=not self._worker_asked)

    async def on_unmount(self) -> None:
        """Finish the changes that were asked for, then close."""
        self._feed.stop()
        self.changes.shutdown(wait=True)
        if self.is_open:
            self.opened.result().close()

    def report(self, error: TuiMemoryError) -> None:
        """A toast with the error's own words."""
        self.notify(clean(error.message), title=clean(error.title), severity="error", timeout=8, markup=False)

    def warn(self, sentence: str, title: str = "Settings") -> None:
        """A toast about a setting that is left out."""
        self.notify(clean(sentence), title=title, severity="warning", timeout=10, markup=False)

    def on_notify(self, event: Notify) -> None:
        """A newer toast takes the place of what it makes old: Textual piles them up to half a screen."""
        kept = []
        for old in list(self._notifications):
            same = old.message == event.notification.message and old.title == event.notification.title
            if same or old.severity == event.notification.severity == "information":
                self._unnotify(old, refresh=False)
            else:
                kept.append(old)
        for old in kept[: 1 - MOST_TOASTS]:
            self._unnotify(old, refresh=False)

    def clear_receipts(self) -> None:
        """What was said of the screen that is left is over with it; what went wrong stays its time."""
        for old in [one for one in self._notifications if one.severity == "information"]:
            self._unnotify(old)

    def unforeseen(self, error: Exception) -> TuiMemoryError:
        """An error nobody raised on purpose, in words; logged unless it is the store's. May be called in a thread."""
        if known := explain(error, places.database(self._home)):
            return known
        return TuiMemoryError(crash.sentence(error, crash.record(error, self._home)))

    def _fatal_error(self) -> None:
        """Leave with one sentence: Textual's own traceback would print local variables, and with them text."""
        from rich.text import Text

        error = self._exception or RuntimeError()
        sentence = crash.sentence(error, crash.record(error, self._home))
        self._exit_renderables.append(Text(clean(sentence)))
        self._close_messages_no_wait()


def _known(memory: Memory, folder: Path) -> str:
    """The project whose folder this is in, by the store alone and where it holds something; empty: all. Blocks."""
    under = [project for project in memory.projects() if project.root and folder.is_relative_to(project.root)]
    return _held(memory, max(under, key=lambda project: len(project.root)).name) if under else ""


def _sought(memory: Memory, folder: Path) -> str:
    """The same by git: another clone or worktree of a project that the store knows. Blocks, for processes."""
    found = memory.project_of(folder)
    return _held(memory, found.name) if found else ""


def _held(memory: Memory, project: str) -> str:
    return project if memory.count(Filters(project=project), state="all") else ""
