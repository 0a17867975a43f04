"""The mends that Health runs itself: safe ones on what is ours; each says what it did."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tui_memory.tui import asking, formats
from tui_memory.tui.screens.health_install import HealthInstall
from tui_memory.tui.screens.health_pull import HealthPull
from tui_memory.tui.screens.health_rows import Line
from tui_memory.tui.widgets.record_list import RecordList

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


class HealthDeeds(HealthPull, HealthInstall):
    """Each deed is a function of the engine that gives the sentence of its toast; none runs in a key's handler."""

    listing: RecordList[Line]
    rows: Sequence[Line] = ()
    busy = ""
    """The deed that runs now."""

    def look(self) -> None:
        """Read everything again."""

    def forget_installed(self) -> None:
        """Agents' settings may have changed."""

    def mend(self, row: Line) -> None:
        """Do what enter promises on a row."""
        name, _, of = row.deed.partition(":")
        if row.deed == "held" or name == "state":
            self._list_memories(of or "held")
        elif name == "pull":
            self.pull(of)
        elif name == "install":
            self.install(of)
        else:
            self.do(name, of)

    def do(self, name: str, of: str = "") -> None:
        """Run one deed in a thread, and look again when it is done."""
        if self.busy:
            self.notify(f"{self.busy} is still at work.", markup=False)
            return
        self.busy = BUSY[name]
        self.notify(f"{BUSY[name]}…", markup=False, timeout=3)
        asking.ask(self, "mend", partial(DEEDS[name], of), self._done, failed=self._not_done)

    def _done(self, said: str) -> None:
        self.busy = ""
        self.notify(said, markup=False)
        self.forget_installed()
        self.look()

    def _not_done(self, error: Exception) -> None:
        self.busy = ""
        self.host.report(error)  # type: ignore[arg-type]
        self.look()

    def _list_memories(self, state: str) -> None:
        self.host.show_memories(state=state)

    def next_section(self, step: int) -> int | None:
        """The row of the next head, or of the one before; None where there is none."""
        heads = [index for index, row in enumerate(self.rows) if row.head]
        here = self.listing.cursor
        later = [index for index in heads if index > here] if step > 0 else [i for i in reversed(heads) if i + 1 < here]
        return later[0] if later else None

    def refusal(self, action: str, parameters: tuple[object, ...]) -> str:
        """There may be no section to go to, and no command to copy."""
        if action == "section" and self.next_section(int(str(parameters[0]))) is None:
            return f"There is no section {'after' if parameters[0] == 1 else 'before'} this one."
        row = self.listing.record
        if action == "copy" and (row is None or not row.command):
            return "This row has no command to copy."
        return super().refusal(action, parameters)

    def action_leave(self) -> None:
        """Back to the screen that one was sent from."""
        self.host.go_back()

    def action_integrity(self) -> None:
        """Read every page of the store."""
        self.do("integrity")

    def action_copy(self) -> None:
        """Copy the row's command to the terminal's clipboard."""
        row = self.listing.record
        if row is not None and row.command:
            self.app.copy_to_clipboard(row.command)
            self.notify(f"Copied: {row.command}", markup=False)


def _start(_of: str, memory: Memory) -> str:
    status = memory.start_worker()
    return f"The worker runs (pid {status.get('pid')})."


def _drain(_of: str, memory: Memory) -> str:
    left = memory.observing.drain()
    return f"{_waiting(left)}: see queue." if left else "The queue is empty; all is embedded."


def _retry(_of: str, memory: Memory) -> str:
    again = memory.observing.retry()
    left = memory.observing.drain()
    return f"{formats.count(again, 'turn')} tried again; {_waiting(left)}."


def _waiting(turns: int) -> str:
    return f"{formats.count(turns, 'turn')} still wait{'s' if turns == 1 else ''}"


def _resume(_of: str, memory: Memory) -> str:
    for project in memory.paused():
        memory.resume(project or None)
    return "Capture is on again."


def _private(_of: str, memory: Memory) -> str:
    os.chmod(memory.home, 0o700)
    return "The store's folder is yours alone now."


def _integrity(_of: str, memory: Memory) -> str:
    verdict = memory.observing.integrity()
    if verdict == "ok":
        return "Every page of the store was read: it is sound."
    return f"The store is damaged: {formats.short(verdict, 200)} Nothing was changed; see its receipt."


def _fire(agent: str, memory: Memory) -> str:
    from tui_memory.surfaces.install import found

    answer = memory.doctor(fire=agent, installed=found.installed())
    fired = next((check for check in answer["checks"] if check["id"] == f"fire:{agent}"), None)
    return formats.short(str(fired["what"]), 300) if fired else f"{agent} was not fired."


DEEDS: dict[str, Callable[[str, Memory], str]] = {
    "start": _start,
    "drain": _drain,
    "retry": _retry,
    "resume": _resume,
    "private": _private,
    "integrity": _integrity,
    "fire": _fire,
}
BUSY = {
    "start": "Starting the worker",
    "drain": "Emptying the queue",
    "retry": "Trying failed turns again",
    "resume": "Resuming capture",
    "private": "Making the folder private",
    "integrity": "Reading every page of the store",
    "fire": "Sending an event through the hook",
}
