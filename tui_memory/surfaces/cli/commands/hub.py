"""hub init, connect, status, disconnect, share, push, pull, members: what a team shares, by choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import KINDS, json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import hub as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

_team = click.option("--team", default="", metavar="T", help="The team. Default: the only one there is.")
_dsn = click.argument("dsn", metavar="DSN")


@click.group("hub")
def hub() -> None:
    """Share memories with a team through a PostgreSQL with pgvector, and find what others share."""


@command("init", "hub init postgresql://keeper@localhost/team --team platform")
@with_memory()
@_dsn
@click.option("--team", default="", metavar="T", help="Make this team too.")
@json_option
def init(memory: Memory, *, dsn: str, team: str, as_json: bool) -> None:
    """Make a database a hub, or bring its schema up to date: for its owner, who runs it again for another team."""
    made = memory.hub.init(dsn, team)
    if as_json:
        return dump({"schema": made.version, "before": made.before, "team": made.team})
    say(render.made(made))


@command("connect", "hub connect postgresql://ana@localhost/team")
@with_memory()
@_dsn
@_team
@json_option
def connect(memory: Memory, *, dsn: str, team: str, as_json: bool) -> None:
    """Connect this store to a team. Nothing is shared by that.

    A host beyond this machine must stand in remote.allowed_hosts. A password in DSN is kept in the store's
    hub.password, for its owner's eyes alone; PGPASSFILE and PGPASSWORD do as well.
    """
    told = memory.hub.connect(dsn, team)
    dump(told) if as_json else say(render.status(told))


@command("status", "hub status")
@with_memory()
@json_option
def status(memory: Memory, *, as_json: bool) -> None:
    """Say what is connected and shared, how old it is, and whether the hub answers."""
    told = memory.hub.status()
    dump(told) if as_json else say(render.status(told))


@command("disconnect", "hub disconnect")
@with_memory()
def disconnect(memory: Memory) -> None:
    """Forget the hub and its password. What was shared stays there, what was pulled stays here."""
    if memory.hub.disconnect():
        return narrate("Disconnected. What was shared stays in the hub, what was pulled stays here.")
    narrate("No hub was connected. Nothing was changed.")


@command("share", "hub share --project orderly --kind decision --kind convention")
@with_memory()
@click.option("--project", type=params.project, default=".", metavar="P", help="Default: that of this directory.")
@click.option("--kind", type=KINDS, multiple=True, metavar="K", help="Only memories of this kind.")
@click.option("--stop", is_flag=True, help="Share it no more, and take out of the hub what you shared of it.")
@json_option
def share(memory: Memory, *, project: str, kind: tuple[str, ...], stop: bool, as_json: bool) -> None:
    """Choose what is shared: a project, all of it or some kinds. `hub push` sends it."""
    told = memory.hub.withdraw(project) if stop else memory.hub.share(project, kind)
    if as_json:
        return dump(told)
    say(render.withdrawn(told) if stop else render.shared(told))


@command("push", "hub push")
@with_memory()
@json_option
def push(memory: Memory, *, as_json: bool) -> None:
    """Send what is shared and new or changed, masked once more; take out what was purged here."""
    try:
        done = memory.hub.push(on_progress=lambda sent, of: progress(f"sending {sent / of:.0%}" if of else ""))
    finally:
        progress("")
    dump(done.public()) if as_json else say(render.pushed(done))


@command("pull", "hub pull")
@with_memory()
@click.option("--project", multiple=True, metavar="P", help="This project of the team, also one that is not here yet.")
@click.option("--all-projects", is_flag=True, help="All of the team's.")
@json_option
def pull(memory: Memory, *, project: tuple[str, ...], all_projects: bool, as_json: bool) -> None:
    """Take in what others share. Default: of the projects that are here. `undo` takes it back."""
    try:
        done = memory.hub.pull(project, every=all_projects, on_progress=lambda seen: progress(f"{seen:,} read"))
    finally:
        progress("")
    dump(done.public()) if as_json else say(render.pulled(done))


@command("members", "hub members --add ben")
@with_memory()
@click.option("--add", default="", metavar="LOGIN", help="Add a login of the database to the team.")
@click.option("--admin", is_flag=True, help="With --add: who may add and remove others.")
@click.option("--remove", default="", metavar="LOGIN", help="Take a login out of the team.")
@click.option("--owner", default="", metavar="DSN", help="As the hub's owner: the first admin is added so.")
@_team
@json_option
def members(memory: Memory, *, add: str, admin: bool, remove: str, owner: str, team: str, as_json: bool) -> None:
    """List who belongs to the team; an admin adds and removes."""
    if add or remove or owner:
        found = memory.hub.change_members(add=add, remove=remove, admin=admin, dsn=owner, team=team)
    else:
        found = memory.hub.members()
    dump({"members": found}) if as_json else say(render.members(found))


for part in (init, connect, status, disconnect, share, push, pull, members):
    hub.add_command(part)
