"""undo, redo, history: the record of every change, and the ways back and forth in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.clock import now_ms
from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, limit_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import history as render
from tui_memory.surfaces.cli.render import receipts
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.store.reach import Reverted

steps = click.argument("n", type=click.IntRange(min=1, max=10_000), default=1, metavar="[N]")


@command("undo", "undo 2")
@with_memory()
@steps
@click.option("--entry", type=click.IntRange(min=1), metavar="ID", help="That of history, whoever made the change.")
@json_option
def undo(memory: Memory, *, n: int, entry: int | None, as_json: bool) -> None:
    """Take back your last change, the last N, or any by its entry.

    It reaches back to the oldest text that is still kept, and says where it stops. What was purged or masked for good
    stays so: undo passes over it, and says so.
    """
    if entry is not None and n > 1:
        raise click.UsageError("N and --entry exclude each other: an entry names one change.")
    entries = memory.undo(n, entry=entry)
    if as_json:
        return dump({"undone": [one.public() for one in entries]} | _skipped(entries))
    for skipped in entries.skipped:
        narrate(skipped)
    if not entries:
        return narrate("There is nothing to take back.")
    say(receipts.reverted(entries, "Took back:" if all(one.undone for one in entries) else "Brought again:"))
    taken = len({one.group for one in entries})
    if entry is None and taken < n:
        narrate(f"{taken:,} of {n:,}: that is as far back as undo reaches; the next one alone says why")
    narrate("tui-memory redo brings it again")


@command("redo", "redo")
@with_memory()
@steps
@json_option
def redo(memory: Memory, *, n: int, as_json: bool) -> None:
    """Bring again what undo took back last."""
    entries = memory.redo(n)
    if as_json:
        return dump({"redone": [entry.public() for entry in entries]} | _skipped(entries))
    for skipped in entries.skipped:
        narrate(skipped)
    if not entries:
        return narrate("There is nothing to bring again.")
    say(receipts.reverted(entries, "Brought again:"))


def _skipped(done: Reverted) -> dict[str, list[str]]:
    """What nothing brings back, where there is something of the kind."""
    return {"skipped": done.skipped} if done.skipped else {}


@command("history", "history 12")
@with_memory()
@click.argument("which", type=params.memory_id, required=False, metavar="[ID]")
@limit_option(100)
@json_option
def history(memory: Memory, *, which: int | str | None, limit: int, as_json: bool) -> None:
    """Show who changed what and when, newest first."""
    entries = memory.history(which, limit=limit)
    if as_json:
        return dump({"entries": [entry.public() for entry in entries]})
    if not entries:
        return narrate("Nothing was changed yet.")
    say(render.rows(entries, memory.editing.told(entries), now_ms(), terminal()))
