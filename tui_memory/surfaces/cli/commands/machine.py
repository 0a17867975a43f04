"""worker, stats, doctor: the state of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import status as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

FAILED = 1


@click.group("worker")
def worker() -> None:
    """Start, stop or look at the background process."""


@command("start", "worker start")
@with_memory()
@json_option
def start(memory: Memory, *, as_json: bool) -> None:
    """Start the worker where none runs."""
    status = memory.start_worker()
    dump(status) if as_json else say(render.worker(status))


@command("stop", "worker stop")
@with_memory()
@json_option
def stop(memory: Memory, *, as_json: bool) -> None:
    """Ask the worker to finish what it has and leave."""
    ran = memory.stop_worker()
    if as_json:
        return dump({"stopped": ran})
    say("The worker was asked to finish and leave" if ran else "No worker runs")


@command("status", "worker status")
@with_memory()
@json_option
def status(memory: Memory, *, as_json: bool) -> None:
    """Say whether the worker runs, and what it has to do."""
    found = memory.worker_status()
    dump(found) if as_json else say(render.worker(found))


for part in (start, stop, status):
    worker.add_command(part)


@command("stats", "stats")
@with_memory()
@json_option
def stats(memory: Memory, *, as_json: bool) -> None:
    """Count what was captured, kept, made and given."""
    found = memory.stats()
    dump(found) if as_json else say(render.stats(found))


@command("doctor", "doctor")
@with_memory()
@json_option
@click.option("--fire", metavar="AGENT", help="Prove this agent's hook: a made-up event, stored and removed.")
@click.pass_context
def doctor(ctx: click.Context, memory: Memory, *, fire: str | None, as_json: bool) -> None:
    """Check the installation and say what mends it."""
    from tui_memory.surfaces.install.found import installed

    found = memory.doctor(fire, installed=installed())
    dump(found) if as_json else say(render.doctor(found))
    wrong = sum(not check["ok"] for check in found["checks"])
    if wrong:
        narrate(f"{wrong} of {len(found['checks'])} checks found something to mend.")
        ctx.exit(FAILED)
