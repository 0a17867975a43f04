"""Rows in columns: aligned by display width, one line a row, one column giving way where the line is short."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tui_memory.surfaces.cli.render import width as cells_of
from tui_memory.surfaces.cli.render.paint import Style, dim, plain

_GAP = "  "
_LEAST = 12


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head, and how its cells stand."""

    head: str
    right: bool = False
    """Numbers and ages stand at the right."""
    gives: bool = False
    """Cut where the terminal is narrower than the table; of several such columns the last one first."""
    style: Style = plain


def lines(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], limit: int | None = None, *, heads: bool = True
) -> list[str]:
    """The table's lines, heads first. Cells must be clean single lines; `limit`: the cells of a line."""
    body = [list(row) for row in rows]
    widths = [
        max([cells_of.cells(row[n]) for row in body] + [len(column.head) if heads else 0])
        for n, column in enumerate(columns)
    ]
    kept = [n for n, width in enumerate(widths) if any(row[n] for row in body) or not body]
    if limit is not None:
        _give_way(columns, widths, kept, limit)
    made = [_line(columns, widths, kept, [c.head for c in columns], dim)] if heads else []
    return made + [_line(columns, widths, kept, row, None) for row in body]


def _give_way(columns: Sequence[Column], widths: list[int], kept: Sequence[int], limit: int) -> None:
    over = sum(widths[n] for n in kept) + len(_GAP) * (len(kept) - 1) - limit
    for n in reversed(kept):  # the last one that may gives first: what stands left is what is read
        if columns[n].gives and over > 0 and widths[n] > _LEAST:
            given = min(over, widths[n] - _LEAST)
            widths[n], over = widths[n] - given, over - given


def _line(
    columns: Sequence[Column], widths: Sequence[int], kept: Sequence[int], row: Sequence[str], style: Style | None
) -> str:
    parts = []
    for n in kept:
        column = columns[n]
        text = cells_of.cut(row[n], widths[n]) if column.gives else row[n]
        last = n == kept[-1] and not column.right
        padded = text if last else cells_of.pad(text, widths[n], right=column.right)
        parts.append((style or column.style)(padded))
    return _GAP.join(parts).rstrip()
