"""Columns that are named for a secret: the values of an INSERT, the rows below a CSV header."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import values
from tui_memory.redact.names import kind_of
from tui_memory.redact.spans import Span, View, gate

INSERT = late(r"insert\s{1,4}into\s[^();]{1,120}\(([^()]{3,600})\)\s{0,8}values\s{0,8}\(")
FIELD = late(
    r"\s{0,8}(?:N?(?P<q>\\*['\"])(?P<text>(?:[^'\"\\]|''|\\(?![\"'])){0,400})(?P=q)|"
    r"(?P<bare>[^,()'\"]{0,200}))\s{0,8}(?P<end>[,)])"
)
HEADED = tuple(
    (gate(word), word)
    for word in ("password", "passwd", "secret", "token", "api_key", "apikey", "passphrase", "kennwort", "passwort")
)
RIGHT = late(r"[\"'` ]{0,40}([,;|\t]|\\t)")
LEFT = late(r"[\"'` \w]{0,40}?([,;|\t]|t\\)")
OPENED = (': "', ':"', ': \\"', '\\\\\\"')
MOST_COLUMNS = 60
BREAK = late(r"(?:\\+r)?(?:\r?\n|\\+n)")
LINE = late(r"(?:[^\n\r\\]|\\+(?![\\nr])){2,2000}")
MARKS = late(r"[ ]{0,12}(?:\d{1,6}(?:→|\t|\\+t))?(?:[#>+-](?![-+]) ?|// )?")
"""What a listing, a quotation or a diff puts before a row."""
RULE = late(r"[\s|+:=-]{3,}$")
NAME = late(r"[\w .\"'`-]{2,40}$")
MOST_ROWS = 2_000


def scan(view: View) -> Iterator[Span]:
    """Every value in a column that a secret's name heads."""
    text, low = view.text, view.plain_lower
    if "insert" in view.words and "values" in view.words:
        yield from _inserts(text, low)
    if "\n" not in low and "\\n" not in low:
        return  # a header and nothing below it
    done = -1
    for word in [word for gated, word in HEADED if gated in view.words]:
        at = low.find(word)
        while at >= 0:
            end = at + len(word)
            delimiter = _delimiter(low, at, end) if at >= done else ""
            if delimiter:
                table = Table(text, at, delimiter)
                yield from table.cells()
                done = table.end
            at = low.find(word, end)


def _delimiter(low: str, start: int, end: int) -> str:
    """What stands beside a word that may head a column; empty where nothing does."""
    found = RIGHT.match(low, end) or LEFT.match(low[max(0, start - 42) : start][::-1])
    return found.group(1)[::-1].replace("t\\", "\\t") if found else ""


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


class Table:
    """The rows below a header line that holds a position; `end` is as far as it was read."""

    def __init__(self, text: str, at: int, delimiter: str) -> None:
        self._text, self._delimiter = text, delimiter
        low = max(0, at - 400)
        breaks = [text.rfind("\n", low, at) + 1, text.rfind("\\n", low, at) + 2 if "\\n" in text[low:at] else 0]
        # Behind the name of a JSON member its string begins, and with it the line.
        opened = [text.rfind(mark, low, at) + len(mark) for mark in OPENED if mark in text[low:at]]
        begin = max(*breaks, *opened, low)
        line = LINE.match(text, MARKS.match(text, begin).end())  # type: ignore[union-attr]
        self.end = line.end() if line else at + 1
        self._kinds = self._read(line.group()) if line and BREAK.match(text, self.end) else []

    def _read(self, line: str) -> list[str | None]:
        """The kind of each column; empty where this is no header."""
        heads = [head.strip(" \"'`*[]\\\0{") for head in line.split(self._delimiter)]
        named = [head for head in heads if NAME.match(head)]
        unnamed = len(heads) - len(named)
        if not 2 <= len(named) <= MOST_COLUMNS or unnamed > (2 if self._delimiter == "|" else 0):
            return []
        kinds = [kind_of(head) if head else None for head in heads]
        return kinds if any(kinds) else []

    def cells(self) -> Iterator[Span]:
        """Every secret cell."""
        at = self.end
        for _ in range(MOST_ROWS if self._kinds else 0):
            more = BREAK.match(self._text, at)
            row = LINE.match(self._text, MARKS.match(self._text, more.end()).end()) if more else None  # type: ignore[union-attr]
            if not row:
                return
            at = self.end = row.end()
            if RULE.match(row.group()):
                continue
            if row.group().count(self._delimiter) != len(self._kinds) - 1:
                return
            yield from self._of_row(row)

    def _of_row(self, row: re.Match[str]) -> Iterator[Span]:
        start = row.start()
        for kind, cell in zip(self._kinds, row.group().split(self._delimiter), strict=True):
            value = cell.strip("\\\"'` *")
            if kind and value and (self._delimiter != "|" or values.has_digit(value)) and _good(value, kind):
                begin = start + cell.index(value)
                yield Span(begin, begin + len(value), kind)
            start += len(cell) + len(self._delimiter)
