"""rebuild: what is made of the memories for searching them, made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.interrupts import interruptible
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

UNFINISHED = 5
_NAMES = {"search": "search text", "index": "vector index"}


@command("rebuild", "rebuild --index")
@with_memory()
@click.option("--index", is_flag=True, help="Only the files of the vector index.")
@click.option("--search", is_flag=True, help="Only the search text.")
@json_option
@click.pass_context
def rebuild(ctx: click.Context, memory: Memory, *, index: bool, search: bool, as_json: bool) -> None:
    """Make search text and vector index anew from the memories; everything goes on meanwhile."""
    with interruptible() as stopped:
        made = memory.rebuilding.run(
            search=search or not index,
            index=index or not search,
            on_progress=lambda what, done, total: progress(f"{_NAMES[what]}: {done:,} of {total:,}"),
            cancelled=lambda: bool(stopped),
        )
    progress("")
    if as_json:
        dump(made.public())
    else:
        if made.search is not None:
            say(f"Search text of {made.search:,} versions was made anew")
        if made.index is not None:
            say(f"The vector index was written anew: {made.index:,} vectors")
    if made.busy:
        narrate("Another process is writing the vector index. It was left to that one; try again in a minute.")
    if made.cancelled:
        narrate("Stopped. Search text that was not reached stays as it was; the same command begins anew.")
    if made.busy or made.cancelled:
        ctx.exit(UNFINISHED)
