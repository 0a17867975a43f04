"""Agents' histories into the store: session by session, each file from where it was read last.

Every observation is committed by itself, and a file's mark only after all of the turns before it: an import that
is cancelled or killed goes on where it was, and what it reads twice is known by its identity.
"""

from __future__ import annotations

import hashlib
import heapq
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.capture import git_identity, transcripts
from tui_memory.capture.transcripts import Session, Step, Tally
from tui_memory.capture.transcripts.records import opened
from tui_memory.clock import now_ms
from tui_memory.compress.router import Router
from tui_memory.engine.held import Made, compress_held, is_alive
from tui_memory.engine.import_report import Progress, TranscriptReport
from tui_memory.errors import NotFoundError, RefusedError, UsageError
from tui_memory.model import Drop
from tui_memory.store import imports, ingest, pauses, projects
from tui_memory.store.connection import store_key

if TYPE_CHECKING:
    from tui_memory.config import Settings
    from tui_memory.store.db import Store
    from tui_memory.store.guard import Own

SILENCE_MS = 30 * 60_000
"""A session whose last record is older than this has ended; a younger one may still be written."""
_HEAD = 4_096

Steps = Iterator[tuple[int, int, Step]]
"""Of one file: (time, the file's number, step)."""


class _Cancelled(Exception):
    """The caller wants no more."""


class TranscriptImport:
    """One run: what is found below the paths, read, stored and compressed."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        *,
        route: str = "extractive",
        since: int | None = None,
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        own: Own | None = None,
    ) -> None:
        self._store, self._settings, self._since = store, settings, since
        self._router = Router(replace(settings, compress=replace(settings.compress, routes=(route,))))
        self._on_progress, self._cancelled, self._own = on_progress, cancelled, own
        self._holder = f"{imports.IMPORTED}{os.getpid()}"
        self._key = b"" if dry_run else store_key(store.home)
        self._seen: dict[tuple[str, str], imports.Seen] = {}
        self._done = [0, 0]
        self._total = [0, 0]
        self.report = TranscriptReport(dry_run=dry_run)

    def run(self, paths: Sequence[Path], agent: str = "") -> TranscriptReport:
        """Read everything below the paths (none: each agent's own place). RefusedError while capture is paused."""
        if not self.report.dry_run and pauses.until(self._store.connection) > now_ms():
            raise RefusedError("Capture is paused. Nothing was imported; `tui-memory resume` ends the pause.")
        found = transcripts.search(list(paths) or _defaults(agent), agent)
        self.report.skipped.update(found.skipped)
        self.report.failed += found.failed
        self._total = [len(found.sessions), sum(session.size for session in found.sessions)]
        if not self.report.dry_run:
            imports.adopt(self._store.connection, self._holder, is_alive)
        try:
            for session in found.sessions:
                self._session(session)
            self._seen = {}
            self._end([])
        except _Cancelled:
            self.report.cancelled = True
        finally:
            if not self.report.dry_run:
                imports.release(self._store.connection, self._holder)
        return self.report

    def _session(self, session: Session) -> None:
        self._tell("read")
        self._seen = {}
        report = self.report
        report.sessions[session.agent] += 1
        readings = [reading for file in session.files if (reading := self._open(session.agent, file))]
        steps = heapq.merge(*(reading.steps(number) for number, reading in enumerate(readings)), key=lambda one: one[0])
        try:
            for _, number, step in steps:
                if self._cancelled is not None and self._cancelled():
                    raise _Cancelled
                self._step(readings[number], step)
        finally:
            for reading in readings:
                report.records += reading.tally.records
                report.skipped.update(reading.tally.skipped)
                report.failed += [reading.failed] if reading.failed else []
        if readings:
            self._end(readings)
        self._done = [self._done[0] + 1, self._done[1] + session.size]

    def _open(self, agent: str, file: Path) -> _Reading | None:
        """A file from where it was read last; None where nothing is new in it."""
        self.report.files += 1
        mark = imports.mark(self._store.connection, str(file))
        try:
            size, changed = _state(file)
            if (size, changed) == (mark.size, mark.changed):
                self.report.unchanged += 1
                return None
            if self._since is not None and changed < self._since * 1_000_000:
                self.report.skipped["file older than --since"] += 1
                return None
            start = mark.resume if mark.resume and mark.head == _digest(file, 0, min(_HEAD, mark.resume)) else 0
            if start and mark.tail != _digest(file, max(start - _HEAD, 0), start):
                start = 0  # the same beginning, another continuation: a file that was written anew
        except OSError as error:
            self.report.failed.append(f"{file}: {error.strerror or error}")
            return None
        return _Reading(agent, file, start, size, changed)

    def _step(self, reading: _Reading, step: Step) -> None:
        report, draft = self.report, step.draft
        if self._since is not None and draft.time < self._since:
            report.dropped["older than --since"] += 1
            report.read += 1
            reading.whole = False
            return
        if step.resume > reading.resume:
            self._put_mark(reading, step.resume)
        report.read += 1
        place = self._place(draft.agent, draft.session)
        known = imports.known_turn(self._store.connection, draft, step.identity)
        if known is not None:
            place.turn = known or place.turn
            report.known += 1
        elif report.dry_run:
            report.stored += 1
        else:
            outcome = imports.take(
                self._store.connection, draft, step.identity, place, self._settings.capture, self._key,
                holder=self._holder, addresses=git_identity.addresses(draft.project_dir or draft.cwd), own=self._own,
            )  # fmt: skip
            report.stored += outcome == ingest.STORED
            report.known += outcome == Drop.DUPLICATE
            if outcome not in (ingest.STORED, Drop.DUPLICATE):
                report.dropped[outcome] += 1

    def _place(self, agent: str, session: str) -> imports.Seen:
        if (agent, session) not in self._seen:
            self._seen[agent, session] = imports.seen(self._store.connection, agent, session)
        return self._seen[agent, session]

    def _put_mark(self, reading: _Reading, resume: int, *, whole: bool = False) -> None:
        """Remember how far a file is told; nothing where some of it was left out on purpose."""
        reading.resume = resume
        if self.report.dry_run or not reading.whole:
            return
        try:
            head = _digest(reading.file, 0, min(_HEAD, resume))
            tail = _digest(reading.file, max(resume - _HEAD, 0), resume)
        except OSError:
            return  # gone meanwhile: the next run starts it anew
        size = reading.size if whole else -1
        imports.put_mark(
            self._store.connection, str(reading.file), imports.Mark(resume, size, reading.changed, head, tail)
        )

    def _end(self, readings: list[_Reading]) -> None:
        """Mark the files as read, close the session, give it its project, and make memories of it."""
        if self.report.dry_run:
            return
        for reading in readings:
            if not reading.failed:
                self._put_mark(reading, reading.tally.resume, whole=True)
        for place in self._seen.values():
            imports.finish(self._store.connection, place, SILENCE_MS)
        imports.end_silent(self._store.connection, SILENCE_MS, holder=self._holder)
        projects.assign(self._store)
        for place in self._seen.values():
            if place.session_id is not None and place.stored:
                self._house(place.session_id)
        self._compress()
        imports.checkpoint(self._store.connection)

    def _house(self, session_id: int) -> None:
        """A project for what was done in folders that are gone: without one it would belong to all projects."""
        for folder, digest in imports.homeless(self._store.connection, session_id):
            where = folder or imports.folder_of_digest(self._store.connection, digest)
            if folder and os.path.isdir(folder):
                continue  # it is there and is no project: the home directory and its like
            name = where or (f"gemini-{digest[:8]}" if digest else "")
            if name:
                with suppress(NotFoundError):  # somebody's home directory on another machine: no project either
                    project = projects.find_or_add(self._store, name)
                    imports.give_project(self._store.connection, session_id, folder, project)

    def _compress(self) -> None:
        made = Made()
        try:
            compress_held(
                self._store, self._router, self._holder, into=made, on_job=lambda: self._tell("compress")
            )  # fmt: skip
        finally:
            self.report.turns += made.turns
            self.report.memories += made.memories
            self.report.failed += made.failed

    def _tell(self, stage: str) -> None:
        if self._on_progress is not None:
            done, total = self._done, self._total
            self._on_progress(Progress(done[0], total[0], done[1], total[1], self.report.stored, stage))
        if self._cancelled is not None and self._cancelled():
            raise _Cancelled


class _Reading:
    """One file that is being read: how far it was told, and what its end will say."""

    def __init__(self, agent: str, file: Path, start: int, size: int, changed: int) -> None:
        self.agent, self.file, self.resume, self.size, self.changed = agent, file, start, size, changed
        self.tally = Tally()
        self.failed = ""
        self.whole = True
        """Whether everything of it was taken: --since leaves out what a later run may want."""

    def steps(self, number: int) -> Steps:
        """The steps with times that never go back, so that files of one session can be told as one."""
        latest = 0
        try:
            for step in transcripts.READERS[self.agent](self.file, self.resume, self.tally):
                step.draft.time = step.draft.time or latest or self.changed // 1_000_000
                latest = max(latest, step.draft.time)
                yield latest, number, step
        except OSError as error:
            self.failed = f"{self.file}: {error.strerror or error}"


def _defaults(agent: str) -> list[Path]:
    """Every agent's own place, or one's; UsageError where there is none."""
    agents = (agent,) if agent else transcripts.AGENTS
    places = [place for name in agents for place in transcripts.defaults(name)]
    if not places:
        raise UsageError(
            f"No history of {agent or 'any agent'} is where it is usually kept. Nothing was imported; name a folder."
        )
    return places


def _state(file: Path) -> tuple[int, int]:
    """(bytes, when it was written last, in nanoseconds) of a file, with what SQLite keeps beside a database."""
    states = [file.stat(follow_symlinks=False)]
    log = file.with_name(f"{file.name}-wal")
    if file.suffix == ".db" and log.exists():
        states.append(log.stat(follow_symlinks=False))
    return sum(state.st_size for state in states), max(state.st_mtime_ns for state in states)


def _digest(file: Path, start: int, end: int) -> str:
    with opened(file) as data:
        data.seek(start)
        return hashlib.sha256(data.read(end - start)).hexdigest()[:16]
