"""judge, profiles, evaluate, tune: how good the search is, and how it gets better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli import params, scope
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.interrupts import interruptible
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import evaluating as render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui_memory.engine.memory import Memory
    from tui_memory.engine.qrels import Carried

UNFINISHED = 5
_file = click.Path(path_type=Path, dir_okay=False)
_queries = click.option(
    "--queries", type=click.Path(path_type=Path), metavar="FILE",
    help='Lines of {"query": …, "memories": [ID, …]}. Default: what was judged.',
)  # fmt: skip


@command("judge", 'judge "why did we stop retrying payments" 12 --relevant')
@with_memory()
@click.argument("query", required=False)
@click.argument("which", type=params.memory_id, metavar="ID", required=False)
@click.option("--relevant/--irrelevant", default=None, help="Whether the memory answers the query.")
@click.option("--take-back", is_flag=True, help="Forget what was said of the two.")
@click.option("--project", type=params.project, metavar="P", help="Asked in this project. Default: the current one.")
@click.option("--all-projects", is_flag=True, help="Asked of every project.")
@click.option("--export", "target", type=_file, metavar="FILE", help="Write all judgments as TREC qrels.")
@click.option("--import", "source", type=_file, metavar="FILE", help="Read judgments from TREC qrels.")
@click.option("--queries", type=_file, metavar="FILE", help="What the query ids of --import mean. Default: beside it.")
@click.option("--yes", is_flag=True, help="Let --export write over a file.")
@json_option
def judge(
    memory: Memory, *, query: str | None, which: int | str | None, relevant: bool | None, take_back: bool,
    project: str | None, all_projects: bool, target: Path | None, source: Path | None, queries: Path | None,
    yes: bool, as_json: bool,
) -> None:  # fmt: skip
    """Say whether a memory answers a query: what evaluate and tune measure by."""
    carrying = target is not None or source is not None
    if (query is not None if carrying else which is None) or (target and source):
        raise click.UsageError("Give QUERY and ID, or --export FILE, or --import FILE.")
    if target is not None:
        return _carried(memory.evaluating.export_judgments(target, yes=yes), "Wrote", as_json)
    if source is not None:
        return _carried(memory.evaluating.import_judgments(source, queries), "Read", as_json)
    assert query is not None and which is not None
    if (relevant is None) is not take_back:
        raise click.UsageError("Say --relevant or --irrelevant; --take-back forgets it.")
    if take_back:
        done = memory.evaluating.take_back(query, which)
        return dump({"query": query, "taken_back": done}) if as_json else say(render.taken_back(query, done))
    _judge(memory, query, which, bool(relevant), scope.chosen(memory, (project,) if project else (), all_projects),
           as_json)  # fmt: skip


def _carried(done: Carried, verb: str, as_json: bool) -> None:
    dump(done.public()) if as_json else say(render.carried(done, verb))


def _judge(
    memory: Memory, query: str, which: int | str, relevant: bool, place: tuple[str, ...] | None, as_json: bool
) -> None:
    known = {each.uid for each in memory.projects()}
    asked_in = place[0] if place and place[0] in known else None
    judged = memory.evaluating.judge(query, which, relevant=relevant, project=asked_in)
    id_ = memory.get(which)[0].id
    if as_json:
        return dump({"query": judged.query, "memory": id_, "relevant": relevant, "project": judged.project})
    say(render.judged(judged.query, id_, relevant))


@click.group("profiles", invoke_without_command=True)
@json_option
@click.pass_context
def profiles(ctx: click.Context, *, as_json: bool) -> None:
    """List the sets of weights that rank results; show, save or delete one."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command, as_json=as_json)


@command("list", "profiles list")
@with_memory()
@json_option
def list_command(memory: Memory, *, as_json: bool) -> None:
    """List every profile: the program's, the settings', and those saved in the store."""
    found = memory.evaluating.profiles()
    dump({"profiles": [each.public() for each in found]}) if as_json else say(render.profiles(found))


@command("show", "profiles show mine")
@with_memory()
@click.argument("name", required=False, metavar="[P]")
@json_option
def show(memory: Memory, *, name: str | None, as_json: bool) -> None:
    """Show every setting of a profile. Default: the one in use."""
    found = memory.evaluating.profile(name)
    dump(found.public()) if as_json else say(render.profile(found))


@command("save", "profiles save mine --set names=0.3 --set age=0.05")
@with_memory()
@click.argument("name", metavar="P")
@click.option("--from", "base", metavar="P", help="Start from this profile. Default: the one in use.")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting; may be repeated.")
@json_option
def save(memory: Memory, *, name: str, base: str | None, changes: Sequence[str], as_json: bool) -> None:
    """Save a profile under a name; the settings file's `retrieve.profile` makes it the one in use."""
    found = memory.evaluating.save_profile(name, dict(_change(text) for text in changes), base=base)
    dump(found.public()) if as_json else say(render.saved(found))


@command("delete", "profiles delete mine")
@with_memory()
@click.argument("name", metavar="P")
@json_option
def delete(memory: Memory, *, name: str, as_json: bool) -> None:
    """Delete a saved profile."""
    memory.evaluating.delete_profile(name)
    dump({"deleted": name}) if as_json else say(render.deleted(name))


for part in (list_command, show, save, delete):
    profiles.add_command(part)


def _change(text: str) -> tuple[str, float | str]:
    """A setting's name and value; whether there is such a one, the profile says."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set takes NAME=VALUE, not {text!r}.")
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), value.strip()


@command("evaluate", "evaluate --queries mine.jsonl --profile default --profile mine")
@with_memory("auto")
@_queries
@click.option("--profile", "names", multiple=True, metavar="P", help="Measure this one; may be repeated.")
@json_option
def evaluate(memory: Memory, *, queries: Path | None, names: Sequence[str], as_json: bool) -> None:
    """Measure how well the search finds what was judged relevant, with 95 % intervals."""
    found = memory.evaluating.evaluate(queries, names)
    dump(found.public()) if as_json else say(render.evaluation(found))
    for note in render.notes(found.left_out, found.degraded):
        narrate(note)


@command("tune", "tune --queries mine.jsonl --save mine")
@with_memory("auto")
@_queries
@click.option("--profile", "base", metavar="P", help="Start from this one. Default: the one in use.")
@click.option("--save", "name", metavar="P", help="Keep what was found under this name, unless anything got worse.")
@json_option
@click.pass_context
def tune(
    ctx: click.Context, memory: Memory, *, queries: Path | None, base: str | None, name: str | None, as_json: bool
) -> None:
    """Search better weights on half of the judged queries, and measure them on the other half."""
    from tui_memory.engine.evaluating import refusal

    with interruptible() as stopped:
        done = memory.evaluating.tune(
            queries, save=name, base=base, cancelled=lambda: bool(stopped),
            on_progress=lambda tried, most: progress(f"tuning · {tried} of at most {most} profiles"),
        )  # fmt: skip
    progress("")
    dump(done.public()) if as_json else say(render.tuning(done))
    for note in render.notes(done.left_out, done.degraded):
        narrate(note)
    if name and done.saved is None and not done.tuned.cancelled:
        raise refusal(done, name)
    if done.tuned.cancelled:
        narrate("Stopped; nothing was saved. This is what was found until then.")
        ctx.exit(UNFINISHED)
