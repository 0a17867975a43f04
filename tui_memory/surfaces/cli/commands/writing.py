"""add and edit: memories in a person's own words."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tui_memory.errors import UsageError
from tui_memory.surfaces.cli import params, scope
from tui_memory.surfaces.cli.commands.base import command
from tui_memory.surfaces.cli.options import KINDS, TIERS, json_option, with_memory
from tui_memory.surfaces.cli.output import dump, say
from tui_memory.surfaces.cli.render import receipts

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

Function = Callable[..., Any]


def _text(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value != "-":
        return value
    if sys.stdin is None:
        raise UsageError("Standard input is closed, so no text came. Nothing was changed; pipe it in, or --text T.")
    try:
        # The bytes: where no locale is set, text mode lets anything through.
        return sys.stdin.buffer.read().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError("What came on stdin is not UTF-8 text. Nothing was changed.") from error


def _fields(function: Function) -> Function:
    for option in (
        click.option("--everywhere", is_flag=True, help="It belongs to all projects."),
        click.option("--project", type=params.project, metavar="P", help="The project it belongs to."),
        click.option("--file", "files", multiple=True, metavar="F", help="A file it is about; repeat for more."),
        click.option("--label", "labels", multiple=True, metavar="L", help="A label; repeat for more."),
        click.option("--tier", type=TIERS, help="Which part of memory."),
        click.option("--kind", type=KINDS, help="What it is about."),
        click.option("--text", metavar="T", callback=_text, help="The text; - reads it from stdin."),
    ):
        function = option(function)
    return function


@command("add", 'add --title "Retries stop at the deadline" --kind convention --text -')
@with_memory("auto")
@click.option("--title", metavar="T", help="One line; without it, the first line of the text.")
@_fields
@json_option
def add(memory: Memory, *, everywhere: bool, project: str | None, as_json: bool, **fields: Any) -> None:
    """Add a memory: to this project, or with --everywhere to all."""
    _not_both(everywhere, project)
    if not f"{fields['title'] or ''}{fields['text'] or ''}".strip():
        raise click.UsageError("A memory needs a title or a text: --title T, --text T, or --text - to read stdin.")
    place = None if everywhere else project or scope.written(memory)
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}
    made = memory.get(memory.add_many([given | {"project": place}]))
    dump({"memories": [one.public() for one in made]}) if as_json else say(receipts.written("add", made[0]))


@command("edit", 'edit 12 --title "Retries stop at the deadline" --label http')
@with_memory("auto")
@click.argument("which", type=params.memory_id, metavar="ID")
@click.option("--title", metavar="T", help="One line.")
@_fields
@json_option
def edit(
    memory: Memory,
    *,
    which: int | str,
    everywhere: bool,
    project: str | None,
    as_json: bool,
    **fields: Any,
) -> None:
    """Change a memory; what is not named stays as it is."""
    _not_both(everywhere, project)
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}
    if fields["text"] == "":
        given["text"] = ""
    given |= {"everywhere": True} if everywhere else {"project": project} if project else {}
    if not given:
        raise click.UsageError("Nothing to change was named: --title, --text, --kind, --tier, --label, --file …")
    before = memory.get([which])[0]
    changed = memory.edit(which, **given)
    told = receipts.unchanged(changed) if changed.updated == before.updated else receipts.written("edit", changed)
    dump({"memories": [changed.public()]}) if as_json else say(told)


def _not_both(everywhere: bool, project: str | None) -> None:
    if everywhere and project:
        raise click.UsageError("--everywhere and --project exclude each other.")
