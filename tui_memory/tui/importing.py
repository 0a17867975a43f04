"""Agents' past sessions into the store: counted first, asked about, then read while every key works; it can be stopped.

A thread of its own does it, because leaving has to wait for it: what it stores is committed piece by piece.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tui_memory.errors import TuiMemoryError
from tui_memory.safetext import one_line
from tui_memory.tui import formats

if TYPE_CHECKING:
    from tui_memory.engine.import_report import Progress, TranscriptReport
    from tui_memory.tui.store_app import StoreApp

BEAT = 0.25
"""Seconds between two words on how far it is."""
TIMES = 4
"""Reading and storing takes so many times as long as counting did (measured on a machine with two cores)."""
LEAVE_WITHIN = 10.0
"""Seconds that leaving waits for the observation or the turn at hand."""


class Import:
    """One at a time. `tell` is called with the header's words, empty where nothing is going on."""

    def __init__(self, app: StoreApp, tell: Callable[[str], object], done: Callable[[], object]) -> None:
        """`done` is called once something was stored."""
        self._app, self._tell, self._done = app, tell, done
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self.report = ""
        """What the last one did, in full."""

    @property
    def busy(self) -> bool:
        """Whether something is being counted or read."""
        return self._thread is not None

    def begin(self) -> None:
        """Count what would be stored, and ask."""
        if self.busy:
            self._app.notify("Past sessions are being read already.", markup=False)
            return
        self._start(dry_run=True)

    def stop(self) -> None:
        """Stop at the next observation."""
        if self.busy:
            self._stopped.set()

    def close(self) -> None:
        """The application leaves: stop, and wait until nothing is written any more."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(LEAVE_WITHIN)

    def _start(self, *, dry_run: bool) -> None:
        self._stopped = threading.Event()
        self._tell(_going(None, dry_run))
        self._thread = threading.Thread(
            target=self._run, args=(dry_run, self._stopped), name="tui-memory-import", daemon=True
        )
        self._thread.start()

    def _run(self, dry_run: bool, stopped: threading.Event) -> None:
        began = told = time.monotonic()

        def on_progress(now: Progress) -> None:
            nonlocal told
            if time.monotonic() - told >= BEAT:
                told = time.monotonic()
                self._app.call_later(self._tell, _going(now, dry_run))

        try:
            report: TranscriptReport | TuiMemoryError = self._app.opened.result().importing.transcripts(
                dry_run=dry_run, on_progress=on_progress, cancelled=stopped.is_set
            )
        except TuiMemoryError as error:
            report = error
        except Exception as error:  # a defect: said and logged, and the application goes on
            report = self._app.unforeseen(error)
        self._app.call_later(self._ended, report, time.monotonic() - began)

    def _ended(self, report: TranscriptReport | TuiMemoryError, took: float) -> None:
        self._thread = None
        self._tell("")
        if isinstance(report, TuiMemoryError):
            self._app.report(report)
        elif report.dry_run and report.cancelled:
            self._app.notify("Stopped. Nothing was stored.", markup=False)
        elif report.dry_run:
            self._ask(report, took)
        else:
            self.report = account(report)
            self._app.notify(receipt(report), markup=False, timeout=10)
            self._done()

    def _ask(self, report: TranscriptReport, took: float) -> None:
        from tui_memory.tui.dialogs.preview import Preview

        if not report.stored:
            known = report.known or report.unchanged
            why = "all that is in them is here already" if known else "there is nothing to keep in them"
            said = f"{_sessions(report.sessions)}: {why}. Nothing was changed."
            self._app.notify(said, markup=False, timeout=8)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._start(dry_run=False)
            else:
                self._app.notify("Nothing was stored.", markup=False)

        takes = f"{about(took * TIMES)}; every key works meanwhile, {self._app.keys_of('app.stop')} stops it."
        text = f"{account(report)}\n{'Takes':<12} {takes}\n\n{TERMS}"
        self._app.push_screen(Preview("What is stored of past sessions", text, "reads and stores it"), answered)


TERMS = (
    "It is written to this store alone, with secrets masked first. Memories are made of it by rule: no model is asked,"
    " and nothing leaves this machine. The agents' own files stay as they are.\n"
    "What was stored stays when it is stopped; the next time it goes on from there."
)
"""What a person says yes to."""


def about(seconds: float) -> str:
    """How long something takes, roughly."""
    if seconds < 50:
        return f"about {max(round(seconds / 5) * 5, 5)} seconds"
    return f"about {formats.count(max(round(seconds / 60), 1), 'minute')}"


def account(report: TranscriptReport) -> str:
    """Everything that an import did, or would do: numbers that add up, and reasons."""
    would = "Would store" if report.dry_run else "Stored"
    events = formats.count(report.stored, "event")
    lines = [
        f"Sessions     {_sessions(report.sessions)}",
        f"{would:<12} {events} of {formats.number(report.read)} read; {formats.number(report.known)} known already",
    ]
    lines += [f"{name:<12} {_reasons(counts)}" for name, counts in _left(report) if counts]
    if not report.dry_run:
        lines.append(f"{'Memories':<12} {formats.number(report.memories)} of {formats.count(report.turns, 'turn')}")
    lines += [f"{'Not read':<12} {one_line(one, 300)}" for one in report.failed]
    return "\n".join(lines)


def receipt(report: TranscriptReport) -> str:
    """The toast of an import."""
    stored, memories = formats.count(report.stored, "event"), formats.count(report.memories, "memory", "memories")
    stop = "Stopped: what was stored stays, the next time goes on from there. " if report.cancelled else ""
    failed = (
        f" {formats.count(len(report.failed), 'file')} could not be read: ctrl+p, start: Report."
        if report.failed
        else ""
    )
    return f"{stop}{stored} of {_sessions(report.sessions)} became {memories}.{failed}"


def _left(report: TranscriptReport) -> tuple[tuple[str, Mapping[str, int]], ...]:
    return ("Not stored", report.dropped), ("Passed over", report.skipped)


def _reasons(counts: Mapping[str, int]) -> str:
    most = sorted(counts.items(), key=lambda one: -one[1])
    return "; ".join(f"{formats.number(count)} × {one_line(reason, 100)}" for reason, count in most)


def _sessions(counts: Mapping[str, int]) -> str:
    agents = ", ".join(f"{formats.number(count)} of {one_line(agent, 40)}" for agent, count in sorted(counts.items()))
    return (
        f"{formats.count(sum(counts.values()), 'session')} ({agents})"
        if len(counts) > 1
        else (f"{formats.count(sum(counts.values()), 'session')} of {next(iter(counts))}" if counts else "no session")
    )


def _going(now: Progress | None, dry_run: bool) -> str:
    """The header's words on how far it is."""
    verb = "counting" if dry_run else "reading"
    if now is None:
        return f"past sessions: {verb}"
    done = f"{formats.number(now.sessions)} of {formats.number(now.of_sessions)}"
    stored = "" if dry_run else f" · {formats.count(now.stored, 'event')}"
    return f"past sessions: {verb} {done}{stored}"
