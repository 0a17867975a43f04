"""delete, restore, pin, unpin, supersede, merge, split: one group in the journal each, taken back by undo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tui_memory.model import Body
from tui_memory.surfaces.cli import params
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import ids_argument, json_option, with_memory
from tui_memory.surfaces.cli.output import dump, narrate, say
from tui_memory.surfaces.cli.render import memories as render
from tui_memory.surfaces.cli.render import receipts

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory
    from tui_memory.engine.merging import Preview
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
@click.option("--written", is_flag=True, help="Let a model of compress.routes word it, held to what they say.")
@click.option("--yes", is_flag=True, help="Also where they are of several projects.")
@click.option("--project", type=params.project, metavar="P", help="Then the one it is of. Default: all projects.")
@click.option("--dry-run", is_flag=True, help="Show the result and change nothing.")
@json_option
def merge(
    memory: Memory,
    *,
    ids: list[int | str],
    title: str | None,
    text: str | None,
    written: bool,
    yes: bool,
    project: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make one memory of several; undo or split take it apart.

    It keeps every distinct text, fact, label and file, all sources, and the sum of their uses.
    """
    seen = memory.merging.preview(ids)
    body = _worded(memory, ids) if written else seen.body
    body = replace(body, title=title or body.title, text=body.text if text is None else text)
    if dry_run:
        return _preview(seen, body, as_json)
    made = memory.get(memory.merge(ids, body=body, across=yes, project=project, base=seen.versions))
    dump({"memories": [one.public() for one in made]}) if as_json else say(receipts.merged(made[0], len(ids)))


def _worded(memory: Memory, ids: list[int | str]) -> Body:
    """In a model's words; where none can, the rule's, and why."""
    found = memory.merging.write(ids)
    if found.note:
        narrate(f"Not worded by a model: {found.note}. This is the merge by rule.")
    return found.body


def _preview(seen: Preview, body: Body, as_json: bool) -> None:
    if as_json:
        about = {"alike": seen.alike, "meaning": seen.meaning, "words": seen.words, "projects": seen.projects}
        return dump({"preview": receipts.preview(body)} | about)
    say(render.body(body))
    several = f" They are of {len(seen.projects)} projects: merging them needs --yes." if seen.projects[1:] else ""
    count = len(seen.originals)
    narrate(f"Nothing was changed: {count} memories, {seen.alike:.2f} alike, would become this one.{several}")


def _report(memory: Memory, receipt: Receipt, asked: list[int | str], as_json: bool) -> None:
    if not as_json:
        return say(receipts.changed(receipt, len(asked)))
    touched = memory.get(receipt.memories) if receipt.memories else []
    dump({"action": receipt.action, "memories": [one.public(whole=False) for one in touched]})
