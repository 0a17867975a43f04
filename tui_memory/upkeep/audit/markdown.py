"""The week's report as Markdown: plain enough to be read as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from tui_memory.safetext import one_line
from tui_memory.upkeep.audit import families
from tui_memory.upkeep.audit.words import counted

if TYPE_CHECKING:
    from tui_memory.upkeep.audit.report import Report

_SIGNS = re.compile(r"([\\`*_\[\]<>#|!&~])")
_PAST = {
    "keep": "kept as they were", "snooze": "put off", "merge": "merged", "supersede": "replaced by the newer",
    "reverse": "where the older was right", "delete": "put into the trash", "restore": "released", "pin": "pinned",
    "mask": "masked", "shorten": "shortened", "rename": "renamed", "purge": "forgotten for good",
    "take": "given the other text",
}  # fmt: skip


def written(report: Report) -> str:
    """The whole text, ending in a new line."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def plain(text: str) -> str:
    """Outside text that Markdown takes for text alone, in one line."""
    return _SIGNS.sub(r"\\\1", one_line(text, 200))


def _lines(report: Report) -> Iterator[str]:
    yield f"# Audit of {_when(report.since)} to {_when(report.until)}"
    for title, lines in (
        ("What came in", _came_in(report)),
        ("What changed", _changed(report)),
        ("What the audit settled", _settled(report)),
        ("What was used", _used(report)),
        ("What it cost and saved", _cost(report)),
    ):
        yield from ("", f"## {title}", "")
        yield from (f"- {line}" for line in lines)


def _when(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000):%Y-%m-%d %H:%M}"


def _came_in(report: Report) -> Iterator[str]:
    came = report.came_in
    yield f"{counted(came.observations, 'observation')} of {counted(came.sessions, 'session')}"
    if came.dropped:
        yield f"{counted(sum(came.dropped.values()), 'event')} not stored: {_numbers(came.dropped)}"
    if came.redactions:
        yield f"{counted(sum(came.redactions.values()), 'secret')} masked: {_numbers(came.redactions)}"
    kinds = f": {_numbers(came.by_kind)}" if came.by_kind else ""
    before = f", {came.earlier:,} of them of what happened before" if came.earlier else ""
    yield f"{counted(came.memories, 'new memory', 'new memories')}{before}{kinds}"
    for project, number in came.by_project.items():
        yield f"{plain(project) or 'all projects'}: {counted(number, 'memory', 'memories')}"


def _numbers(values: Mapping[str, int]) -> str:
    return ", ".join(f"{plain(name)} {number:,}" for name, number in values.items())


def _changed(report: Report) -> Iterator[str]:
    done = report.changed
    lines = (
        (done.merged, f"{counted(done.merged, 'memory', 'memories')} merged into {done.merged_into:,}"),
        (done.superseded, f"{counted(done.superseded, 'memory', 'memories')} replaced by newer ones"),
        (done.edited, f"{counted(done.edited, 'edit')}"),
        (done.forgotten, f"{counted(done.forgotten, 'memory', 'memories')} put into the trash"),
        (done.restored, f"{counted(done.restored, 'memory', 'memories')} brought back or released"),
        (done.purged, f"{counted(done.purged, 'memory', 'memories')} forgotten for good"),
    )
    told = [line for number, line in lines if number]
    yield from told or ["nothing"]


def _settled(report: Report) -> Iterator[str]:
    for name in families.NAMES:
        for action, number in report.settled.get(name, {}).items():
            yield f"{families.find(name).title}: {number:,} {_PAST.get(action, plain(action))}"
    if not report.settled:
        yield "nothing"
    left = ", ".join(f"{families.find(name).title} {number:,}" for name, number in report.open.items())
    yield f"left: {left}" if left else "nothing is left"


def _used(report: Report) -> Iterator[str]:
    used = report.used
    yield (
        f"{counted(used.memories, 'memory', 'memories')} fetched {counted(used.fetches, 'time')}"
        f" in {counted(used.sessions, 'session')}; {counted(used.shown, 'title')} shown"
    )
    for row in used.most:
        yield f"{row['uses']:,}× #{row['id']} {plain(str(row['title']))}"


def _cost(report: Report) -> Iterator[str]:
    cost = report.cost
    yield f"{counted(cost.shown, 'token')} shown, {counted(cost.fetched, 'token')} fetched"
    yield f"the sources of what was fetched would have cost {counted(cost.sources, 'token')}"
    if cost.saved >= 0:
        yield f"{counted(cost.saved, 'token')} saved"
    else:
        yield f"{counted(-cost.saved, 'token')} more than the sources: little of what was shown was fetched"
    if cost.model_calls:
        yield (
            f"{counted(cost.model_calls, 'call')} of a model, {counted(cost.model_tokens, 'token')},"
            f" {cost.model_seconds:,.0f} s"
        )
