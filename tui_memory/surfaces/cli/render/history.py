"""The journal for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_memory.model import Entry
from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render import table
from tui_memory.surfaces.cli.render.ages import age
from tui_memory.surfaces.cli.render.paint import accent, dim

_COLUMNS = (
    table.Column("ENTRY", right=True),
    table.Column("AGE", right=True, style=dim),
    table.Column("WHO", style=dim),
    table.Column("ACTION"),
    table.Column("MEMORY", right=True, style=accent),
    table.Column("TITLE", gives=True),
    table.Column("CHANGED", gives=True),
    table.Column("", style=dim),
)


def rows(entries: Sequence[Entry], told: Mapping[int, str], now: int, limit: int | None) -> list[str]:
    """A line an entry, heads first; what was undone says so; `told`: by entry what it changed."""
    return table.lines(_COLUMNS, [_row(entry, told.get(entry.id, ""), now) for entry in entries], limit)


def _row(entry: Entry, told: str, now: int) -> list[str]:
    return [
        str(entry.id),
        age(entry.time, now),
        one_line(entry.actor),
        one_line(entry.action),
        str(entry.memory),
        one_line(entry.title),
        one_line(told),
        "taken back" if entry.undone else "",
    ]
