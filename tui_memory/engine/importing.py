"""What others have: agents' own histories, and the stores and notes of other memories."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.capture import transcripts
from tui_memory.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from tui_memory.engine.import_report import ForeignReport, Progress, TranscriptReport
    from tui_memory.engine.memory import Memory

AGENTS = transcripts.AGENTS
"""Agents whose histories can be read."""


@dataclass(frozen=True, slots=True)
class Histories:
    """What agents have kept on this machine: sessions by agent, bytes, the day of the oldest (ms; 0: there is none)."""

    sessions: Mapping[str, int]
    bytes: int = 0
    oldest: int = 0


class Importing:
    """Imports into one store. Only what is named, or an agent's own place, is ever read."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def transcripts(
        self,
        paths: Sequence[str | os.PathLike[str]] = (),
        *,
        agent: str = "",
        since: int | None = None,
        route: str = "extractive",
        dry_run: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> TranscriptReport:
        """Read histories and make memories of them; without paths those of the agents on this machine.

        `since`: only what happened then or later (ms). `route`: how they are compressed. A second run reads only
        what is new. `cancelled` is asked between observations; the next run goes on. RefusedError while capture is
        paused; ConfigError for an unknown route; NotFoundError for a path that does not exist.
        """
        from tui_memory.engine.import_transcripts import TranscriptImport

        if agent and agent not in AGENTS:
            raise UsageError(f"No history of {agent!r} can be read. Nothing was imported. Known: {', '.join(AGENTS)}.")
        wanted = [_existing(path) for path in paths]
        run = TranscriptImport(
            self._memory.store, self._memory.settings, route=route, since=since, dry_run=dry_run,
            on_progress=on_progress, cancelled=cancelled, own=self._memory.own_rules,
        )  # fmt: skip
        return run.run(wanted, agent)

    def histories(self) -> Histories:
        """What `transcripts` without paths would read, by the beginning of each file: quick, and changes nothing."""
        places = [place for agent in AGENTS for place in transcripts.defaults(agent)]
        sessions = transcripts.search(places).sessions
        oldest = min((session.changed for session in sessions), default=0.0)
        counts = Counter(session.agent for session in sessions)
        return Histories(counts, sum(session.size for session in sessions), round(oldest * 1000))

    def file(
        self,
        path: str | os.PathLike[str],
        *,
        project: str | None = None,
        dry_run: bool = False,
        on_progress: Callable[[int], object] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ForeignReport:
        """Take in one file as one change: an export of ours (JSON lines or Markdown), or what `foreign` reads.

        In an export the same uid is the same memory; of two states of one the later is kept. `project`: where all of
        it is to belong. NotFoundError; UsageError where the file is of no known kind or wrong in some line; then
        nothing was changed.
        """
        from tui_memory.engine.import_own import OwnImport, format_of

        found = _existing(path)
        own = format_of(found)
        if not own:
            return self.foreign(path, project=project, dry_run=dry_run)
        run = OwnImport(self._memory, dry_run=dry_run, project=project)
        report = run.run(found, own, on_progress=on_progress, cancelled=cancelled)
        if report.added or report.changed:
            self._memory.embedding.embed_missing()
        return report

    def foreign(
        self, path: str | os.PathLike[str], *, project: str | None = None, dry_run: bool = False
    ) -> ForeignReport:
        """Take over claude-mem's or engram's database, or the sections of a CLAUDE.md or AGENTS.md, as one change.

        `project`: where the notes belong; else the repository that they lie in, else all projects. NotFoundError,
        and UsageError for a file of no known kind; then nothing was changed.
        """
        from tui_memory.engine.import_foreign import ForeignImport

        memory = self._memory
        run = ForeignImport(memory.store, memory.settings, memory.redactor, actor=memory.actor, dry_run=dry_run)
        return run.run(_existing(path), project)


def _existing(path: str | os.PathLike[str]) -> Path:
    found = Path(path).expanduser().absolute()
    if not found.exists():
        raise NotFoundError(f"There is no file or folder {found}. Nothing was imported.")
    return found
