"""The engine: every rule class over one view, spans merged, replaced once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tui_memory.light import TYPE_CHECKING, NamedTuple
from tui_memory.private import private_cut
from tui_memory.redact import assign, blocks, commands, files, personal, prose, tables, tokens, web
from tui_memory.redact.known import Known
from tui_memory.redact.providers import FORMATS
from tui_memory.redact.spans import Around, Span, View, bare, merged

if TYPE_CHECKING:
    from tui_memory.model import JSON


RULES = (tokens.scan, blocks.scan, web.scan, assign.scan, commands.scan, files.scan, tables.scan, prose.scan)
ROUNDS = 3  # of looking again beside what was found

GENERIC = (
    "password",
    "secret",
    "token",
    "api-key",
    "secret-key",
    "auth",
    "authorization",
    "cookie",
    "session",
    "signature",
)
SUFFIXED = frozenset(f.kind for f in FORMATS).difference(GENERIC)
"""Kinds whose values are random enough that a short keyed hash says nothing about them."""


class Redacted(NamedTuple):
    """A text without its secrets, and how many of each kind went."""

    text: str
    counts: dict[str, int]


class RedactedValue(NamedTuple):
    """A JSON value without its secrets, and how many of each kind went."""

    value: JSON
    counts: dict[str, int]


def rank(kind: str) -> int:
    """Which kind names an overlap: a provider's own before a block's or an address's, those before general ones."""
    if kind == "jwt":
        return 2
    if kind in SUFFIXED:
        return 1
    return 4 if kind in GENERIC else 3 if kind not in personal.KINDS else 5


class Redactor:
    """Masks secrets in texts and JSON values. Immutable and safe in several threads at once.

    `key` makes the suffixes of high-entropy kinds (none without); `known` are exact secret values;
    `kinds_off` names kinds that stay; `identity` gives e-mail addresses of the user's own, or is them: it is asked when
    the first address is met.
    """

    __slots__ = ("_addresses", "_identity", "_key", "_known", "_off")

    def __init__(
        self,
        key: bytes = b"",
        *,
        known: Iterable[str] = (),
        kinds_off: frozenset[str] = frozenset(),
        identity: Iterable[str] | Callable[[], Iterable[str]] = (),
    ) -> None:
        self._key = key
        self._known = Known(known)
        self._off = kinds_off
        self._identity = identity
        self._addresses: frozenset[str] | None = None

    def text(self, text: str) -> Redacted:
        """The text with every secret replaced by a placeholder, and counts by kind."""
        counts: dict[str, int] = {}
        return Redacted(self.masked(text, counts), counts)

    def value(self, value: JSON) -> RedactedValue:
        """A parsed JSON value, masked leaf by leaf with its key as context; keys are masked as well."""
        from tui_memory.redact.walk import Walk

        walk = Walk(self)
        masked = walk.value(value)
        assign.forget()
        return RedactedValue(masked, walk.counts)

    def masks(self, kind: str) -> bool:
        """Whether this kind is on."""
        return kind not in self._off

    def masked(self, text: str, counts: dict[str, int]) -> str:
        """As `text`, adding to counts that are already there."""
        view = View(text)
        spans = self._spans(view)
        assign.forget()
        if not spans:
            return text
        parts, at = [], 0
        for span in merged(spans, rank):
            start, end = view.origin(span.start), view.origin(span.end, end=True)
            parts += [text[at:start], self.placeholder(span.kind, view.text[span.start : span.end])]
            at = end
            counts[span.kind] = counts.get(span.kind, 0) + 1
        return "".join([*parts, text[at:]])

    def placeholder(self, kind: str, value: str) -> str:
        """What stands instead: the kind, and for random values a keyed suffix that keeps equal ones equal."""
        if self._key and kind in SUFFIXED:
            # Loaded late: most hook calls find nothing, and OpenSSL's bindings cost two milliseconds.
            import hashlib
            import hmac

            digest = hmac.new(self._key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
            return f"[redacted:{kind}#{digest[:4]}]"
        return f"[redacted:{kind}]"

    def _own(self) -> frozenset[str]:
        if self._addresses is None:
            given = self._identity() if callable(self._identity) else self._identity
            self._addresses = frozenset(address.lower() for address in given)
        return self._addresses

    def _spans(self, view: View) -> list[Span]:
        """All spans, and those that only show once the first are out of the way (two tokens glued together).

        Without the second look, masking a text twice would not be masking it once.
        """
        spans = fresh = self._found(view)
        for _ in range(ROUNDS):
            if not fresh:
                break
            covered = Around(view.text, spans, fresh)
            fresh = [span for found in self._found(View(covered.text)) for span in covered.placed(found)]
            spans = spans + fresh
        return spans

    def _found(self, view: View) -> list[Span]:
        spans = [*self._known.scan(view)]
        for rules in RULES:
            spans.extend(rules(view))
        if self._off:
            spans = [s for s in spans if s.kind not in self._off]
        spans.extend(personal.scan(view, self._off, self._own() if "@" in view.text else frozenset()))
        return [part for span in spans for part in bare(view, span)]


__all__ = ["Redacted", "RedactedValue", "Redactor", "private_cut"]
