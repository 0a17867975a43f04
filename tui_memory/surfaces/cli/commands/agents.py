"""hook: what agents call; install and uninstall: so that they do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tui_memory.errors import ConflictError
from tui_memory.surfaces.cli.asking import ask
from tui_memory.surfaces.cli.commands import git
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render.diffs import coloured

if TYPE_CHECKING:
    from tui_memory.surfaces.install import Setup

Function = Callable[..., Any]


@command("hook", "hook claude-code < event.json")
@click.argument("agent", metavar="AGENT")
@click.argument("rest", nargs=-1, type=click.UNPROCESSED)
def hook(*, agent: str, rest: tuple[str, ...]) -> None:
    """Take an agent's event on stdin; always exits 0."""
    from tui_memory import hook as process

    sys.argv = ["tui-memory hook", agent, *rest]
    process.main()


def _options(function: Function) -> Function:
    for option in (
        json_option,
        click.option("--yes", is_flag=True, help="Do not ask."),
        click.option("--dry-run", is_flag=True, help="Show the change and make none."),
        click.option(
            "--scope",
            type=click.Choice(["user", "project"]),
            default="user",
            show_default=True,
            help="The user's settings, or those of the project in this directory.",
        ),
        click.argument("agent", metavar="AGENT"),
    ):
        function = option(function)
    return function


@command("install", "install claude-code --dry-run")
@_options
def install(*, agent: str, scope: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Make an agent, or git, send its events: shows the change, then asks.

    An agent gets the MCP server, too. `git` means the hooks of the repository of the current directory; `mcp` the
    server alone, of every agent that is used here.
    """
    if agent == "git":
        return git.hooks(removal=False, dry_run=dry_run, yes=yes, as_json=as_json)
    from tui_memory.surfaces import install as agents

    def plan(dry: bool) -> Setup:
        return agents.install(agent, scope, dry_run=dry)

    done = _carry_out(plan, dry_run, yes, as_json)
    if done and not as_json:
        wrote = ", ".join(str(one.path) for one in done.changes)
        say(f"Wrote {wrote} · tui-memory uninstall {agent} gives the exact bytes back")
    # Where there was nothing to do, what keeps it from working is said all the same.
    if told := agents.advice(agent, done) if done else agents.switched_off(agent, plan(True).path):
        narrate(told)


@command("uninstall", "uninstall claude-code --scope project")
@_options
def uninstall(*, agent: str, scope: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Take that back, to the byte; what is remembered stays."""
    if agent == "git":
        return git.hooks(removal=True, dry_run=dry_run, yes=yes, as_json=as_json)
    from tui_memory.surfaces import install as agents

    def plan(dry: bool) -> Setup:
        return agents.uninstall(agent, scope, dry_run=dry)

    done = _carry_out(plan, dry_run, yes, as_json)
    if done and not as_json:
        told = [f"{'Removed' if one.after is None else 'Wrote'} {one.path}" for one in done.changes]
        say(f"{', '.join(told)} · what is remembered stays")


def _carry_out(plan: Callable[[bool], Setup], dry_run: bool, yes: bool, as_json: bool) -> Setup | None:
    """Show the change, ask, make it: the plan that was carried out, or None where nothing was to be done."""
    shown = plan(True)
    wanted = shown.changed and not dry_run
    if not as_json:
        say(coloured(shown.diff) if shown.changed else f"Nothing to do: {_named(shown)}")
    if wanted:
        ask(yes)
        for before, now in zip(shown.files, plan(True).files, strict=True):
            if before != now:
                raise ConflictError(f"{now.path} has changed since it was shown. Nothing was changed; try again.")
        plan(False)
    if as_json:
        files = [str(one.path) for one in shown.files]
        dump({"path": str(shown.path), "files": files, "changed": shown.changed, "written": wanted, "diff": shown.diff})
    elif dry_run and shown.changed:
        narrate("Nothing was changed: without --dry-run this is what would be written.")
    return shown if wanted else None


def _named(setup: Setup) -> str:
    """The files of an installation, and that they are well."""
    names = [str(one.path) for one in setup.files]
    return f"{', '.join(names)} {'is as it' if len(names) == 1 else 'are as they'} should be"
