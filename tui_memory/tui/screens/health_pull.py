"""A model that is being fetched: in a thread that nothing waits for, so that neither a key nor leaving is held up."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tui_memory.errors import ModelError, TuiMemoryError
from tui_memory.tui import asking
from tui_memory.tui.screens.room import Room

if TYPE_CHECKING:
    from tui_memory.compress.pulling import Pulled

BEAT = 0.25
"""Seconds between two words on how far it is: Ollama tells of every part that comes in."""


class HealthPull(Room):
    """One model at a time; stopping keeps what was fetched, with Ollama."""

    pulling: tuple[str, Pulled | None] | None = None
    """The model that is being fetched, and how far it is."""
    _stopped: threading.Event | None = None

    def told_of_pull(self) -> None:
        """Show how far it is."""

    def forget_installed(self) -> None:
        """What Ollama has may be another."""

    def look(self) -> None:
        """Read everything again."""

    def pull(self, name: str) -> None:
        """Fetch a model; where it is being fetched, stop that."""
        if self.pulling is not None:
            self.stop_pull() if self.pulling[0] == name else self.notify(
                f"{self.pulling[0]} is being fetched.", markup=False
            )
            return
        self.pulling, self._stopped = (name, None), threading.Event()
        self.told_of_pull()
        threading.Thread(target=self._fetch, args=(name, self._stopped), name="tui-memory-pull", daemon=True).start()

    def stop_pull(self) -> None:
        """Stop at Ollama's next word; here it is over now."""
        if self.pulling is not None and self._stopped is not None:
            self._stopped.set()
            said = f"{self.pulling[0]} is not fetched any further. Ollama keeps what it has: enter goes on from there."
            self._ended(self._stopped, said)

    def on_unmount(self) -> None:
        """The application closes."""
        if self._stopped is not None:
            self._stopped.set()

    def _fetch(self, name: str, stopped: threading.Event) -> None:
        told = 0.0

        def on_progress(pulled: Pulled) -> None:
            nonlocal told
            if stopped.is_set():
                raise ModelError("Stopped.")
            if time.monotonic() - told >= BEAT:
                told = time.monotonic()
                self.call_later(self._progressed, name, pulled, stopped)

        host = asking.host(self)
        try:
            host.opened.result().observing.pull(name, on_progress)
        except TuiMemoryError as error:
            outcome: TuiMemoryError | str = error
        except Exception as error:  # a defect: said and logged, and the application goes on
            outcome = host.unforeseen(error)
        else:
            outcome = f"{name} is here. The next turns are compressed with it."
        if not stopped.is_set():
            self.call_later(self._ended, stopped, outcome)

    def _progressed(self, name: str, pulled: Pulled, of: threading.Event) -> None:
        if self._stopped is of:
            self.pulling = (name, pulled)
            self.told_of_pull()

    def _ended(self, of: threading.Event, outcome: TuiMemoryError | str) -> None:
        if self._stopped is not of:
            return
        self.pulling = self._stopped = None
        if isinstance(outcome, TuiMemoryError):
            self.host.report(outcome)
        else:
            self.notify(outcome, markup=False)
        self.told_of_pull()
        self.forget_installed()
        self.look()
