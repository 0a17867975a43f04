"""Cutting and padding by the cells of a terminal, not by characters: 日 takes two."""

from __future__ import annotations

import shutil
import textwrap

from tui_memory.surfaces.cli.render.paint import to_terminal

TIED = "\N{NO-BREAK SPACE}"
"""A space between words that must stand on one line; `fold` makes it an ordinary one."""
_UNCUT = 10_000
_SPARE = 1  # a full last column makes some terminals wrap


def terminal() -> int | None:
    """The cells a line may take; None where stdout is no terminal, so that nothing is cut for a program."""
    return max(shutil.get_terminal_size().columns - _SPARE, 20) if to_terminal() else None


def cells(text: str) -> int:
    """How many cells a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # 15 ms, paid only where a text needs it

    return cell_len(text)


def cut(text: str, width: int) -> str:
    """At most `width` cells, the end replaced with … where it is longer."""
    if cells(text) <= width:
        return text
    if width < 1:
        return ""
    if text.isascii():
        return text[: width - 1].rstrip() + "…"
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Filled with spaces to `width` cells; `right`: the text at the right."""
    space = " " * max(width - cells(text), 0)
    return space + text if right else text + space


def fold(text: str, limit: int | None) -> list[str]:
    """The lines of a text, broken between words where one would be longer than `limit` (None: never)."""
    lines = textwrap.wrap(text, limit or _UNCUT, break_on_hyphens=False, break_long_words=False)
    return [line.replace(TIED, " ") for line in lines]
