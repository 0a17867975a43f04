"""Configurations that run, one after the other, in a thread that nothing waits for; each can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tui_memory.errors import TuiMemoryError
from tui_memory.safetext import one_line
from tui_memory.tui import asking, formats
from tui_memory.tui.screens.lab_look import Run
from tui_memory.tui.screens.room import Room

if TYPE_CHECKING:
    from tui_memory.compress.keeping import Kept
    from tui_memory.engine.lab import Column


class LabRuns(Room):
    """`runs` are the columns; `told_of_run` draws one."""

    runs: list[Run]
    _cancel: threading.Event | None = None
    """Set, it ends the column at work."""
    _flight = 0
    """Which start the thread belongs to: a newer one makes its word void."""

    @property
    def at_work(self) -> bool:
        """Whether a column runs or waits."""
        return any(run.state in ("waiting", "running") for run in self.runs)

    def told_of_run(self, run: Run) -> None:
        """Draw a column anew."""

    def launch(self, ids: Sequence[int], runs: Sequence[Run], then: Callable[[Run], None] | None = None) -> None:
        """Run configurations over observations; `then` is called with each that is done."""
        self._flight += 1
        flight, self._cancel = self._flight, threading.Event()
        body = partial(self._run_all, flight, list(ids), list(runs), then)
        threading.Thread(target=body, name="tui-memory-lab", daemon=True).start()

    def cancel_run(self) -> bool:
        """End the column at work: whether there was one."""
        if self._cancel is None or not self.at_work:
            return False
        self._cancel.set()
        return True

    def drop_runs(self) -> None:
        """End everything; nobody hears of it any more."""
        self._flight += 1
        if self._cancel is not None:
            self._cancel.set()

    def on_unmount(self) -> None:
        """The application closes."""
        self.drop_runs()

    def _run_all(self, flight: int, ids: list[int], runs: list[Run], then: Callable[[Run], None] | None) -> None:
        for run in runs:
            if flight != self._flight:
                return
            cancel = self._cancel = threading.Event()
            self.call_later(self._changed, flight, run, "running", None, "")
            column, trouble = self._run(flight, ids, run, cancel)
            state = "failed" if trouble else "cancelled" if column and column.cancelled else "done"
            if column and not trouble and column.failures and not column.made:
                state = "failed"
            self.call_later(self._changed, flight, run, state, column, trouble)
            if then and state == "done":
                self.call_later(then, run)

    def _run(self, flight: int, ids: list[int], run: Run, cancel: threading.Event) -> tuple[Column | None, str]:
        host = asking.host(self)

        def far(_name: str, done: int, total: int) -> None:
            self.call_later(self._far, flight, run, done, total)

        try:
            lab = host.opened.result().compressing.lab()
            return lab.run(ids, [run.name], on_progress=far, cancelled=cancel.is_set)[0], ""
        except TuiMemoryError as error:
            return None, error.message
        except Exception as error:  # a defect: said and logged, and the application goes on
            return None, host.unforeseen(error).message

    def _far(self, flight: int, run: Run, done: int, total: int) -> None:
        if flight == self._flight:
            run.done, run.total = done, total
            self.told_of_run(run)

    def _changed(self, flight: int, run: Run, state: str, column: Column | None, trouble: str) -> None:
        if flight == self._flight:
            run.state, run.column, run.trouble = state, column, trouble
            self.told_of_run(run)

    def adopt(self, run: Run, action: str = "adopt") -> None:
        """Store what a configuration made, as one change that undo takes back."""
        column = run.column
        if column is None or not column.made:
            self.notify("There is nothing to adopt in this column.", markup=False)
            return
        asking.change(
            self,
            lambda memory: memory.compressing.lab().adopt(column, action=action),
            partial(self._adopted, run),
        )

    def _adopted(self, run: Run, kept: Kept) -> None:
        if not kept.changed:
            said = "what it made is there already, or is what you wrote yourself."
            self.notify(f"Nothing was changed by {one_line(run.name, 60)}: {said}", markup=False)
            return
        run.state = "adopted"
        self.told_of_run(run)
        renewed = formats.count(len(kept.renewed), "memory has a new version", "memories have a new version")
        self.notify(f"Adopted {one_line(run.name, 60)}: {renewed}, {len(kept.added):,} new · u undoes", markup=False)
