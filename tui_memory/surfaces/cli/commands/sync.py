"""sync: the same memory on all devices of one person, through a folder or bucket of theirs."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import click

from tui_memory.surfaces.cli.commands import backup
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import sync as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


@command("sync", "sync /media/disk/shared --encrypt")
@with_memory()
@click.argument("url", metavar="URL")
@click.option("--encrypt", is_flag=True, help=f"A new place: with a passphrase, asked for or from {backup.PASSPHRASE}.")
@click.option("--recipient", multiple=True, metavar="KEY", help="A device's public key of age (age1…) or SSH; each.")
@click.option("--identity", type=click.File("r"), metavar="FILE", help="This device's private key, with --recipient.")
@click.option("--observations", is_flag=True, help="Send what memories come from as well.")
@json_option
def sync(
    memory: Memory, *, url: str, encrypt: bool, recipient: tuple[str, ...], identity: IO[str] | None,
    observations: bool, as_json: bool,
) -> None:  # fmt: skip
    """Bring this store and those of your other devices to the same state, through a place that all of them reach.

    URL as for backup. Each device sends what is new on it, and takes in what the others sent. Of two edits of one
    memory the later is current, and the other is a case of the audit.
    """
    from tui_memory.beyond.sync_door import Asked

    keys = identity.read() if identity else ""
    asked = Asked(encrypt, recipient, lambda new: backup.passphrase(new=new), keys)
    try:
        done = memory.syncing.sync(url, asked, observations=observations, tell=backup.show_progress)
    finally:
        progress("")
    for warning in done.warnings:
        narrate(warning)
    dump(done.public()) if as_json else say(render.synced(done))
