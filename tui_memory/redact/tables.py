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
HEADED = ("password", "passwd", "secret", "token", "api_key", "apikey", "passphrase", "kennwort", "passwort")
DELIMITERS = (",", ";", "|", "\t", "\\t")
BREAK = late(r"(?:\\+r)?(?:\r?\n|\\+n)")
LINE = late(r"(?:[^\n\r\\]|\\+(?![\\nr])){2,2000}")
MARKS = late(r"[ ]{0,12}(?:\d{1,6}(?:→|\t|\\+t))?(?:[#>+-](?![-+]) ?|// )?")
"""What a listing, a quotation or a diff puts before a row."""
RULE = late(r"[\s|+:=-]{3,}$")
NAME = late(r"[\w .\"'`-]{2,40}$")
MOST_ROWS = 2_000


def scan(view: View) -> Iterator[Span]:
    """Every value in a column that a secret's name heads."""
    text, low = view.text, view.lower
    if "insert" in low and "values" in low:
        yield from _inserts(text, low)
    done = -1
    for word in HEADED:
        at = low.find(word)
        while at >= 0:
            delimiter = _delimiter(low, at, at + len(word)) if at > done else ""
            if delimiter:
                done = at
                yield from _rows(text, at, delimiter)
            at = low.find(word, at + len(word))


def _delimiter(low: str, start: int, end: int) -> str:
    """What stands beside a word that may head a column; empty where nothing does."""
    while low[start - 1 : start] in ('"', "'", "`", " ") or (low[start - 1 : start].isalnum() and start):
        start -= 1
        if end - start > 40:
            return ""
    while low[end : end + 1] in ('"', "'", "`", " "):
        end += 1
        if end - start > 90:
            return ""
    for one in DELIMITERS:
        if low[end : end + len(one)] == one or low[max(0, start - len(one)) : start] == one:
            return "\\t" if one == "\\t" else one
    return ""


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


def _rows(text: str, at: int, delimiter: str) -> Iterator[Span]:
    """The cells below a header line that holds position `at`."""
    low = max(0, at - 400)
    breaks = [text.rfind("\n", low, at) + 1, text.rfind("\\n", low, at) + 2 if "\\n" in text[low:at] else 0]
    # Behind the name of a JSON member its string begins, and with it the line.
    opened = [text.rfind(mark, low, at) + len(mark) for mark in (': "', ':"', ': \\"', '\\\\\\"') if mark in text[low:at]]
    begin = max(*breaks, *opened, low)
    line = LINE.match(text, MARKS.match(text, begin).end())  # type: ignore[union-attr]
    heads = [head.strip(" \"'`*[]\\\0{") for head in line.group().split(delimiter)] if line else []
    named = [head for head in heads if NAME.match(head)]
    if not line or len(named) < 2 or len(heads) - len(named) > (2 if delimiter == "|" else 0):
        return
    kinds = [kind_of(head) if head else None for head in heads]
    quoted = delimiter != "|"
    at = line.end()
    for _ in range(MOST_ROWS if any(kinds) else 0):
        more = BREAK.match(text, at)
        row = LINE.match(text, MARKS.match(text, more.end()).end()) if more else None  # type: ignore[union-attr]
        if not row or (row.group().count(delimiter) != len(kinds) - 1 and not RULE.match(row.group())):
            return
        at = row.end()
        if not RULE.match(row.group()):
            yield from _cells(row, delimiter, kinds, quoted)


def _cells(row: re.Match[str], delimiter: str, kinds: list[str | None], quoted: bool) -> Iterator[Span]:
    start = row.start()
    for kind, cell in zip(kinds, row.group().split(delimiter), strict=True):
        value = cell.strip("\\\"'` *")
        if kind and value and (quoted or values.has_digit(value)) and _good(value, kind):
            begin = start + cell.index(value)
            yield Span(begin, begin + len(value), kind)
        start += len(cell) + len(delimiter)
