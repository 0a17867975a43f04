"""What an import did: counts, what became what, what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tui_memory.safetext import clean, one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.paint import dim
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.import_report import ForeignReport, Progress, TranscriptReport

_BACK = " · tui-memory undo takes it back"
_FAILURES = 20


def progress(now: Progress) -> str:
    """One line of how far an import is."""
    share = 100 * now.bytes // now.of_bytes if now.of_bytes else 100
    done = "█" * (share // 5)
    what = "reading" if now.stage == "read" else "making memories"
    return f"{done:<20} {share:3} %  {now.sessions:,} of {now.of_sessions:,} sessions  {now.stored:,} stored  {what}"


def transcripts(report: TranscriptReport) -> list[str]:
    """What was read of agents' histories."""
    by_agent = ", ".join(f"{count:,} of {agent}" for agent, count in sorted(report.sessions.items())) or "none"
    would = "would be " if report.dry_run else ""
    lines = [f"Sessions: {by_agent}", f"Files: {report.files:,}, {report.unchanged:,} as they were when read last"]
    lines += [f"Observations: {report.read:,} read, {report.stored:,} {would}stored, {report.known:,} known already"]
    lines += _counts("Not stored", report.dropped)
    lines += _counts("Passed over", report.skipped)
    if not report.dry_run:
        lines.append(f"Memories: {report.memories:,} of {report.turns:,} turns")
    return lines


def failed(report: TranscriptReport) -> list[str]:
    """What could not be read, each with its reason; the first of many."""
    more = len(report.failed) - _FAILURES
    lines = [f"Not read: {one_line(one)}" for one in report.failed[:_FAILURES]]
    return lines + ([f"… and {more:,} more"] if more > 0 else [])


def foreign(report: ForeignReport) -> list[str]:
    """What a foreign store holds and what it becomes."""
    columns = (
        table.Column("count", right=True),
        table.Column("there", gives=True),
        table.Column("here"),
        table.Column("tier"),
        table.Column("labels", gives=True, style=dim),
    )
    rows = [
        (f"{row.count:,}", one_line(row.source), row.kind, row.tier, one_line(", ".join(row.labels)))
        for row in report.mapping.values()
    ]
    lines = [f"{clean(report.format)}:{'' if rows else ' nothing to take over'}"]
    lines += table.lines(columns, rows, terminal()) if rows else []
    lines += _counts("Left out", report.skipped)
    lines += _counts("Masked", report.redactions)
    would = "would be " if report.dry_run else ""
    counts = f"{report.new:,} {would}added, {report.changed:,} {would}changed, {report.known:,} known already"
    undoable = not report.dry_run and report.new + report.changed
    return [*lines, f"Memories: {counts}{_BACK if undoable else ''}"]


def _counts(head: str, counts: Mapping[str, int]) -> list[str]:
    parts = [f"{count:,} × {one_line(reason)}" for reason, count in sorted(counts.items(), key=lambda one: -one[1])]
    return [f"{head}: {'; '.join(parts)}"] if parts else []
