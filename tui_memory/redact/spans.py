"""Where secrets stand in a text: spans, the view that is scanned, and the one replacement at the end.

Rules never change text. Each yields spans over a *view*: the text without colour codes and invisible characters
(they would hide a token), with letters written as escapes read as what they stand for, and with existing placeholders
blanked out (so that nothing is masked twice). Spans are merged, mapped back to the original text and replaced once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

from tui_memory.light import NamedTuple, late

BLANK = "\0"
SEAM = "\1"
BESIDE = 300  # characters beside a span that are looked at again
# Each alternative begins with a literal: so `re` jumps from one candidate to the next.
_ANSI = (
    r"\x1b\[(?!redacted:)[0-?]{0,64}[ -/]{0,4}[@-~]"
    r"|\\\\*(?:u001[bB]|x1[bB]|033|e)\[(?!redacted:)[0-?]{0,64}[ -/]{0,4}[@-~]"
    r"|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|\x1b[@-Z\\^_=>78]"
)
_INVISIBLE = "\u00ad|\u200b|\u200c|\u200d|\u2060|\ufeff"
ANSI = late(_ANSI)
UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
INVISIBLE = late("[\u00ad\u200b-\u200d\u2060\ufeff]")
ESCAPED = late(
    rf"{_ANSI}|{_INVISIBLE}|\\\\*u(?P<code>[0-9a-fA-F]{{4}})|&(?:amp;){{0,3}}(?P<entity>quot|lt|gt|amp|apos|#39|#34|#x27);"
)
"""What a view leaves out or reads as one character: colours, invisible characters, escapes of JSON and of HTML."""
ENTITIES = {"quot": '"', "lt": "<", "gt": ">", "amp": "&", "apos": "'", "#39": "'", "#34": '"', "#x27": "'"}
PLACEHOLDER = late(r"\[redacted:(?:[a-z][a-z0-9-]{1,40}(?:#[0-9a-f]{4})?|unscanned, \d{1,9} [KM]?B)\]|\[private\]")


SOLID = late(r"\S*")


class Span(NamedTuple):
    """A stretch of the view that goes, and the kind it goes as."""

    start: int
    end: int
    kind: str


class View:
    """The text as rules see it; `origin` maps a position in it back to the text it was made of.

    `lower` is the text in lower case; `plain` and `plain_lower` are both with a question mark for whatever is not
    ASCII: literals are found there several times faster, at the same positions. `words` are its different words
    (runs of a to z), a line each: what stands in none of them need not be looked for in the text.
    """

    __slots__ = ("_cuts", "_ends", "_shifts", "lower", "plain", "plain_lower", "text", "words")

    def __init__(self, text: str) -> None:
        self._cuts: list[int] = []
        self._ends: list[int] = []
        self._shifts: list[int] = []
        plain = _plain(text)
        if _is_written_otherwise(text, plain):
            text = self._read(text)
            plain = _plain(text)
        if "[redacted:" in plain or "[private]" in plain:
            text = PLACEHOLDER.sub(lambda m: BLANK * (m.end() - m.start()), text)
            plain = _plain(text)
        self.text = text
        self.lower = lowered(text)
        self.plain = plain
        self.plain_lower = self.plain.lower()
        self.words = "\n".join(pieces(self.plain_lower, A_TO_Z))

    def _read(self, text: str) -> str:
        parts, at, gone = [], 0, 0
        for found in ESCAPED.finditer(text):
            start, end = found.span()
            stands_for = _stands_for(found)
            if stands_for is None:
                continue
            # Between two letters something must keep the words apart: a token may begin with the colour.
            colour = not stands_for and end - start > 1
            seam = SEAM if colour and text[start - 1 : start].isalnum() and text[end : end + 1].isalnum() else ""
            parts += [text[at:start], stands_for, seam]
            at = end
            self._cuts.append(start - gone + len(stands_for) + len(seam))
            self._ends.append(start - gone + len(seam))
            gone += end - start - len(stands_for) - len(seam)
            self._shifts.append(gone)
        parts.append(text[at:])
        return "".join(parts)

    def origin(self, position: int, *, end: bool = False) -> int:
        """The position in the original text; an end stays before a colour code that follows it."""
        if not self._cuts:
            return position
        index = bisect_right(self._ends, position - 1) if end else bisect_right(self._cuts, position)
        return position + (self._shifts[index - 1] if index else 0)


def _plain(text: str) -> str:
    """The text at one byte a character: every sign beyond ASCII becomes a question mark."""
    return text if text.isascii() else text.encode("ascii", "replace").decode("ascii")


def _is_written_otherwise(text: str, plain: str) -> bool:
    return (
        "\x1b" in plain
        or ("\\" in plain and any(mark in plain for mark in ("033[", "1b[", "1B[", "\\e[", "\\u")))
        or ("&" in plain and any(mark in plain for mark in ("&quot;", "&lt;", "&gt;", "&#", "&amp;", "&apos;")))
        or (plain is not text and any(char in text for char in UNSEEN))
    )


def _stands_for(found: re.Match[str]) -> str | None:
    """What is read instead: nothing for colours, a character for an escape, None where it stays as it is."""
    if found["entity"]:
        return ENTITIES[found["entity"]]
    if not found["code"]:
        return ""
    char = chr(int(found["code"], 16))
    if INVISIBLE.match(char):
        return ""
    return char if char.isalnum() or char in "&<>='-_：＝「」→" else None


def only(chars: str) -> bytes:
    """A table for `pieces` that keeps these characters."""
    return bytes(code if chr(code) in chars else 32 for code in range(256))


A_TO_Z = only("abcdefghijklmnopqrstuvwxyz")


def pieces(plain: str, kept: bytes) -> set[str]:
    """The different runs of the characters that a table of `only` keeps, of a text that is ASCII."""
    return set(plain.encode("ascii").translate(kept).decode("ascii").split())


LETTERS = late("[a-z]+")


def gate(literal: str) -> str:
    """The longest word in a literal: it stands in `View.words` wherever the literal stands in the text."""
    return max(LETTERS.findall(literal), key=len, default="")


def lowered(text: str) -> str:
    """ASCII lower case of the same length: `str.lower` may lengthen a letter and shift every offset."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if c < "\x80" else c for c in text)


def merged(spans: Iterable[Span], rank: Callable[[str], int]) -> list[Span]:
    """Overlapping spans become one, under the kind that says most (the lowest rank)."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start < out[-1].end:
            last = out[-1]
            kind = last.kind if rank(last.kind) <= rank(span.kind) else span.kind
            out[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            out.append(span)
    return out


def bare(view: View, span: Span) -> list[Span]:
    """The span without the placeholders it covers: what was masked before stays as it is."""
    if BLANK not in view.text[span.start : span.end]:
        return [span]
    found = re.finditer(r"[^\0]+", view.text[span.start : span.end])
    return [
        Span(span.start + m.start(), span.start + m.end(), span.kind)
        for m in found
        if sum(c.isalnum() for c in m.group()) >= 4
    ]


ESCAPES = frozenset("nrtbf0")


def wordset(words: str) -> frozenset[str]:
    """The words of a text: how the tables below write long lists down."""
    return frozenset(words.split())


def starts_clean(text: str, at: int) -> bool:
    r"""Whether a token may start here: not inside a word, unless the letter before belongs to an escape.

    In serialised JSON the character before a token on its own line is the `n` of `\n`; in a URL it may be
    the last digit of `%20`.
    """
    if at == 0:
        return True
    before = text[at - 1]
    if not (before.isalnum() and before < "\x80"):
        return True
    if before in ESCAPES and at > 1 and text[at - 2] == "\\":
        return True
    if at > 2 and text[at - 3] == "%" and text[at - 2].isalnum():
        return True
    return at > 5 and text[at - 6 : at - 4] == "\\u"


class Around:
    """The lines beside spans, joined, with all spans blanked: what a second look needs to see.

    Windows that read the same are looked at once. `placed` maps a span found in `text` back to every place in the
    view where its window stands; none for one that reaches over a seam.
    """

    __slots__ = ("_places", "_starts", "text")

    def __init__(self, text: str, spans: list[Span], fresh: list[Span]) -> None:
        blanked = merged(spans, lambda kind: 0)
        places: dict[str, list[int]] = {}
        for low, high in _windows(text, fresh):
            places.setdefault(_blanked(text, low, high, blanked), []).append(low)
        self._starts: list[int] = []
        self._places = list(places.items())
        size = 0
        for piece in places:
            self._starts.append(size)
            size += len(piece) + 2
        self.text = "\n\n".join(places)

    def placed(self, span: Span) -> list[Span]:
        """The span in the view's own positions."""
        index = bisect_right(self._starts, span.start) - 1
        piece, places = self._places[index]
        start, end = span.start - self._starts[index], span.end - self._starts[index]
        return [Span(low + start, low + end, span.kind) for low in places] if end <= len(piece) else []


def _windows(text: str, spans: list[Span]) -> list[list[int]]:
    """The lines beside spans, at most BESIDE characters on either side and then up to white space."""
    windows: list[list[int]] = []
    for start, end, _ in sorted(spans):
        low = max(start - BESIDE, text.rfind("\n", max(0, start - 2 * BESIDE), start) + 1, 0)
        high = text.find("\n", end, end + BESIDE)
        high = high if high >= 0 else min(len(text), end + BESIDE)
        # No word is cut, so none looks like another.
        if low and text[low - 1] != "\n" and (back := SOLID.match(text[max(0, low - BESIDE) : low][::-1])):
            low -= back.end()
        if ahead := SOLID.match(text, high, high + BESIDE):
            high = ahead.end()
        if windows and low <= windows[-1][1]:
            windows[-1][1] = max(high, windows[-1][1])
        else:
            windows.append([low, high])
    return windows


def _blanked(text: str, low: int, high: int, spans: list[Span]) -> str:
    parts, at = [], low
    for index in range(max(0, bisect_right(spans, (low,)) - 1), len(spans)):
        span = spans[index]
        if span.start >= high:
            break
        start, end = max(at, span.start), min(high, span.end)
        if end > start:
            parts += [text[at:start], BLANK * (end - start)]
            at = end
    return "".join([*parts, text[at:high]])
