"""hook: what agents call; install and uninstall: so that they do."""

from __future__ import annotations

import sys

import click

from tui_memory.surfaces.cli.commands.base import command


@command("hook", "hook claude-code < event.json")
@click.argument("agent", metavar="AGENT")
@click.argument("rest", nargs=-1, type=click.UNPROCESSED)
def hook(*, agent: str, rest: tuple[str, ...]) -> None:
    """Take an agent's event on stdin; always exits 0."""
    from tui_memory import hook as process

    sys.argv = ["tui-memory hook", agent, *rest]
    process.main()
