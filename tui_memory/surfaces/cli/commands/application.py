"""ui: the application."""

from __future__ import annotations

import os
import sys

import click

from tui_memory.errors import UsageError
from tui_memory.surfaces.cli.app import open_application
from tui_memory.surfaces.cli.commands.base import command


@command("ui", "ui --demo")
@click.option("--demo", is_flag=True, help="On sample data, run through the pipeline into a throw-away store.")
@click.pass_context
def ui(ctx: click.Context, *, demo: bool) -> None:
    """Open the application."""
    served = "TEXTUAL_DRIVER" in os.environ  # a browser or a test stands in for the terminal
    streams = (sys.stdin, sys.stdout, sys.stderr)  # Textual draws on the last
    if not served and not all(stream is not None and stream.isatty() for stream in streams):
        raise UsageError(
            "The application needs a terminal. `tui-memory --help` lists the commands for everything else."
        )
    if not served and os.environ.get("TERM", "") in ("dumb", "unknown"):
        raise UsageError(
            "The application needs a terminal that can move its cursor; TERM says that this one cannot."
            " `tui-memory --help` lists the commands for everything else."
        )
    ctx.exit(open_application(demo=demo))
