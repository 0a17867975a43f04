"""The bridge from the store to the screen: watches for commits of any process, says so at most ten times a second."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from textual.message import Message

from tui_memory.errors import TuiMemoryError

if TYPE_CHECKING:
    from textual.app import App

    from tui_memory.engine.memory import Memory

BEAT, STOP = 0.1, 2.0
"""Seconds between two looks at the store: one PRAGMA each."""


class ChangesSeen(Message):
    """Something was committed to the store since the last one of these."""

    def can_replace(self, message: Message) -> bool:
        """One is as good as many."""
        return isinstance(message, ChangesSeen)


class Feed:
    """A thread of its own, so that the pool of askers stays free; it ends with the application."""

    def __init__(self, app: App[None], opened: Future[Memory]) -> None:
        self._app, self._opened = app, opened
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="tui-memory-feed", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End it: once this returns it asks nothing more, so that the store can be closed."""
        self._stopped.set()
        if self._thread.is_alive() and self._opened.done():
            self._thread.join(STOP)

    def _watch(self) -> None:
        try:
            memory = self._opened.result()
        except TuiMemoryError:  # said on screen by whoever asks for rows
            return
        last: tuple[int, int] | None = None
        while not self._stopped.wait(BEAT):
            try:
                stamp = memory.change_stamp()
            except TuiMemoryError:  # busy or gone for a moment; the rows' own question says it if it lasts
                continue
            if last is not None and stamp != last:
                self._app.post_message(ChangesSeen())
            last = stamp
