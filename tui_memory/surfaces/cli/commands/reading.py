"""list, show, timeline: memories as they are."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tui_memory.clock import now_ms
from tui_memory.model import Filters, Observation
from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.caller import calling_agent
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import MOST, filter_options, ids_argument, json_option, limit_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import memories as render
from tui_memory.surfaces.cli.render import observations as render_observations
from tui_memory.surfaces.cli.render import upkeep as render_upkeep
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.model import Memory as MemoryRow
    from tui_memory.upkeep.findings import Value

STATES = ("active", "held", "superseded", "merged", "trash", "all")
SORTS = ("created", "updated", "used", "uses", "title", "tokens", "pinned")


@command("list", "list --kind bugfix --since 2w")
@with_memory()
@click.option("--state", type=click.Choice(STATES), default="active", show_default=True, help="Where they stand.")
@click.option("--sort", type=click.Choice(SORTS), default="created", show_default=True, help="In which order.")
@limit_option(100)
@filter_options()
@json_option
def list_command(memory: Memory, filters: Filters, *, state: str, sort: str, limit: int, as_json: bool) -> None:
    """List memories, newest first."""
    found = memory.memories(filters, state=state, sort=sort, limit=limit)
    if as_json:
        return dump({"memories": [one.public(whole=False) for one in found]})
    if not found:
        return narrate(_nothing(memory))
    say(render.rows(found, now_ms(), terminal()))
    total = memory.count(filters, state=state) if len(found) == limit else len(found)
    if total > len(found):
        narrate(f"{len(found):,} of {total:,} · --limit shows more")


def _nothing(memory: Memory) -> str:
    """Why the list is empty, and what to do: nothing that would list as little."""
    if memory.count(state="all"):
        return "No memory matches. `tui-memory list --all-projects --state all` lists every one."
    return "Nothing is remembered yet. `tui-memory add` writes a memory, `tui-memory install AGENT` has sessions read."


@command("show", "show 12 14 --sources")
@with_memory()
@ids_argument()
@click.option("--sources", is_flag=True, help="With the observations each was made from.")
@click.option("--value", "valued", is_flag=True, help="With what each is worth keeping, and what adds up to it.")
@json_option
def show(memory: Memory, *, ids: list[int | str], sources: bool, valued: bool, as_json: bool) -> None:
    """Show memories whole, with --sources also what made them.

    Where an agent runs it, each counts as a use.
    """
    found = memory.fetch(ids) if calling_agent() else memory.get(ids)
    wanted = list(dict.fromkeys(source for one in found for source in one.sources)) if sources else []
    observed = {one.id: one for one in memory.observation(wanted)} if wanted else {}
    worth = memory.upkeep.values([one.id for one in found]) if valued else {}
    if as_json:
        value: dict[str, Any] = {"memories": [_public(one, worth.get(one.id)) for one in found]}
        return dump(value | ({"observations": [one.public() for one in observed.values()]} if sources else {}))
    now = now_ms()
    for n, one in enumerate(found):
        kept = ["", render_upkeep.value(worth[one.id])] if one.id in worth else []
        say(([""] if n else []) + render.whole(one, now) + kept + _sources(one.sources, observed))


@command("timeline", "timeline 12 --before 5")
@with_memory()
@click.argument("which", type=params.memory_id, metavar="ID")
@click.option("--before", type=click.IntRange(0, MOST), default=3, show_default=True, metavar="N", help="Older ones.")
@click.option("--after", type=click.IntRange(0, MOST), default=3, show_default=True, metavar="N", help="Newer ones.")
@json_option
def timeline(memory: Memory, *, which: int | str, before: int, after: int, as_json: bool) -> None:
    """Show what was remembered around a memory, oldest first."""
    found = memory.timeline(which, before=before, after=after)
    if as_json:
        return dump({"memories": [one.public(whole=False) for one in found]})
    itself = next((one.id for one in found if which in (one.id, one.uid)), 0)
    say(render.rows(found, now_ms(), terminal(), marked=itself))


def _public(memory: MemoryRow, value: Value | None) -> dict[str, Any]:
    """The contract's shape, with the value where it was asked for."""
    return memory.public() | ({"value": asdict(value)} if value else {})


def _sources(ids: list[int], observed: dict[int, Observation]) -> list[str]:
    return [line for one in ids if one in observed for line in ["", *render_observations.whole(observed[one])]]
