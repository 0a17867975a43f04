"""Health's rows of what goes beyond this machine: back-up, sync and hub; pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tui_memory.safetext import one_line
from tui_memory.tui import formats
from tui_memory.tui.screens import health_words
from tui_memory.tui.screens.health_rows import Line

if TYPE_CHECKING:
    from tui_memory.engine.reaching import Reach

SECTION = "beyond this machine"
_MEANS = {
    "backup": "A copy of the store in another place, made and proved by a command that you give, or that cron does.",
    "sync": "The same memory on your own devices, through a folder or a bucket; when a command asks for it.",
    "hub": "What a team shares, through a database of its own; pushed and pulled when a command asks for it.",
}


def rows(reaches: Sequence[Reach]) -> Iterator[Line]:
    """One row each: its age and last error; where nobody asked for it, how to begin."""
    for one in reaches:
        label = health_words.CHECKS[one.id].title
        means = f"{_MEANS[one.id]}\n\n{one_line(one.what, 600)}"
        if one.begun:
            yield Line(SECTION, label, _told(one), means=means, command="" if one.ok else one_line(one.fix))
        else:
            yield Line(SECTION, label, f"not begun · {one.fix}", means=means, command=one.fix, muted=True)


def _told(one: Reach) -> str:
    """When it was done last, and what was wrong since."""
    done = [f"{word} {_ago(moment)}" for word, moment in one.last.items() if moment] or ["never done yet"]
    failed = one.failed > max(one.last.values(), default=0)
    if failed:
        done.append(f"failed {_ago(one.failed)}" + (f": {one_line(one.error, 300)}" if one.error else ""))
    elif not one.ok:
        done.append(one_line(one.what, 300) if one.id == "hub" else "old")
    return f"{'●' if one.ok else '▲'} {' · '.join(done)}"


def _ago(moment: int) -> str:
    """How long ago, in words."""
    age = formats.age(moment)
    return age if age == "now" else f"{age} ago"
