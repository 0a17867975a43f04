"""project list, show, reassign, merge: which projects the store knows, why, and how that is put right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli.asking import ask
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import projects as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

_yes = click.option("--yes", is_flag=True, help="Do not ask.")
_dry_run = click.option("--dry-run", is_flag=True, help="Say what would go where, and change nothing.")


@click.group("project")
def project() -> None:
    """Look at the projects that memories belong to, and put them right."""


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


@command("show", "project show .")
@with_memory()
@click.argument("which", default=".", metavar="[PROJECT]")
@json_option
def show(memory: Memory, *, which: str, as_json: bool) -> None:
    """Say why a folder is the project it is, and under which keys a project was ever seen.

    PROJECT is a name, a uid, a folder, or a key. Without one: the current directory.
    """
    found = memory.project_details(which)
    dump(found.public()) if as_json else say(render.details(found))


@command("reassign", "project reassign ~/code/api orderly")
@with_memory()
@click.argument("what", metavar="FOLDER|KEY")
@click.argument("target", metavar="PROJECT")
@click.option("--contents", is_flag=True, help="What was seen and learned in the folder goes with it.")
@_dry_run
@_yes
@json_option
def reassign(
    memory: Memory, *, what: str, target: str, contents: bool, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Give a folder, or a key that `project show` lists, to another project.

    A project of that name is made where there is none. It holds from then on, whatever git says.
    """
    shown = memory.reassign_project(what, target, contents=contents, dry_run=True)
    if not dry_run:
        if contents and (shown.memories or shown.observations):
            narrate(render.moving(shown))
            ask(yes)
        shown = memory.reassign_project(what, target, contents=contents)
    if as_json:
        return dump(render.public_move(shown, written=not dry_run, contents=contents))
    say(render.reassigned(shown, dry_run=dry_run, contents=contents))


@command("merge", "project merge orderly-old orderly")
@with_memory()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="INTO")
@_dry_run
@_yes
@json_option
def merge(memory: Memory, *, source: str, target: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Make one project of two: FROM becomes a part of INTO, with all it has."""
    shown = memory.merge_projects(source, target, dry_run=True)
    if not dry_run:
        narrate(render.moving(shown))
        ask(yes)
        shown = memory.merge_projects(source, target)
    if as_json:
        return dump(render.public_move(shown, written=not dry_run, contents=True))
    say(render.merged(shown, dry_run=dry_run))


for part in (list_command, show, reassign, merge):
    project.add_command(part)
