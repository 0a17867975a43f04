"""Projects for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.paint import accent, dim
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
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
