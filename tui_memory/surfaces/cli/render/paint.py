"""Colour, only where a terminal shows it and never as the only sign of anything."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

Style = Callable[[str], str]


def coloured() -> bool:
    """Whether stdout is a terminal whose owner wants colour (NO_COLOR unset or empty, TERM not `dumb`)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return to_terminal()


def to_terminal() -> bool:
    """Whether a person reads stdout; it is None where a caller closed it."""
    return sys.stdout is not None and sys.stdout.isatty()


def plain(text: str) -> str:
    """The text as it is."""
    return text


def bold(text: str) -> str:
    """The subject of what is printed."""
    return click.style(text, bold=True) if text and coloured() else text


def dim(text: str) -> str:
    """What is there to look up, not to read."""
    return click.style(text, dim=True) if text and coloured() else text


def accent(text: str) -> str:
    """What one would type next: ids."""
    return click.style(text, fg="cyan") if text and coloured() else text


def good(text: str) -> str:
    """All is well; the words beside it say so too."""
    return click.style(text, fg="green") if text and coloured() else text


def bad(text: str) -> str:
    """Something is not well; the words beside it say so too."""
    return click.style(text, fg="red") if text and coloured() else text
