"""hook, observations, compress: what comes in, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.model import Filters, ObservationState, now_ms
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import filter_options, json_option, limit_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import observations as render
from tui_memory.surfaces.cli.render import receipts
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


@command("observations", "observations --agent claude-code --since 1h")
@with_memory()
@click.option("--state", type=click.Choice([state.value for state in ObservationState]), help="How far they have come.")
@limit_option(50)
@filter_options(content=False)
@json_option
def observations(memory: Memory, filters: Filters, *, state: str | None, limit: int, as_json: bool) -> None:
    """List what was captured, newest first."""
    found = memory.observations(filters, state=state, limit=limit)
    if as_json:
        return dump({"observations": [one.public() for one in found]})
    if not found:
        return narrate("No observation matches. `tui-memory doctor` says which agents have spoken.")
    say(render.rows(found, now_ms(), terminal()))
    if len(found) == limit:
        narrate(f"The newest {limit:,} · --limit shows more")


@command("compress", "compress --now")
@with_memory()
@click.option("--now", is_flag=True, help="Do it here and wait. Default: the worker does it in the background.")
@json_option
def compress(memory: Memory, *, now: bool, as_json: bool) -> None:
    """Make memories of what was captured and waits."""
    if not now:
        status = memory.start_worker()
        return dump(status) if as_json else say(f"The worker is at it: {status['queue']:,} turns wait")
    done = memory.compress(on_turn=lambda turn: progress(f"{turn.waiting:,} turns wait"))
    progress("")
    for note in done.notes:
        narrate(note)
    if as_json:
        return dump({"turns": done.turns, "made": done.memories, "failed": done.failed, "notes": done.notes})
    failed = f", {done.failed:,} failed: they are tried again later" if done.failed else ""
    say(f"{done.turns:,} turns became {receipts.count(done.memories)}{failed}")
