"""export: memories into a file that another store, another program or a person can read."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from tui_memory.model import Filters
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.commands.reading import STATES
from tui_memory.surfaces.cli.interrupts import interruptible
from tui_memory.surfaces.cli.options import filter_options, json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import exporting as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

FAILED = 1


@command("export", "export memories.jsonl --all-projects --journal")
@with_memory()
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option(
    "--format", "form", type=click.Choice(("jsonl", "markdown")),
    help="jsonl says everything, markdown is for reading. Default: as the file's name ends.",
)  # fmt: skip
@click.option("--state", type=click.Choice(STATES), help="Where they stand. Default: all; in markdown active.")
@click.option("--journal", is_flag=True, help="With every change to them (jsonl).")
@click.option("--sources", is_flag=True, help="With the observations they come from (jsonl).")
@click.option("--latest", is_flag=True, help="Without older versions of their texts.")
@click.option("--yes", is_flag=True, help="Write over the file where there is one.")
@filter_options()
@json_option
def export(
    memory: Memory,
    filters: Filters,
    *,
    file: str,
    form: Any,
    yes: bool,
    as_json: bool,
    **what: Any,
) -> None:
    """Write memories to a file, which import reads again.

    The file is readable by you alone, and redacted once more; purge names it as a place that may still hold the text.
    """
    from tui_memory.engine.exporting import Wanted

    with interruptible() as stopped:
        done = memory.exporting.export(
            os.path.abspath(os.path.expanduser(file)), Wanted(filters, **what), format=form, yes=yes,
            on_progress=_show if _watched() else None, cancelled=lambda: bool(stopped),
        )  # fmt: skip
    if _watched():
        click.echo("\r\x1b[K", err=True, nl=False)
    dump(done.public()) if as_json else say(render.exported(done))
    if done.cancelled:
        narrate("Stopped. Nothing was written.")
        click.get_current_context().exit(FAILED)


def _watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _show(done: int, total: int) -> None:
    click.echo(f"\r\x1b[K{done:,} of {total:,} memories", err=True, nl=False)
