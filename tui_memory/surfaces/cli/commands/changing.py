"""delete, restore, pin, unpin, supersede, merge, split: one group in the journal each, taken back by undo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import ids_argument, json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import memories as render
from tui_memory.surfaces.cli.render import receipts

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.receipt import Receipt


@command("delete", "delete 3 4 17")
@with_memory()
@ids_argument()
@json_option
def delete(memory: Memory, *, ids: list[int | str], as_json: bool) -> None:
    """Move memories to the trash; undo brings them back."""
    _report(memory, memory.delete(ids), ids, as_json)


@command("restore", "restore 3")
@with_memory()
@ids_argument()
@json_option
def restore(memory: Memory, *, ids: list[int | str], as_json: bool) -> None:
    """Bring back from the trash; release held or superseded ones."""
    _report(memory, memory.restore(ids), ids, as_json)


@command("pin", "pin 12")
@with_memory()
@ids_argument()
@json_option
def pin(memory: Memory, *, ids: list[int | str], as_json: bool) -> None:
    """Pin memories: shown first, never evicted."""
    _report(memory, memory.pin(ids), ids, as_json)


@command("unpin", "unpin 12")
@with_memory()
@ids_argument()
@json_option
def unpin(memory: Memory, *, ids: list[int | str], as_json: bool) -> None:
    """Take pins away."""
    _report(memory, memory.unpin(ids), ids, as_json)


@command("supersede", "supersede 12 31")
@with_memory()
@click.argument("old", type=params.memory_id, metavar="OLD")
@click.argument("new", type=params.memory_id, metavar="NEW")
@json_option
def supersede(memory: Memory, *, old: int | str, new: int | str, as_json: bool) -> None:
    """Replace an older memory; it stays findable."""
    _report(memory, memory.supersede(old, new), [old, new], as_json)


@command("split", "split 31")
@with_memory()
@click.argument("which", type=params.memory_id, metavar="ID")
@json_option
def split(memory: Memory, *, which: int | str, as_json: bool) -> None:
    """Take a merge apart: its originals come back exactly."""
    _report(memory, memory.split(which), [], as_json)


@command("merge", "merge 3 4 --dry-run")
@with_memory("auto")
@ids_argument(at_least=2)
@click.option("--title", metavar="T", help="The title. Default: that of the newest.")
@click.option("--text", metavar="T", help="The text. Default: every distinct one of them.")
@click.option("--dry-run", is_flag=True, help="Show the result and change nothing.")
@json_option
def merge(
    memory: Memory, *, ids: list[int | str], title: str | None, text: str | None, dry_run: bool, as_json: bool
) -> None:
    """Make one memory of several; undo or split take it apart."""
    if dry_run:
        return _preview(memory, ids, title, text, as_json)
    made = memory.get(memory.merge(ids, title=title, text=text))
    dump({"memories": [one.public() for one in made]}) if as_json else say(receipts.merged(made[0], len(ids)))


def _preview(memory: Memory, ids: list[int | str], title: str | None, text: str | None, as_json: bool) -> None:
    body = memory.merge_preview(ids)
    body = replace(body, title=title or body.title, text=body.text if text is None else text)
    if as_json:
        return dump({"preview": receipts.preview(body)})
    say(render.body(body))
    narrate(f"Nothing was changed: {len(ids)} memories would become this one.")


def _report(memory: Memory, receipt: Receipt, asked: list[int | str], as_json: bool) -> None:
    if not as_json:
        return say(receipts.changed(receipt, len(asked)))
    touched = memory.get(receipt.memories) if receipt.memories else []
    dump({"action": receipt.action, "memories": [one.public(whole=False) for one in touched]})
