"""A repository's history into the store: commit by commit, oldest first, each once.

A commit is known by its name: what is stored is passed over, so that a second run takes only what is new and one
that was stopped goes on. Names come as a stream and commits in batches: memory does not grow with the history.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_memory import capture
from tui_memory.capture import git_log, git_run
from tui_memory.capture.git import HISTORY
from tui_memory.clock import now_ms
from tui_memory.compress.router import Router
from tui_memory.engine import held
from tui_memory.errors import NotFoundError, RefusedError, UsageError
from tui_memory.model import Drop
from tui_memory.store import git_facts, imports, ingest, pauses, projects
from tui_memory.store.connection import store_key
from tui_memory.store.ignored import is_ignored

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

BATCH = 100
"""Commits that are read, stored and compressed together."""
NAMES_TIMEOUT_S = 600.0
BATCH_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class HistoryProgress:
    """How far a walk is: commits looked at, of how many, and the memories made so far."""

    done: int
    of: int
    memories: int


@dataclass(slots=True)
class HistoryReport:
    """What a walk found: found = stored + known + dropped (and what is left, where it was cancelled)."""

    project: str = ""
    found: int = 0
    stored: int = 0
    known: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    memories: int = 0
    failed: list[str] = field(default_factory=list)
    cancelled: bool = False

    def public(self) -> dict[str, Any]:
        """The JSON shape."""
        names = ("project", "found", "stored", "known", "memories", "failed", "cancelled")
        return {name: getattr(self, name) for name in names} | {"dropped": dict(self.dropped)}


class HistoryIndex:
    """One walk. UsageError where the folder is in no repository; RefusedError while capture is paused."""

    def __init__(
        self,
        memory: Memory,
        *,
        route: str = "extractive",
        on_progress: Callable[[HistoryProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        settings = memory.settings
        self._store, self._settings, self._own = memory.store, settings, memory.own_rules
        self._router = Router(replace(settings, compress=replace(settings.compress, routes=(route,))))
        self._on_progress, self._cancelled = on_progress, cancelled
        self._holder = f"{imports.IMPORTED}{held.HISTORY}{os.getpid()}"
        self._key = store_key(memory.home)
        self._top = self._branch = ""
        self._before: dict[int, list[str]] = {}
        """What earlier runs and hooks have stored, by the time of its writing, which an amend or rebase keeps."""
        self.report = HistoryReport()

    def run(self, path: Path, *, since: int | None = None, limit: int | None = None) -> HistoryReport:
        """Walk the history of what is checked out. `since`: ms; `limit`: only the newest so many."""
        self._enter(path)
        self.report.found = _count(self._top, since, limit)
        if not self.report.found:
            return self.report
        imports.adopt(self._store.connection, self._holder, held.is_alive)  # of a run that was killed
        names = _names(self._top, since, limit)
        done, batch = 0, []
        try:
            for name in names:
                batch.append(name)
                if len(batch) == BATCH:
                    done = self._batch(batch, done)
                    batch = []
                if self.report.cancelled:
                    return self.report
            if batch:
                self._batch(batch, done)
        except git_run.GitEnded as error:
            self.report.failed.append(f"{error}: the walk ended early; run it again to go on")
        finally:
            names.close()
            imports.release(self._store.connection, self._holder)
        return self.report

    def _enter(self, path: Path) -> None:
        folder = path.expanduser().absolute()
        if not folder.is_dir():
            raise NotFoundError(f"There is no folder {folder}. Nothing was indexed.")
        found = git_facts.facts(str(folder))
        if found is None:
            raise UsageError(f"{folder} is in no git repository with a working tree. Nothing was indexed.")
        project = projects.resolve(self._store, found.top)
        if project is None:
            raise UsageError(f"{found.top} is your home directory or its like: no project. Nothing was indexed.")
        connection = self._store.connection
        if pauses.applies(connection, self._settings.capture, project.id, found.top, now_ms()):
            raise RefusedError("Capture is paused here. Nothing was indexed; `tui-memory resume` ends the pause.")
        self._top, self._branch = found.top, project.branch
        rows = connection.execute(
            "SELECT detail ->> 'authored', detail ->> 'sha' FROM observations"
            " WHERE project_id = ? AND agent = 'git' AND kind IN ('commit', 'merge')"
            " AND detail ->> 'replaced_by' IS NULL AND detail ->> 'authored' IS NOT NULL",
            (project.id,),
        )
        for authored, sha in rows:
            self._before.setdefault(authored, []).append(sha)
        self.report.project = project.name

    def _batch(self, names: list[str], done: int) -> int:
        """Take some commits in and make memories of them: how many are done then."""
        report = self.report
        fresh = [name for name in names if not self._is_known(name)]
        report.known += len(names) - len(fresh)
        seen = len(names) - len(fresh)
        self._tell(done + seen)
        ignore = self._settings.capture.ignore
        commits = git_log.read(
            self._top, fresh, lambda path: is_ignored(path, ignore), timeout=BATCH_TIMEOUT_S
        ) if fresh else iter(())  # fmt: skip
        for commit in commits:
            if report.cancelled:
                break
            self._take(commit)
            seen += 1
            self._tell(done + seen)
        made = held.compress_held(self._store, self._router, self._holder)
        report.memories += made.memories
        report.failed += made.failed
        imports.checkpoint(self._store.connection)
        return done + len(names)

    def _take(self, commit: dict[str, Any]) -> None:
        payload = commit | {"hook": HISTORY, "cwd": self._top, "branch": self._branch}
        if replaced := self._replaced(commit):
            payload["amends"] = replaced
        draft = capture.normalise("git", payload, commit["time"], cwd=self._top)
        if draft is None:
            self.report.dropped[str(Drop.IGNORED)] += 1
            return
        outcome = imports.take(
            self._store.connection, draft, draft.key, imports.Seen(), self._settings.capture, self._key,
            holder=self._holder, own=self._own,
        )  # fmt: skip
        if outcome == ingest.STORED:
            self.report.stored += 1
        elif outcome == Drop.DUPLICATE:
            self.report.known += 1
        else:
            self.report.dropped[outcome] += 1

    def _replaced(self, commit: dict[str, Any]) -> list[str]:
        """Stored commits that were written at the same second and that no branch has any more: they became this one.

        Several of one second cannot be told apart: then none.
        """
        gone = [old for old in self._before.get(commit["authored"], ()) if not self._is_there(old)]
        return gone if len(gone) == 1 else []

    def _is_there(self, sha: str) -> bool:
        limits = ("--count=1", f"--contains={sha}")
        return bool(git_run.output(self._top, "for-each-ref", *limits, timeout=BATCH_TIMEOUT_S))

    def _is_known(self, name: str) -> bool:
        found = self._store.connection.execute("SELECT 1 FROM deliveries WHERE key = ?", (f"git:{name}",)).fetchone()
        return found is not None

    def _tell(self, done: int) -> None:
        if self._on_progress is not None:
            self._on_progress(HistoryProgress(done, self.report.found, self.report.memories))
        if self._cancelled is not None and self._cancelled():
            self.report.cancelled = True


def _range(since: int | None, limit: int | None) -> list[str]:
    chosen = [] if limit is None else [f"--max-count={limit}"]
    return chosen + ([] if since is None else [f"--since=@{since // 1000}"])


def _count(top: str, since: int | None, limit: int | None) -> int:
    told = git_run.output(top, "rev-list", "--count", *_range(since, limit), "HEAD", "--", timeout=NAMES_TIMEOUT_S)
    return int(told) if told else 0


def _names(top: str, since: int | None, limit: int | None) -> Generator[str, None, None]:
    """The commits' names, parents before children; nothing for an empty repository."""
    arguments = ("rev-list", "--date-order", "--reverse", *_range(since, limit), "HEAD", "--")
    with git_run.reading(top, *arguments, timeout=NAMES_TIMEOUT_S) as stream:
        for line in stream:
            yield line.decode("ascii", "replace").strip()
