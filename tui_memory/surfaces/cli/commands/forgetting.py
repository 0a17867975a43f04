"""purge, scrub, pause, resume: what is forgotten for good, what newer rules mask, when nothing is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import forgetting as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


@command("purge", "purge --match 'acme-[0-9]+' --dry-run")
@with_memory()
@click.option("--id", "ids", type=params.memory_id, multiple=True, metavar="ID", help="A memory, and its sources.")
@click.argument("more", nargs=-1, type=params.memory_id, metavar="[ID…]")
@click.option("--session", metavar="S", default="", help="All of one session, by the agent's own id.")
@click.option("--project", type=params.project, metavar="P", help="All of one project.")
@click.option("--match", metavar="REGEX", default="", help="Whatever holds a match.")
@click.option("--before", type=params.since, metavar="TIME", help="Whatever is older.")
@click.option("--dry-run", is_flag=True, help="Count, and change nothing.")
@click.option("--yes", is_flag=True, help="Do it: there is no way back.")
@click.option("--expect", type=click.IntRange(min=0), metavar="N", help="The count that --dry-run said.")
@json_option
def purge(
    memory: Memory, *, ids: tuple[int | str, ...], more: tuple[int | str, ...], as_json: bool, **given: Any
) -> None:
    """Forget for good: out of every list, index and file of the store."""
    if more and not ids:
        raise click.UsageError("An ID is named with --id: `tui-memory purge --id 12 14 --dry-run`.")
    try:
        found = memory.purge(ids=[*ids, *more], on_step=progress, **given)
    finally:
        progress("")
    if as_json:
        return dump(found.public())
    say(render.purged(found))
    if found.dry_run:
        narrate(f"Nothing was changed. With --yes --expect {found.counts.count} instead of --dry-run it is purged.")


@command("scrub", "scrub --dry-run")
@with_memory("auto")
@click.option("--dry-run", is_flag=True, help="Count, and change nothing.")
@json_option
def scrub(memory: Memory, *, dry_run: bool, as_json: bool) -> None:
    """Mask everything stored by today's rules."""
    found = memory.scrub(dry_run=dry_run, on_progress=lambda done, total: progress(f"{done:,} of {total:,} rows"))
    progress("")
    dump(found.public() | {"dry_run": dry_run}) if as_json else say(render.scrubbed(found, dry_run=dry_run))


@command("pause", "pause --project . --for 2h")
@with_memory()
@click.option("--project", type=params.project, metavar="P", help="Only this project. Default: everything.")
@click.option("--for", "for_ms", type=params.span, metavar="SPAN", help="For so long: 30m, 2h, 1d. Else until resume.")
@json_option
def pause(memory: Memory, *, project: str | None, for_ms: int | None, as_json: bool) -> None:
    """Capture nothing for a while; hooks obey at once."""
    from tui_memory.store.pauses import FOR_EVER

    until = memory.pause(project, for_ms=for_ms)
    if as_json:
        return dump({"project": project, "until": None if until >= FOR_EVER else until})
    say(render.paused(until, FOR_EVER, project))


@command("resume", "resume --project .")
@with_memory()
@click.option("--project", type=params.project, metavar="P", help="Only this project. Default: everything.")
@json_option
def resume(memory: Memory, *, project: str | None, as_json: bool) -> None:
    """Capture again."""
    was = memory.resume(project)
    left = memory.paused()
    if as_json:
        return dump({"project": project, "resumed": was, "paused": left})
    say("Capture goes on" if was else "Nothing was paused")
    for name in left:
        narrate(f"Still paused: {name or 'everything'} · tui-memory resume{f' --project {name}' if name else ''}")
