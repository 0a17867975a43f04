"""Cases of the audit for people: rows of a list, one whole, and what settling did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui_memory.safetext import clean, one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.ages import ago
from tui_memory.surfaces.cli.render.paint import accent, bold, dim

if TYPE_CHECKING:
    from tui_memory.engine.auditing import Overview
    from tui_memory.engine.receipt import Receipt
    from tui_memory.model import Memory
    from tui_memory.upkeep.audit.cases import Case

_COLUMNS = (
    table.Column("CASE", right=True, style=accent),
    table.Column("RISK", right=True),
    table.Column("FAMILY"),
    table.Column("MEMORIES", right=True, style=accent),
    table.Column("WHAT", gives=True),
    table.Column("PROPOSED"),
)
_SAID = {
    "keep": "Kept as it is", "snooze": "Put off", "merge": "Merged", "supersede": "The newer replaces the older",
    "reverse": "The older replaces the newer", "delete": "Put into the trash", "restore": "Released", "pin": "Pinned",
    "accept": "Done as proposed", "mask": "Masked", "shorten": "Shortened", "purge": "Forgotten for good",
    "rename": "Renamed", "take": "The other text is taken",
}  # fmt: skip


def rows(cases: Sequence[Case], limit: int | None) -> list[str]:
    """A list's lines, heads first."""
    from tui_memory.upkeep.audit import families

    return table.lines(
        _COLUMNS,
        [
            [
                str(case.id), f"{case.risk:.2f}", families.find(case.family).title, " ".join(map(str, case.memories)),
                " ↔ ".join(one_line(memory.title) for memory in case.rows), case.proposed,
            ]
            for case in cases
        ],
        limit,
    )  # fmt: skip


def how(overview: Overview, shown: int, *, snoozed: bool) -> str:
    """How many there are, how long they take, and how to go on."""
    if snoozed:
        return "They come back by themselves; `tui-memory audit settle CASE ACTION` settles one now."
    more = f"{shown:,} of {overview.open:,} · --limit shows more · " if shown < overview.open else ""
    return (
        f"{more}about {overview.minutes:,} min · {overview.settled:,} settled this week"
        " · `tui-memory audit show CASE`, `tui-memory audit settle CASE accept`"
    )


def whole(case: Case, now: int) -> list[str]:
    """A case with its evidence, its memories and its actions."""
    from tui_memory.upkeep.audit import families

    family = families.find(case.family)
    lines = [bold(f"{family.title} · {case.risk:.2f}"), ""]
    for memory, side in zip(case.rows, case.evidence["sides"], strict=True):
        lines += [*_side(memory, str(side["commit"]), now), ""]
    lines += [one_line(said) for said in case.evidence["says"]]
    lines += ["", bold(family.question)]
    lines += [f"  {name:<10} {family.actions.get(name, 'ask again later')}" for name in case.actions]
    return [*lines, dim(f"accept means {case.proposed} · reject means keep")]


def _side(memory: Memory, commit: str, now: int) -> list[str]:
    used = f"used {memory.uses}×" if memory.uses else "never used"
    from_ = [f"session {one_line(memory.session, 40)}"] if memory.session else []
    from_ += [f"commit {one_line(commit[:8])}"] if commit else []
    head = " · ".join([f"#{memory.id}", memory.kind, memory.state, ago(memory.created, now), used, *from_])
    whole = memory.text if memory.summary in memory.text else f"{memory.summary}\n{memory.text}"
    text = [clean(line) for line in whole.splitlines()[:12]]
    return [bold(one_line(memory.title)), dim(head), *(f"  {line}" for line in text)]


def question(cases: Sequence[Case], action: str | None) -> str:
    """What settling a family would do, to be answered with yes."""
    from tui_memory.upkeep.audit import families

    family = families.find(cases[0].family)
    named = families.named(family, action or families.ACCEPT)
    accepts = action in (None, families.ACCEPT)
    what = families.each(family) if accepts else family.actions.get(named, named)
    number = len(cases)
    return f"Settle {number:,} {'case' if number == 1 else 'cases'} of {family.title}: {what}"


def settled(done: Receipt) -> str:
    """What settling did, and the way back."""
    from tui_memory.upkeep.audit import families

    name = done.action.removeprefix("audit ")
    ids = " ".join(f"#{memory}" for memory in done.memories[:6])
    more = f" and {len(done.memories) - 6} more" if len(done.memories) > 6 else ""
    back = " · nothing brings it back" if name in families.FINAL else " · tui-memory undo takes it back"
    outside = "\nOutside of the store it may still be in:" if done.outside else ""
    places = "".join(f"\n  {one_line(place)}" for place in done.outside)
    return f"{_SAID.get(name, one_line(name))}: {ids}{more}{back}{outside}{places}"
