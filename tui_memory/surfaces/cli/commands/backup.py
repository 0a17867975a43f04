"""backup and restore-backup: the store at a place of one's own, and back."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING

import click

from tui_memory.errors import RefusedError
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, progress, say
from tui_memory.surfaces.cli.render import backup as render

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

PASSPHRASE = "TUI_MEMORY_PASSPHRASE"


@command("backup", "backup /media/disk/memory --encrypt")
@with_memory()
@click.argument("url", metavar="URL")
@click.option("--encrypt", is_flag=True, help=f"With a passphrase: asked for, or from {PASSPHRASE}.")
@click.option("--recipient", multiple=True, metavar="KEY", help="Encrypt for a public key of age (age1…) or SSH.")
@json_option
def backup(memory: Memory, *, url: str, encrypt: bool, recipient: tuple[str, ...], as_json: bool) -> None:
    """Copy the store to a folder or an address, prove the copy, and remove old ones by the settings' rules.

    URL is a folder, s3://BUCKET/PREFIX (with the extra `s3`), or another address that names its host. A host beyond
    this machine must stand in remote.allowed_hosts.
    """
    from tui_memory.beyond.backup import Lock

    lock = Lock(passphrase(new=True) if encrypt else "", recipient)
    try:
        made = memory.backing_up.make(url, lock, tell=show_progress)
    finally:
        progress("")
    dump(made.public()) if as_json else say(render.made(made))


@command("restore-backup", "restore-backup /media/disk/memory --yes")
@with_memory()
@click.argument("url", metavar="URL")
@click.option("--list", "only_list", is_flag=True, help="List the back-ups there, and change nothing.")
@click.option("--name", metavar="NAME", default="", help="This back-up. Default: the newest of this store.")
@click.option("--identity", type=click.File("r"), metavar="FILE", help="The private key of one made with --recipient.")
@click.option("--yes", is_flag=True, help="Replace the store that is here; what it holds is kept aside.")
@json_option
def restore_backup(
    memory: Memory, *, url: str, only_list: bool, name: str, identity: IO[str] | None, yes: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Bring the store back to a back-up; the one that is here is kept aside.

    URL as for backup, or one file of the store's own `backups/`. What was purged here since is purged again.
    """
    from tui_memory.beyond.restore import Keys

    if only_list:
        found = memory.backing_up.listed(url)
        return dump(found.public()) if as_json else say(render.listed(found))
    keys = Keys(lambda: passphrase(new=False), identity.read() if identity else "")
    try:
        done = memory.backing_up.restore(url, keys, name=name, yes=yes, tell=show_progress)
    finally:
        progress("")
    if as_json:
        return dump(done.public())
    say(render.restored(done))
    if done.aside:
        narrate(f"What was here is kept in {done.aside}; `tui-memory restore-backup` of that file brings it back.")


def passphrase(*, new: bool) -> str:
    """From the environment, else from whoever is at the terminal. RefusedError where neither gives one."""
    given = os.environ.get(PASSPHRASE, "")
    if given:
        return given
    if sys.stdin is None or not sys.stdin.isatty():
        raise RefusedError(f"There is nobody to ask for the passphrase. Nothing was changed; set {PASSPHRASE}.")
    asked: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True)
    return asked


def show_progress(what: str, done: int, of: int) -> None:
    """What is being done, and how far it is."""
    progress(f"{what} {done / of:.0%}" if of else what)
