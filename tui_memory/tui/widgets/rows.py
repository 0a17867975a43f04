"""Laying out one row of a list: cells of clean text into exactly so many terminal cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from tui_memory.light import NamedTuple

Span = tuple[str, str]
"""A piece of text and its role: "", muted, accent, subject, good, warn, bad, head, or a part of a score."""


_DENSEST = 4
"""Characters of a terminal cell at most in a line that is wrapped: more marks on one letter go on in the next."""


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
    if width <= 0:
        return ""
    if length > width:
        cut = text[: _cut(text, width - 1)]
        return cut + " " * (width - 1 - cell_len(cut)) + "…"
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
    return list(wrapped(text, width))


def wrapped(text: str, width: int) -> Iterator[str]:
    """The same one by one: who shows the first of them need not wait for the last."""
    for line in text.expandtabs(4).split("\n"):
        yield from _pieces(line, max(width, 1))


def _pieces(line: str, width: int) -> Iterator[str]:
    """One line in pieces; only as much of it is looked at as a piece can hold, or a long one would take for ever."""
    at = 0
    while True:
        head = line[at : at + _DENSEST * width + 1]
        cut = max(_cut(head, width), 1)
        if at + cut >= len(line):
            break
        space = head.rfind(" ", 0, cut + 1)
        if space > cut // 2:
            yield head[:space]
            at += space + 1
        else:
            yield head[:cut]
            at += cut
    yield head


def _cut(text: str, width: int) -> int:
    """How many characters of a text stand in so many terminal cells.

    Rich cuts too, and divides by zero where a text begins with joiners.
    """
    cut = min(len(text), width)
    if text.isascii():
        return cut
    while (over := cell_len(text[:cut]) - width) > 0:
        cut -= (over + 1) // 2  # none is wider than two
    while cut < len(text):
        step = max((width - cell_len(text[:cut])) // 2, 1)
        if cell_len(text[: cut + step]) > width:
            break
        cut += step
    return min(cut, len(text))
