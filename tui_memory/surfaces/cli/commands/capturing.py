"""hook, observations, compress: what comes in, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory import places
from tui_memory.clock import now_ms
from tui_memory.model import Filters, ObservationState
from tui_memory.safetext import one_line
from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import filter_options, json_option, limit_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import observations as render
from tui_memory.surfaces.cli.render import receipts
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.compress.pulling import Pulled
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


@command("compress", "compress --route ollama:qwen2.5-coder:1.5b --again 12 14")
@with_memory()
@click.option("--now", is_flag=True, help="Do it here and wait. Default: the worker does it in the background.")
@click.option(
    "--route",
    metavar="NAME",
    default="",
    help="Here, and by this way: ollama:MODEL, openai:URL#MODEL or extractive. Default: the settings'.",
)
@click.option(
    "--again",
    "ids",
    type=params.memory_id,
    multiple=True,
    metavar="ID",
    help="The turns of these memories once more: new versions in place; what you wrote yourself stays.",
)
@click.option("--pull", metavar="MODEL", default="", help="Have Ollama fetch a model first, and wait.")
@click.argument("more", nargs=-1, type=params.memory_id, metavar="[ID…]")
@json_option
def compress(
    memory: Memory,
    *,
    now: bool,
    route: str,
    ids: tuple[int | str, ...],
    pull: str,
    more: tuple[int | str, ...],
    as_json: bool,
) -> None:
    """Make memories of what was captured and waits."""
    if pull:
        _pull(memory, pull)
        if not (now or route or ids):
            return dump({"pulled": pull}) if as_json else None
    if more and not ids:
        raise click.UsageError("An ID is named with --again: `tui-memory compress --again 12 14`.")
    if ids:
        return _again(memory, [*ids, *more], route, as_json)
    if not (now or route):
        status = memory.start_worker()
        return dump(status) if as_json else say(f"The worker is at it: {status['queue']:,} turns wait")
    done = memory.compressing.drain(lambda turn: progress(f"{turn.waiting:,} turns wait"), route)
    progress("")
    memory.embedding.embed_missing()
    for note in done.notes:
        narrate(note)
    if done.notes:
        narrate("The turns of which this is said went to the next route.")
    if as_json:
        return dump({"turns": done.turns, "made": done.memories, "failed": done.failed, "notes": done.notes})
    failed = f", {done.failed:,} failed: they are tried again later" if done.failed else ""
    say(f"{done.turns:,} turns became {receipts.count(done.memories)}{failed}")
    waiting = memory.stats()["queue"]
    if left := waiting.get("waiting", 0) + waiting.get("leased", 0):
        narrate(
            f"{left:,} turns are left: another process has them, or they are tried again later. Call it again then."
        )
    if done.renewed:
        say(f"{receipts.count(len(done.renewed))} made by rule before got a new version by the model")


def _pull(memory: Memory, model: str) -> None:
    """Fetch a model, and say how it gets used."""

    def told(pulled: Pulled) -> None:
        far = f": {pulled.done / 1e6:,.0f} of {pulled.total / 1e6:,.0f} MB" if pulled.total else ""
        progress(f"{one_line(pulled.step)}{far}")

    memory.observing.pull(model, told)
    progress("")
    narrate(f"{one_line(model)} is here.")
    if f"ollama:{model}" not in memory.settings.compress.routes:
        narrate(f"To use it, name ollama:{one_line(model)} first under compress.routes in {places.config_file()}.")


def _again(memory: Memory, ids: list[int | str], route: str, as_json: bool) -> None:
    """Compress once more, and say what has a new version and what was left."""
    done = memory.compressing.again(ids, route, lambda at, of: progress(f"{at:,} of {of:,} turns"))
    progress("")
    memory.embedding.embed_missing()
    for note in done.notes:
        narrate(note)
    if as_json:
        fields = {"turns": done.turns, "renewed": done.renewed, "made": done.added, "notes": done.notes}
        return dump(fields | {"left": {str(id_): why for id_, why in done.left.items()}})
    changed = len(set(done.renewed) - set(done.left))
    back = " · tui-memory undo takes it back" if changed else ""
    say(f"{receipts.count(changed)} got a new version, {len(done.added):,} new{back}")
    for id_, why in done.left.items():
        say(f"#{id_} is left as it is: {why}")
