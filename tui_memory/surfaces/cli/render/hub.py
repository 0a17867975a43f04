"""A team's hub for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_memory.safetext import one_line

if TYPE_CHECKING:
    from tui_memory.beyond.hub.pulling import Pulled
    from tui_memory.beyond.hub.pushing import Pushed
    from tui_memory.beyond.hub.schema import Made


def made(done: Made) -> list[str]:
    """What the database is now."""
    if not done.before:
        lines = [f"The database is a hub now, of schema {done.version}"]
    elif done.before < done.version:
        lines = [f"The hub is of schema {done.version} now; it was of {done.before}"]
    else:
        lines = [f"The hub is of schema {done.version} already"]
    if done.team:
        lines.append(
            f"Made the team {one_line(done.team)}; `tui-memory hub members --owner DSN --add LOGIN` adds to it"
        )
    return lines


def status(told: dict[str, Any]) -> list[str]:
    """What is connected, shared, and how old."""
    if not told["connected"]:
        return ["No hub is connected; `tui-memory hub connect DSN` connects one"]
    answers = "it answers" if told["answers"] else "it does not answer"
    lines = [f"Team {one_line(told['team'])} at {one_line(told['hub'])}: {answers}"]
    if told["error"]:
        lines.append(f"  {one_line(told['error'])}")
    for one in told["shares"]:
        kinds = f", only {', '.join(one['kinds'])}" if one["kinds"] else ""
        lines.append(f"  shares {one_line(one['project'])}{kinds}")
    if not told["shares"]:
        lines.append("  shares nothing; `tui-memory hub share --project P` chooses")
    lines.append(f"  pushed {told['pushed'] or 'never'}, pulled {told['pulled'] or 'never'}")
    if told["purges_waiting"]:
        lines.append(f"  {told['purges_waiting']:,} purged memories are still to leave it: `tui-memory hub push`")
    if told["answers"]:
        there = ", ".join(f"{one_line(name)} {count:,}" for name, count in told["memories"].items())
        lines.append(f"  there: {there or 'nothing yet'}; to push: {told['to_push']:,}")
    return lines


def shared(told: dict[str, Any]) -> list[str]:
    """What is chosen, and what the next push sends."""
    kinds = f", only {', '.join(told['kinds'])}," if told["kinds"] else ""
    return [
        f"{one_line(told['project'])}{kinds} is shared with {one_line(told['team'])}."
        f" `tui-memory hub push` sends {_many(told['to_push'])}"
    ]


def withdrawn(told: dict[str, Any]) -> list[str]:
    """What is shared no more."""
    return [
        f"{one_line(told['project'])} is shared with {one_line(told['team'])} no more:"
        f" {_many(told['withdrawn'])} of yours left the hub. What others pulled, they have"
    ]


def pushed(done: Pushed) -> list[str]:
    """What went there."""
    if not done.projects and not done.purged:
        return ["Nothing is shared; `tui-memory hub share --project P` chooses"]
    lines = [
        f"Pushed {done.new:,} new, {done.changed:,} changed of {', '.join(map(one_line, done.projects)) or 'nothing'}"
    ]
    if done.kept:
        lines.append(
            f"{done.kept:,} of them changed later there: the hub keeps yours as versions, `hub pull` brings theirs"
        )
    lines += _conflicts(done.conflicts)
    if done.purged:
        lines.append(f"{_many(done.purged)} that you purged left the hub")
    return lines


def pulled(done: Pulled) -> list[str]:
    """What came from there."""
    of = ", ".join(map(one_line, done.projects)) or "no project"
    lines = [f"Pulled {done.new:,} new, {done.changed:,} changed of {of}"]
    if done.later_here:
        lines.append(f"{done.later_here:,} changed later here: `hub push` sends yours")
    lines += _conflicts(done.conflicts)
    if done.purged:
        lines.append(f"{_many(done.purged)} that others purged are purged here")
    if done.unreadable:
        lines.append(f"{done.unreadable:,} rows there are not of this program's shape, and were left out")
    if done.others:
        lines.append(f"Not here, so not pulled: {', '.join(map(one_line, done.others))}; --project P or --all-projects")
    return lines


def _conflicts(count: int) -> list[str]:
    if not count:
        return []
    return [
        f"Edited here and by another at once: {_many(count)}. The later text is current;"
        " `tui-memory audit --all-projects --family conflict` shows both"
    ]


def members(found: Sequence[dict[str, Any]]) -> list[str]:
    """A line each."""
    lines = [f"{one_line(one['name'])}{'  admin' if one['admin'] else ''}  since {one['since'][:10]}" for one in found]
    return lines or ["Nobody belongs to the team yet"]


def _many(count: int) -> str:
    return f"{count:,} {'memory' if count == 1 else 'memories'}"
