"""project list: which projects the store knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import projects as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


@click.group("project")
def project() -> None:
    """Look at the projects that memories belong to."""


@command("list", "project list")
@with_memory()
@json_option
def list_command(memory: Memory, *, as_json: bool) -> None:
    """List every project the store knows, and the folder it was last seen in."""
    found = memory.projects()
    if as_json:
        return dump({"projects": [render.public(one) for one in found]})
    if not found:
        return narrate("No project yet: an agent's first event, or `tui-memory add`, makes one.")
    say(render.rows(found))


project.add_command(list_command)
