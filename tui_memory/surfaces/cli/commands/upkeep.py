"""upkeep: what the worker does now and then, done now, and said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.interrupts import interruptible
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import upkeep as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

UNFINISHED = 5


@command("upkeep", "upkeep --dry-run")
@with_memory()
@click.option("--dry-run", is_flag=True, help="Look, say what would go, and change no memory.")
@click.option("--full", is_flag=True, help="Compare all memories anew, not only what changed.")
@json_option
@click.pass_context
def upkeep(ctx: click.Context, memory: Memory, *, dry_run: bool, full: bool, as_json: bool) -> None:
    """Find duplicates, contradictions and stale names; bring the store within its limits."""
    with interruptible() as stopped:
        found = memory.upkeep.run(
            full=full,
            dry_run=dry_run,
            on_progress=lambda done, total: progress(f"{done:,} of {total:,}"),
            cancelled=lambda: bool(stopped),
        )
    progress("")
    if as_json:
        dump(found.public() | {"dry_run": dry_run})
    elif not found.refreshed.busy:
        say(render.upkept(found))
    if found.refreshed.busy:
        narrate("Another process is doing upkeep of this store. Nothing was changed; try again in a minute.")
        ctx.exit(UNFINISHED)
    if found.refreshed.cancelled:
        narrate("Stopped. What was known before stays; the same command begins anew.")
        ctx.exit(UNFINISHED)
