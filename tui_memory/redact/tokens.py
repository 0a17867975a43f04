"""Tokens that show what they are by their own format, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui_memory.light import late
from tui_memory.redact import values
from tui_memory.redact.providers import CONTINUED, EXAMPLES, FORMATS, OFTEN_TORN, WHOLE, Format, compiled
from tui_memory.redact.spans import Span, View, only, pieces, starts_clean

WRAP = late(
    r"(?:[ \t]{0,4}\\?\r?\n|(?:\\+r)?\\+n)[ \t+\-|>│┃#]{0,12}(?://[ \t])?(?:\d{1,6}[\t→|] ?)?"
    r"([A-Za-z0-9+/=_.-]{4,400})(?=[\s\"'`,;)\]}\\<]|$)"
)
SPACED = late(r"(?:[ \t]|(?:\\+r)?(?:\r?\n|\\+n)[ \t]{0,12})([A-Za-z0-9_.-]{14,400})(?=[\s\"'`,;)\]}\\<]|$)")
LONG_LINE = 60
LONG = only("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+/=~:$!-")
SHORTEST = 14
BASE64 = late(r"[A-Za-z0-9+/]+")
PLAIN = late(r"[a-z_.:/=-]+$")
TORN = late(r"[A-Za-z0-9_.-]++(?:[ \t]?(?:\r?\n|\\+n)[ \t]{0,12}|[ \t]{1,2})")
PIECE = late(r"[A-Za-z0-9_.-]{1,200}(?![A-Za-z0-9_-])")
LITERALS = tuple(family.literal for family in FORMATS)
FAMILIES = tuple(zip(LITERALS, FORMATS, strict=True))
TORN_FAMILIES = tuple((literal, family) for literal, family in FAMILIES if literal in OFTEN_TORN)
WINDOW = 100  # characters behind a hit that a backwards pattern may need


def scan(view: View) -> Iterator[Span]:
    """Every provider token in the view."""
    # A token has no white space: looking for the literals in the long words alone is several times faster.
    long_words = "\n".join([w for w in pieces(view.plain, LONG) if len(w) >= SHORTEST and not PLAIN.match(w)])
    found = [family for literal, family in FAMILIES if literal in long_words] if long_words else []
    torn = [family for literal, family in TORN_FAMILIES if literal in view.plain and literal not in long_words]
    for family in (*found, *torn):
        yield from _family(view, family)


def _family(view: View, family: Format) -> Iterator[Span]:
    text, plain, literal = view.text, view.plain, family.literal
    match = compiled(family.pattern).match
    at = plain.find(literal)
    while at >= 0:
        end = at + len(literal)
        clean = (
            family.back
            or not literal[0].isalnum()
            or (starts_clean(text, at) and not (literal.isalnum() and _in_base64(text, at)))
        )
        found = match(text, end) if clean else None
        torn = _torn(text, end, WHOLE[literal], found.end() if found else end) if clean and literal in WHOLE else 0
        if torn:
            yield Span(at, torn, family.kind)
            end = torn
        elif found:
            start = _back(text, at, family.back) if family.back else at
            if start >= 0 and not any(e in text[start : found.end()] for e in EXAMPLES):
                end = found.end()
                if _varied(text[at + len(literal) : end]) or family.back:
                    if family.kind in CONTINUED:
                        end = _continued(text, start, end, whole=end - at - len(literal) >= WHOLE.get(literal, 9_999))
                    yield Span(start, end, family.kind)
        at = plain.find(literal, max(end, at + 1))


def _torn(text: str, start: int, whole: int, found: int) -> int:
    """Where a token ends that a space or a break tears in two or three, if its pieces make exactly a whole; else 0."""
    if found - start >= whole or (found > start and text[found : found + 1] not in (" ", "\t", "\n", "\r", "\\")):
        return 0
    at, size = start, 0
    for _ in range(3):
        gap = TORN.match(text, at, at + whole + 8)
        if not gap:
            break
        size += len(re.match(r"[\w.-]+", gap.group()).group())  # type: ignore[union-attr]
        piece = PIECE.match(text, gap.end())
        if not piece:
            return 0
        if size + len(piece.group()) == whole:
            joined = re.sub(r"\\+n|\s", "", text[start : piece.end()])
            least = 1 if joined == joined.upper() else 4 if joined == joined.lower() else 2
            good = sum(c.isdigit() for c in joined) >= least and _varied(joined)
            return piece.end() if good and not any(e in joined for e in EXAMPLES) else 0
        at = gap.end()
    return 0


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


def _continued(text: str, start: int, end: int, *, whole: bool) -> int:
    """The end with the rest of a token that a terminal wrapped onto following lines."""
    if found := SPACED.match(text, end):
        piece = found.group(1)
        random = values.has_digit(piece) and values.mixed(piece) and not values.public(piece)
        if random and not whole and not piece.startswith(LITERALS):
            return found.end(1)
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
