"""Exact values that are known to be secret: masked wherever they appear, in every usual encoding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui_memory.light import late
from tui_memory.redact.spans import Span, View

LEAST = 8
PLAIN = late(
    r"[A-Za-z]+|[a-z]+(?:[-_ ][a-z]+)*|[A-Z]+(?:_[A-Z]+)*|(?:~|\.{0,2})/[\w./-]*|\d+"
    r"|https?://[\w./:-]*|true|false"
)


def usable(value: str) -> bool:
    """Long enough, and no plain word, number or path: those would mask ordinary text."""
    return len(value) >= LEAST and not PLAIN.fullmatch(value) and len(set(value)) > 3


def forms(value: str) -> set[str]:
    """The value as text, JSON, JSON within JSON, URL and base64 hold it (base64 also within longer data)."""
    import base64
    import json
    from urllib.parse import quote, quote_plus

    escaped = json.dumps(value)[1:-1]
    out = {
        value,
        escaped,
        json.dumps(value, ensure_ascii=False)[1:-1],
        json.dumps(escaped)[1:-1],
        quote(value, safe=""),
        quote_plus(value),
        quote(value),
    }
    raw = value.encode("utf-8", "surrogatepass")
    for pad in range(3):
        # The first and last characters of base64 depend on the neighbours; the middle does not.
        coded = base64.b64encode(b"\0" * pad + raw).decode()
        middle = coded[
            (0, 2, 3)[pad] : len(coded.rstrip("=")) - (1 if len(raw) + pad != (len(raw) + pad) // 3 * 3 else 0)
        ]
        if len(middle) >= LEAST:
            out |= {middle, middle.translate(str.maketrans("+/", "-_"))}
    return out


class Known:
    """The values given, ready to be found. Nothing of them is ever written."""

    __slots__ = ("_forms",)

    def __init__(self, values: Iterable[str]) -> None:
        found = {form for value in values if usable(value) for form in forms(value)}
        self._forms = tuple(sorted(found, key=len, reverse=True))

    def scan(self, view: View) -> Iterator[Span]:
        """Every place where a known value stands, whatever is around it."""
        for form in self._forms:
            at = view.text.find(form)
            while at >= 0:
                yield Span(at, at + len(form), "known-value")
                at = view.text.find(form, at + len(form))
