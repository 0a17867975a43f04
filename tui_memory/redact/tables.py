"""Columns that are named for a secret: the values of an INSERT, the rows below a CSV header."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import values
from tui_memory.redact.names import kind_of
from tui_memory.redact.spans import Span, View

INSERT = late(r"insert\s{1,4}into\s[^();]{1,120}\(([^()]{3,600})\)\s{0,8}values\s{0,8}\(")
FIELD = late(
    r"\s{0,8}(?:N?(?P<q>\\*['\"])(?P<text>(?:[^'\"\\]|''|\\(?![\"'])){0,400})(?P=q)|"
    r"(?P<bare>[^,()'\"]{0,200}))\s{0,8}(?P<end>[,)])"
)
HEADED = ("password", "passwd", "secret", "token", "api_key", "apikey")
HEADER = late(
    r"[^\S\n]{0,12}(?:\d{0,6}[→\t]|[#>│+-] ?|// )?([A-Za-z_\"]{2,40}(?:,[A-Za-z_ "
    r"\"]{2,40}){1,30}+)(?=\r|\n|\\)"
)
ROW = late(r"(?:\r?\n|\\+r\\+n|\\+n)[^\S\n]{0,12}(?:\d{0,6}[→\t]|[#>│+-] |// )?([^\n\r\\]{3,2000})")
MOST_ROWS = 2_000


def scan(view: View) -> Iterator[Span]:
    """Every value in a column that a secret's name heads."""
    low = view.lower
    if "insert" in low and "values" in low:
        yield from _inserts(view.text, low)
    for word in HEADED:
        at = low.find(word)
        while at >= 0:
            if low[at - 1 : at] == "," or low[at + len(word) : at + len(word) + 1] in (",", '"'):
                yield from _rows(view.text, at)
            at = low.find(word, at + len(word))


def _good(value: str, kind: str) -> bool:
    return bool(value) and (values.password(value, quoted=True) if kind == "password" else values.opaque(value, 12))


def _inserts(text: str, low: str) -> Iterator[Span]:
    for found in INSERT.finditer(low):
        kinds = [kind_of(name.strip(" `\"'[]\\\n\t")) for name in found.group(1).split(",")]
        if not any(kinds):
            continue
        at = found.end()
        for _ in range(MOST_ROWS):
            for kind in kinds:
                field = FIELD.match(text, at)
                if not field:
                    return
                if kind and field["text"] and _good(field["text"], kind):
                    yield Span(field.start("text"), field.end("text"), kind)
                at = field.end()
            more = re.compile(r"\s{0,8},\s{0,8}\(").match(text, at)
            if not more:
                break
            at = more.end()


def _rows(text: str, at: int) -> Iterator[Span]:
    """The cells below a header line that holds position `at`."""
    low = max(0, at - 400)
    escaped = text.rfind("\\n", low, at)
    begin = max(text.rfind("\n", low, at), escaped + 1 if escaped >= 0 else -1, low - 1) + 1
    head = HEADER.match(text, begin)
    kinds = [kind_of(name.strip(' "')) for name in head.group(1).split(",")] if head else []
    if not head or not any(kinds):
        return
    at = head.end()
    for _ in range(MOST_ROWS):
        row = ROW.match(text, at)
        if not row or row.group(1).count(",") != len(kinds) - 1:
            return
        start = row.start(1)
        for kind, cell in zip(kinds, row.group(1).split(","), strict=True):
            value = cell.strip("\"' ")
            if kind and value and _good(value, kind):
                begin = start + cell.index(value)
                yield Span(begin, begin + len(value), kind)
            start += len(cell) + 1
        at = row.end()
