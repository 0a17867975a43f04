"""audit, audit show, settle, report: what a person should look at, ranked by risk, and what a week was."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from tui_memory.clock import now_ms
from tui_memory.errors import UsageError
from tui_memory.model import Filters
from tui_memory.surfaces.cli import params, scope, timespan
from tui_memory.surfaces.cli.asking import ask
from tui_memory.surfaces.cli.commands.base import command, write_example
from tui_memory.surfaces.cli.options import filter_options, json_option, limit_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import audit as render
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

_case = click.argument("case", type=click.IntRange(min=1), metavar="CASE")
_family = click.option("--family", metavar="F", help="Only this family: leak, contradiction, duplicate, stale …")


class _Group(click.Group):
    """Lists the cases where no command of its own is named."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, last."""
        write_example("tui-memory audit --family duplicate", formatter)


def _told(done: int, total: int) -> None:
    progress(f"looking through the memories: {100 * done // total} %" if done < total else "")


@with_memory()
@_family
@click.option("--snoozed", is_flag=True, help="Those that sleep, instead of those that wait for you.")
@limit_option(50)
@filter_options()
@json_option
def _list(memory: Memory, filters: Filters, *, family: str | None, snoozed: bool, limit: int, as_json: bool) -> None:
    try:
        found = memory.auditing.cases(family, filters, snoozed=snoozed, limit=limit, on_progress=_told)
    finally:
        progress("")
    if as_json:
        return dump({"cases": [case.public() for case in found]})
    if not found:
        return narrate("No case sleeps." if snoozed else "Nothing to audit: no case is open.")
    say(render.rows(found, terminal()))
    narrate(render.how(memory.auditing.overview(filters), len(found), snoozed=snoozed))


@wraps(_list)
def _begin(**given: Any) -> None:
    if click.get_current_context().invoked_subcommand is None:
        _list(**given)


_begin.__doc__ = "List what a person should look at, riskiest first, each with what is proposed."
audit = click.group("audit", cls=_Group, invoke_without_command=True)(_begin)


@command("show", "audit show 12")
@with_memory()
@_case
@json_option
def show(memory: Memory, *, case: int, as_json: bool) -> None:
    """Show one case: its evidence, the memories beside each other, and what can be done."""
    found = memory.auditing.case(case)
    dump({"cases": [found.public()]}) if as_json else say(render.whole(found, now_ms()))


@command("settle", "audit settle 12 accept")
@with_memory("auto")
@click.argument("words", nargs=-1, metavar="[CASE] [ACTION]")
@click.option("--family", metavar="F", help="Every open case of this family, in one step.")
@click.option("--until", metavar="TIME", help="For snooze: 3d, 2w, or ISO 8601. Default: a week.")
@click.option(
    "--project",
    type=params.project,
    multiple=True,
    metavar="P",
    help="With --family: only this project. Default: that of the current directory.",
)
@click.option("--all-projects", is_flag=True, help="With --family: every project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def settle(
    memory: Memory, *, words: tuple[str, ...], family: str | None, until: str | None, project: tuple[str, ...],
    all_projects: bool, yes: bool, as_json: bool,
) -> None:  # fmt: skip
    """Settle a case: accept what is proposed, reject it, snooze it, or one of the actions it lists.

    `undo` takes it back, and the case is open again; only mask and purge, which take text out of every file of the
    store, have no way back.
    """
    if family is not None:
        filters = Filters(project=scope.chosen(memory, project, all_projects))
        return _settle_family(memory, family, words, filters, yes, as_json)
    if len(words) != 2 or not words[0].isdecimal():
        raise click.UsageError("This needs a CASE and an ACTION: `tui-memory audit settle 12 accept`.")
    case, action = int(words[0]), words[1].lower()
    done = memory.auditing.settle(case, action, until=_later(until), yes=yes)
    dump({"action": done.action, "case": case, "memories": done.memories}) if as_json else say(render.settled(done))


def _settle_family(
    memory: Memory, family: str, words: tuple[str, ...], filters: Filters, yes: bool, as_json: bool
) -> None:
    if len(words) > 1:
        raise click.UsageError("With --family only an ACTION is named: `tui-memory audit settle --family duplicate`.")
    action = words[0].lower() if words else None
    waiting = memory.auditing.cases(family, filters)
    if waiting:
        ask(yes, f"{render.question(waiting, action)}?")
    done = memory.auditing.settle_family(family, action, filters)
    if as_json:
        return dump({"action": done.action, "family": family, "memories": done.memories})
    say(render.settled(done) if done.memories else "Nothing was changed: no case of this family is open")


def _later(value: str | None) -> int | None:
    """A TIME to come, in ms: a span counts from now."""
    if value is None:
        return None
    try:
        return now_ms() + timespan.length(value)
    except UsageError:
        return params.until(value)


@command("report", "audit report --since 1w --format markdown")
@with_memory()
@click.option("--since", type=params.since, metavar="TIME", help="From then on. Default: this week's Monday.")
@click.option(
    "--format", "form", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True,
    help="How it is written.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def report(memory: Memory, *, since: int | None, form: str, as_json: bool) -> None:
    """Say what came in, what was merged and forgotten, what was used, and what it cost and saved."""
    made = memory.auditing.report(since)
    dump({"report": made.public()}) if as_json or form == "json" else say(made.markdown().rstrip())


for part in (show, settle, report):
    audit.add_command(part)
