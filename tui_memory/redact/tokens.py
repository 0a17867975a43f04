"""Tokens that show what they are by their own format, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import values
from tui_memory.redact.providers import CONTINUED, EXAMPLES, FORMATS, Format, compiled
from tui_memory.redact.spans import Span, View, starts_clean

WRAP = late(
    r"(?:[ \t]{0,4}\\?\r?\n|(?:\\+r)?\\+n)[ \t+\-|>│┃#]{0,12}(?://[ \t])?(?:\d{1,6}[\t→|] ?)?"
    r"([A-Za-z0-9+/=_.-]{4,400})(?=[\s\"'`,;)\]}\\<]|$)"
)
LONG_LINE = 60
LONG = late(r"[A-Za-z0-9_.+/=~:$!-]{14,}")
BASE64 = late(r"[A-Za-z0-9+/]+")
PLAIN = late(r"[a-z_.:/=-]+$")
WINDOW = 100  # characters behind a hit that a backwards pattern may need


def scan(view: View) -> Iterator[Span]:
    """Every provider token in the view."""
    # A token has no white space: looking for the literals in the long words alone is several times faster.
    long_words = "\n".join([word for word in LONG.findall(view.text) if not PLAIN.match(word)])
    for family in FORMATS:
        if family.literal in long_words:
            yield from _family(view, family)


def _family(view: View, family: Format) -> Iterator[Span]:
    text, literal = view.text, family.literal
    match = compiled(family.pattern).match
    at = text.find(literal)
    while at >= 0:
        end = at + len(literal)
        clean = (
            family.back
            or not literal[0].isalnum()
            or (starts_clean(text, at) and not (literal.isalnum() and _in_base64(text, at)))
        )
        found = match(text, end) if clean else None
        if found:
            start = _back(text, at, family.back) if family.back else at
            if start >= 0 and not any(e in text[start : found.end()] for e in EXAMPLES):
                end = found.end()
                if _varied(text[at + len(literal) : end]) or family.back:
                    if family.kind in CONTINUED:
                        end = _continued(text, start, end)
                    yield Span(start, end, family.kind)
        at = text.find(literal, max(end, at + 1))


def _back(text: str, at: int, pattern: str) -> int:
    """Where a token begins that is known by its middle; -1 where what stands before does not fit."""
    low = max(0, at - WINDOW)
    begin = at
    while begin > low and (text[begin - 1].isalnum() or text[begin - 1] in "_.~+/-"):
        begin -= 1
    # An escape's letter (`\n`) is glued to the token in serialised JSON.
    if begin and text[begin - 1] == "\\" and text[begin] in "nrt":
        begin += 1
    for start in (begin, max(begin, at - 120)):
        found = compiled(f"(?:{pattern})$").search(text, start, at)
        if found:
            return found.start()
    return -1


def _in_base64(text: str, at: int) -> bool:
    """Whether what stands before is base64 itself: there a prefix of letters is chance."""
    if at < 24 or text[at - 1] not in "+/":
        return False
    before = text[at - 24 : at]
    return BASE64.fullmatch(before) is not None and any(c.isdigit() for c in before) and before != before.lower()


def _varied(token: str) -> bool:
    """Not a row of the same few characters, as in documentation."""
    return len(token) < 6 or len(set(token)) >= 5


def _continued(text: str, start: int, end: int) -> int:
    """The end with the rest of a token that a terminal wrapped onto following lines."""
    line = max(text.rfind("\n", max(0, start - 400), start), text.rfind("\\n", max(0, start - 400), start))
    if end - line < LONG_LINE:
        return end
    for _ in range(40):
        more = WRAP.match(text, end)
        if not more:
            break
        piece = more.group(1)
        random = (values.has_digit(piece) and values.has_letter(piece)) or values.mixed(piece)
        if not random and len(piece) < 40:
            break
        if re.match(r"[A-Za-z_]+=", piece) or re.match(r"\w+\.(?:py|js|ts|go|md)\b|\d{4}-\d\d-\d\d", piece):
            break
        end = more.end(1)
    return end
