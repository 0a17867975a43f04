"""The parser of every command, under the headings that `--help` shows them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from tui_memory import __version__
from tui_memory.errors import UsageError
from tui_memory.surfaces.cli import failures
from tui_memory.surfaces.cli.commands import (
    agents,
    application,
    audit,
    backup,
    bundling,
    capturing,
    changing,
    evaluating,
    exporting,
    finding,
    forgetting,
    git,
    hub,
    importing,
    journal,
    lab,
    machine,
    projects,
    reading,
    rebuilding,
    serving,
    sync,
    upkeep,
    writing,
)

PROGRAM = "tui-memory"
SECTIONS: tuple[tuple[str, tuple[click.Command, ...]], ...] = (
    ("The application", (application.ui,)),
    (
        "Look",
        (
            reading.list_command, reading.show, finding.search, reading.timeline, finding.context,
            capturing.observations, journal.history,
        ),
    ),
    (
        "Change",
        (
            writing.add, writing.edit, changing.delete, changing.restore, changing.pin, changing.unpin,
            changing.supersede, changing.merge, changing.split, journal.undo, journal.redo,
        ),
    ),
    (
        "Agents",
        (
            agents.install, agents.uninstall, agents.hook, git.index_git, importing.import_transcripts,
            importing.import_file, exporting.export, serving.mcp, serving.serve,
        ),
    ),
    ("Audit", (audit.audit,)),
    ("Measure", (evaluating.judge, evaluating.evaluate, evaluating.tune, evaluating.profiles)),
    ("Forget", (forgetting.purge, forgetting.scrub, forgetting.pause, forgetting.resume)),
    (
        "Keep",
        (
            upkeep.upkeep, rebuilding.rebuild, capturing.compress, lab.lab, machine.worker, projects.project,
            machine.stats, machine.doctor,
        ),
    ),
    ("Beyond this machine", (backup.backup, backup.restore_backup, sync.sync, hub.hub, bundling.bundle)),
)  # fmt: skip
BROKEN_PIPE = 141  # as a shell counts a reader that left early: 128 + SIGPIPE


class Commands(click.Group):
    """The top of the parser: commands under headings; a reader that leaves early (`| head`) is no error."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command with its first line, by heading."""
        width = max(len(name) for name in self.commands)
        for heading, commands in SECTIONS:
            with formatter.section(heading):
                formatter.write_dl(
                    [((command.name or "").ljust(width), command.get_short_help_str(100)) for command in commands]
                )

    def invoke(self, ctx: click.Context) -> Any:
        """Run; a broken pipe ends it in silence."""
        try:
            value = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
            return value
        except BrokenPipeError:
            failures.abandon_stdout()
            ctx.exit(BROKEN_PIPE)


@click.group(
    PROGRAM,
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Without a command it opens the application. `tui-memory COMMAND --help` explains one.",
)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A local memory for AI coding agents: see it, search it, change it, undo it."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(application.ui)


for _heading, _commands in SECTIONS:
    for _command in _commands:
        cli.add_command(_command)


def run(args: Sequence[str]) -> int:
    """Run one command: its exit code. What goes wrong is a sentence on stderr, never a traceback."""
    return failures.guarded(lambda: cli.main(_texts(args), prog_name=PROGRAM, standalone_mode=False))


def _texts(args: Sequence[str]) -> list[str]:
    """The arguments; UsageError where one holds bytes that are no text. A hook's are never refused."""
    for number, arg in enumerate(args, 1):
        try:
            arg.encode()
        except UnicodeEncodeError:
            if args[0] != "hook":
                raise UsageError(
                    f"Argument {number} holds bytes that are no UTF-8 text. Nothing was done; write it in UTF-8."
                ) from None
    return list(args)
