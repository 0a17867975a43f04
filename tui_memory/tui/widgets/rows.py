"""Laying out one row of a list: cells of clean text into exactly so many terminal cells."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from tui_memory.light import NamedTuple

Span = tuple[str, str]
"""A piece of text and its role: "", muted, accent, subject, good, warn, bad, head, or a part of a score."""


class Cell(NamedTuple):
    """One column of a row."""

    text: str
    role: str = ""
    width: int = 0
    """Terminal cells; 0: as wide as the text."""
    right: bool = False
    flex: bool = False
    """Takes what the others leave; one cell of a row."""
    needs: int = 0
    """Left out of rows narrower than this."""
    fill: str = " "
    """What pads the text to its width."""
    spans: tuple[Span, ...] = ()
    """Pieces of several roles in place of the text; `width` is their sum."""


def fit(text: str, width: int, *, right: bool = False, fill: str = " ") -> str:
    """The text in exactly `width` terminal cells: padded, or cut with … at the end."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "…" if width > 0 else ""
    space = fill * (width - length)
    return space + text if right else text + space


def lay_out(cells: Sequence[Cell], width: int) -> list[Span]:
    """The cells in `width` terminal cells, one space between them; the flexible one stretches or is cut."""
    shown = [cell for cell in cells if width >= cell.needs and (cell.text or cell.width or cell.flex)]
    widths = [0 if cell.flex else cell.width or cell_len(cell.text) for cell in shown]
    room = max(width - sum(widths) - max(len(shown) - 1, 0), 0)
    spans: list[Span] = []
    left = width
    for cell, cell_width in zip(shown, widths, strict=True):
        if spans and left > 0:
            spans.append((" ", ""))
            left -= 1
        wide = min(room if cell.flex else cell_width, left)
        if cell.spans and wide == cell.width:
            spans.extend(cell.spans)
        else:
            spans.append((fit(cell.text, wide, right=cell.right, fill=cell.fill), cell.role))
        left -= wide
    if left > 0:
        spans.append((" " * left, ""))
    return spans


def wrap(text: str, width: int) -> list[str]:
    """The lines of a clean text, each at most `width` terminal cells, broken at spaces where it can be."""
    lines: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        lines.extend(_wrap_line(line, max(width, 1)))
    return lines


def _wrap_line(line: str, width: int) -> list[str]:
    pieces: list[str] = []
    while cell_len(line) > width:
        head = set_cell_size(line, width).rstrip("\0")
        cut = len(head)
        while cell_len(line[:cut]) > width:
            cut -= 1
        cut = max(cut, 1)
        space = line.rfind(" ", 0, cut + 1)
        if space > cut // 2:
            pieces.append(line[:space])
            line = line[space + 1 :]
        else:
            pieces.append(line[:cut])
            line = line[cut:]
    return [*pieces, line]
