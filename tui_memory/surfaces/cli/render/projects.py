"""Projects for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_memory.clock import local
from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.paint import accent, dim
from tui_memory.surfaces.cli.render.receipts import count as memories
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.projects import Details
    from tui_memory.store.moving import Move
    from tui_memory.store.projects import Project

_COLUMNS = (
    table.Column("NAME", style=accent),
    table.Column("LAST SEEN IN", gives=True),
    table.Column("UID", style=dim),
)


def rows(projects: Sequence[Project]) -> list[str]:
    """A line a project, heads first."""
    return table.lines(_COLUMNS, [[one_line(one.name), one_line(one.root), one.uid] for one in projects], terminal())


def public(project: Project) -> dict[str, Any]:
    """A project's JSON."""
    return {"id": project.id, "uid": project.uid, "name": project.name, "root": project.root or None}


_KEYS = (table.Column("KIND", style=accent), table.Column("SEEN AS", gives=True), table.Column("SINCE", style=dim))
_UNDO = " · tui-memory undo takes the memories back"


def details(found: Details) -> list[str]:
    """A project: what it is, why, what it has, and every key it was seen under."""
    one = found.project
    has = ", ".join(f"{count:,} {name}" for name, count in found.counts.items())
    lines = [one_line(one.name), f"uid    {one.uid}"]
    lines += [f"in     {one_line(one.root)}"] if one.root else []
    lines += [f"why    {one_line(found.why)}"] if found.why else []
    lines += [f"has    {has}", ""]
    keys = [(key.kind, one_line(key.value), local(key.created)[:10]) for key in found.aliases]
    return lines + table.lines(_KEYS, keys, terminal())


def moving(move: Move) -> str:
    """What goes where, in numbers."""
    source = one_line(move.source) or "no project"
    return f"From {source} to {one_line(move.target)}: {_numbers(move)}."


def reassigned(move: Move, *, dry_run: bool, contents: bool) -> str:
    """The receipt of a folder given to another project."""
    target = one_line(move.target)
    would = "would now mean" if dry_run else "now means"
    keys = f"{len(move.keys)} {'key' if len(move.keys) == 1 else 'keys'} more"
    said = f"The folder {would} {target} ({keys})"
    if contents:
        verb = "would go with it" if dry_run else "went with it"
        return f"{said}; {_numbers(move)} {verb}" + ("" if dry_run or not move.memories else _UNDO)
    if move.memories:
        said += f"; {memories(len(move.memories))} from it stay in {one_line(move.source)}: --contents takes them along"
    return said


def merged(move: Move, *, dry_run: bool) -> str:
    """The receipt of two projects made one."""
    source, target = one_line(move.source), one_line(move.target)
    would = "would become" if dry_run else "is now"
    undo = "" if dry_run or not move.memories else _UNDO
    return f"{source} {would} a part of {target}, with {_numbers(move)}{undo}"


def public_move(move: Move, *, written: bool, contents: bool) -> dict[str, Any]:
    """A move's JSON."""
    keys = [{"kind": key.kind, "value": key.value} for key in move.keys]
    counts = {"sessions": move.sessions, "observations": move.observations, "memories": list(move.memories)}
    return {"from": move.source or None, "to": move.target, "written": written, "contents": contents, "keys": keys} | (
        counts
    )


def _numbers(move: Move) -> str:
    parts = ((move.sessions, "session", "sessions"), (move.observations, "observation", "observations"))
    words = [f"{count:,} {one if count == 1 else many}" for count, one, many in parts]
    return ", ".join([*words, memories(len(move.memories))])
