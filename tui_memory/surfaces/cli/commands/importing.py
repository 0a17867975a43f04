"""import-transcripts and import: what agents and other memories have kept already."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.interrupts import interruptible
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import imports as render
from tui_memory.surfaces.cli.render.width import terminal

if TYPE_CHECKING:
    from tui_memory.engine.import_report import Progress
    from tui_memory.engine.memory import Memory

UNFINISHED = 5
FAILED = 1
_AGENTS = ("claude-code", "codex", "gemini-cli", "copilot", "opencode", "aider")


@command("import-transcripts", "import-transcripts --agent claude-code --since 4w")
@with_memory()
@click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH…")
@click.option("--agent", type=click.Choice(_AGENTS), help="Only the histories of this agent.")
@click.option("--since", type=params.since, metavar="TIME", help="Only what happened since: 3d, 2w, or ISO 8601.")
@click.option(
    "--route",
    default="extractive",
    show_default=True,
    metavar="R",
    help="What makes memories of it: extractive needs no model; or ollama:MODEL.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be stored, and change nothing.")
@json_option
@click.pass_context
def import_transcripts(
    ctx: click.Context,
    memory: Memory,
    *,
    paths: tuple[str, ...],
    agent: str | None,
    since: int | None,
    route: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make memories of the agents' own histories.

    Without a PATH it reads where each agent keeps them. A second run reads only what is new.
    """
    from tui_memory.engine.importing import Importing

    with interruptible() as stopped:
        report = Importing(memory).transcripts(
            paths, agent=agent or "", since=since, route=route, dry_run=dry_run, on_progress=_bar(),
            cancelled=lambda: bool(stopped),
        )  # fmt: skip
    _end_bar()
    dump(report.public()) if as_json else say(render.transcripts(report))
    for line in render.failed(report):
        narrate(line)
    if report.cancelled:
        narrate("Stopped. What was stored stays stored; `tui-memory import-transcripts` goes on where it was.")
        ctx.exit(UNFINISHED)
    if report.failed and not report.read and not report.unchanged:
        ctx.exit(FAILED)


@command("import", "import memories.jsonl --dry-run")
@with_memory()
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option("--project", type=params.project, metavar="P", help="Where all of it belongs. Default: as the file says.")
@click.option("--dry-run", is_flag=True, help="Say what would become what, and change nothing.")
@json_option
@click.pass_context
def import_file(
    ctx: click.Context, memory: Memory, *, file: str, project: str | None, dry_run: bool, as_json: bool
) -> None:
    """Take in an export, or another memory: claude-mem, Engram, CLAUDE.md, AGENTS.md.

    All of it is one change, which undo takes back. A second run adds only what is new; where a memory of an export was
    changed here since, yours stays. A file that is wrong in any line changes nothing.
    """
    from tui_memory.engine.importing import Importing

    with interruptible() as stopped:
        report = Importing(memory).file(
            file, project=project, dry_run=dry_run, on_progress=_count if _watched() else None,
            cancelled=lambda: bool(stopped),
        )  # fmt: skip
    _end_bar()
    dump(report.public()) if as_json else say(render.foreign(report))
    if report.cancelled:
        narrate("Stopped. Nothing was changed; the same command begins again.")
        ctx.exit(UNFINISHED)


def _count(records: int) -> None:
    click.echo(f"\r\x1b[K{records:,} records checked", err=True, nl=False)


def _watched() -> bool:
    """Whether a person looks at stderr; it is None where a caller closed it."""
    return sys.stderr is not None and sys.stderr.isatty()


def _bar() -> Any:
    if not _watched():
        return None

    def show(now: Progress) -> None:
        click.echo(f"\r\x1b[K{render.progress(now)[: terminal() or 79]}", err=True, nl=False)

    return show


def _end_bar() -> None:
    if _watched():
        click.echo("\r\x1b[K", err=True, nl=False)
