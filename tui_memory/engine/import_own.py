"""Our own exports back into a store, or into another: read and checked whole first, then one change that undo takes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from tui_memory.engine import exporting, markdown, reading_own
from tui_memory.engine.import_report import ForeignReport, Mapped
from tui_memory.errors import UsageError
from tui_memory.model import JSON
from tui_memory.store import projects
from tui_memory.store.portable import Record
from tui_memory.store.taking_in import TakingIn

if TYPE_CHECKING:
    from tui_memory.engine.services import Services

_BATCH = 200
_IN_MEMORY = 32 << 20
"""Bytes of checked records that are kept in memory; more go to a file without a name in the store's folder."""


def format_of(path: Path) -> str:
    """`jsonl` or `markdown` where a file is one of our exports, else empty. UsageError where it cannot be read."""
    try:
        if path.is_dir():
            return ""
        return "jsonl" if reading_own.is_own(path) else "markdown" if markdown.is_own(path) else ""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}. Nothing was imported.") from error


class OwnImport:
    """One run over one file. `project`: where all of it is to belong; None: where the file says."""

    def __init__(self, memory: Services, *, dry_run: bool, project: str | None) -> None:
        self._memory, self._store, self._dry_run, self._project = memory, memory.store, dry_run, project
        self._report = ForeignReport("tui-memory", dry_run=dry_run)

    def run(
        self,
        path: Path,
        format: str,  # noqa: A002  (the contract's name)
        *,
        on_progress: Callable[[int], object] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ForeignReport:
        """Check, mask and (but in a dry run) store; UsageError names the line that is wrong; then nothing is changed.

        `cancelled` is asked between batches. Nobody sees what a cancelled run had stored; the next goes on.
        """
        report = self._report
        report.format = f"tui-memory {format}"
        with tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(self._store.home)) as spool:
            kinds = self._check(path, format, cast("IO[bytes]", spool), on_progress)
            taking = TakingIn(self._store, self._memory.actor, project=None if self._dry_run else self._place())
            for kind in reading_own.ORDER[1:-1]:
                if not kinds.get(kind) or cancelled():
                    continue
                for batch in _batches(cast("IO[bytes]", spool), kind):
                    if cancelled():
                        break
                    self._take(taking, kind, batch)
        report.cancelled = cancelled()
        taken = taking.taken if self._dry_run or report.cancelled else taking.settle()
        report.new, report.changed, report.known = len(taken.added), len(taken.changed), taken.known
        report.added = [] if self._dry_run else taken.added
        report.skipped = taken.skipped
        return report

    def _take(self, taking: TakingIn, kind: str, batch: list[Record]) -> None:
        if self._dry_run:
            if kind == "memory":
                taking.foresee(batch)
            return
        doors = {"project": taking.projects, "observation": taking.observations, "memory": taking.memories}
        doors.get(kind, taking.changes)(batch)

    def _place(self) -> int | None:
        return projects.find_or_add(self._store, self._project) if self._project else None

    def _check(
        self,
        path: Path,
        form: str,
        spool: IO[bytes],
        on_progress: Callable[[int], object] | None,
    ) -> dict[str, int]:
        """Every record to its end, masked, into the spool; how many there are of each kind."""
        kinds: dict[str, int] = {}
        found = exporting.Exported("", "jsonl")  # whoever wrote the file may know older rules than these, or none
        door = reading_own if form == "jsonl" else markdown
        try:
            for record in self._memory.exporting.masked(door.records(path), found):
                spool.write(json.dumps(record).encode() + b"\n")
                kinds[record["type"]] = kinds.get(record["type"], 0) + 1
                if record["type"] == "memory":
                    self._map(record)
                if on_progress and not sum(kinds.values()) % 1_000:
                    on_progress(sum(kinds.values()))
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror or error}. Nothing was imported.") from error
        self._report.redactions.update(found.redactions)
        return kinds

    def _map(self, record: Record) -> None:
        body = record["versions"][record["version"] - 1]
        kind, state = body["kind"], record["state"]
        row = Mapped(f"{kind}, {state}", kind, body["tier"], [])
        self._report.mapping.setdefault(row.source, row).count += 1


def _batches(spool: IO[bytes], kind: str) -> Iterator[list[Record]]:
    """The records of one kind, some at a time."""
    spool.seek(0)
    batch: list[Record] = []
    for line in spool:
        record: dict[str, Any] = cast("dict[str, Any]", cast(JSON, json.loads(line)))
        if record["type"] == kind:
            batch.append(record)
            if len(batch) == _BATCH:
                yield batch
                batch = []
    if batch:
        yield batch
