"""How far the walk through a history is, and what it brought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.safetext import one_line

if TYPE_CHECKING:
    from tui_memory.engine.history import HistoryProgress, HistoryReport


def progress(now: HistoryProgress) -> str:
    """One line of how far it is."""
    share = 100 * now.done // now.of if now.of else 100
    return f"{'█' * (share // 5):<20} {share:3} %  {now.done:,} of {now.of:,} commits  {now.memories:,} memories"


def history(report: HistoryReport) -> list[str]:
    """What was found and what became of it."""
    lines = [
        f"Project: {one_line(report.project)}",
        f"Commits: {report.found:,} found, {report.stored:,} stored, {report.known:,} known already",
        f"Memories: {report.memories:,}",
    ]
    reasons = ", ".join(f"{count:,} {one_line(reason)}" for reason, count in report.dropped.most_common())
    return lines + ([f"Not stored: {reasons}"] if reasons else [])
