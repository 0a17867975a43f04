"""install git, uninstall git, index-git: a repository's commits, those to come and those that are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui_memory.errors import RefusedError
from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.asking import ask
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.interrupts import interruptible
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import git as render
from tui_memory.surfaces.cli.render.diffs import coloured
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.history import HistoryProgress
    from tui_memory.engine.memory import Memory

UNFINISHED = 5


def hooks(*, removal: bool, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Put the hooks of the repository of the current directory in, or take them out: shows the change, then asks."""
    from tui_memory.surfaces.install import git

    here = Path.cwd()
    shown = git.uninstall(here, dry_run=True) if removal else git.install(here, dry_run=True)
    wanted = shown.changed and not dry_run
    if not as_json:
        say(coloured(shown.diff) if shown.changed else f"Nothing to do: {shown.hooks} is as it should be")
    if wanted:
        if shown.reason and not yes:
            raise RefusedError(f"{shown.reason} Nothing was changed; --yes does it all the same.")
        ask(yes)
        _ = git.uninstall(here) if removal else git.install(here, yes=yes)
    elif shown.reason:
        narrate(shown.reason)
    if as_json:
        files = [str(change.path) for change in shown.changes]
        facts = {"path": str(shown.hooks), "changed": shown.changed, "written": wanted, "files": files}
        return dump(facts | {"reason": shown.reason, "diff": shown.diff})
    if wanted and removal:
        say(f"Took our lines out of {shown.hooks} · what is remembered stays")
    elif wanted:
        say(f"Commits of this repository are told from now on · tui-memory index-git takes those before · {_BACK}")
    elif shown.changed:
        narrate("Nothing was changed: without --dry-run this is what would be written.")


_BACK = "tui-memory uninstall git gives the exact bytes back"


@command("index-git", "index-git --since 26w")
@with_memory()
@click.argument("path", type=click.Path(), default=".", metavar="[PATH]")
@click.option("--since", type=params.since, metavar="TIME", help="Only commits since: 3d, 26w, or ISO 8601.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the newest N commits.")
@click.option(
    "--route",
    default="extractive",
    show_default=True,
    metavar="R",
    help="What makes memories of them: extractive needs no model; or ollama:MODEL.",
)
@json_option
@click.pass_context
def index_git(
    ctx: click.Context,
    memory: Memory,
    *,
    path: str,
    since: int | None,
    limit: int | None,
    route: str,
    as_json: bool,
) -> None:
    """Make memories of a repository's history, oldest commit first.

    A second run takes only what is new; one that was stopped goes on where it was.
    """

    def show(now: HistoryProgress) -> None:
        progress(render.progress(now)[: terminal() or 79])

    with interruptible() as stopped:
        report = memory.index_git(
            path, since=since, limit=limit, route=route, on_progress=show, cancelled=lambda: bool(stopped)
        )
    progress("")
    dump(report.public()) if as_json else say(render.history(report))
    for line in report.failed[:20]:
        narrate(line)
    if report.cancelled:
        narrate("Stopped. What was stored stays stored; `tui-memory index-git` goes on where it was.")
        ctx.exit(UNFINISHED)
