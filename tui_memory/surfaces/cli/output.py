"""The two ways out: data on stdout, narration on stderr; and JSON that no terminal obeys."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

import click

from tui_memory.safetext import clean
from tui_memory.surfaces.cli.render.paint import to_terminal

_BEYOND_ASCII = re.compile("[^\x20-\x7e\n]")


def say(lines: str | Iterable[str]) -> None:
    """Data for people, on stdout. Every outside part must have been cleaned."""
    text = lines if isinstance(lines, str) else "\n".join(lines)
    if text:
        click.echo(text)


def narrate(text: str) -> None:
    """What is going on, on stderr: never part of the data."""
    click.echo(clean(text), err=True)


def progress(text: str) -> None:
    """How far it is, on one line of a terminal that the next call writes over; empty: wipe it. Nothing in a log."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"\r\x1b[K{clean(text)}", nl=False, err=True)


def dump(value: dict[str, Any]) -> None:
    """A JSON object on stdout; on a terminal indented."""
    indent = 2 if to_terminal() else None
    click.echo(as_json(value, indent=indent, ascii_only=not _unicode_stdout()))


def as_json(value: dict[str, Any], *, indent: int | None = None, ascii_only: bool = False) -> str:
    """JSON text that means exactly the value, with every character that does not print written as an escape."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    return text if text.isascii() and "\x7f" not in text else _BEYOND_ASCII.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))


def _unicode_stdout() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")
