"""mcp and serve: the doors for agents and for other programs."""

from __future__ import annotations

import sys

import click

from tui_memory import places
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.output import narrate, say


@command("mcp", "mcp")
def mcp() -> None:
    """Serve an agent over MCP on stdin and stdout."""
    from tui_memory.surfaces.mcp.server import run  # the SDK alone takes half a second

    if sys.stdin.isatty():
        narrate("This waits for an agent on stdin: register it there as the command `tui-memory mcp`. Ctrl+D ends it.")
    run()


@command("serve", "serve --port 8765")
@click.option(
    "--port", type=click.IntRange(0, 65_535), metavar="N",
    help="Listen on this loopback port, with the token in the store; 0: any free one. Default: the worker's socket.",
)  # fmt: skip
def serve(*, port: int | None) -> None:
    """Serve programs over REST: on the worker's socket, or on a loopback port."""
    from tui_memory.surfaces.rest import doors

    home = places.home()
    if port is None:
        return say(str(doors.on_socket(home)))
    doors.on_port(home, port, lambda address, token: narrate(f"{address} · bearer token in {token} · Ctrl+C ends it"))
