"""JSON values, leaf by leaf: the key is a leaf's context, a leaf that is JSON itself is opened once."""

from __future__ import annotations

import json

from tui_memory.light import TYPE_CHECKING
from tui_memory.private import private_cut
from tui_memory.redact import assign, values
from tui_memory.redact.names import kind_of
from tui_memory.redact.spans import ANSI, PLACEHOLDER

if TYPE_CHECKING:
    from tui_memory.model import JSON
    from tui_memory.redact.engine import Redactor

DEEPEST = 200


class Walk:
    """One pass over one value; `counts` says what went."""

    def __init__(self, redactor: Redactor) -> None:
        self.counts: dict[str, int] = {}
        self._redactor = redactor

    def value(self, value: JSON, key: str = "", *, opened: bool = False, depth: int = 0) -> JSON:
        """The value masked. What lies deeper than 200 levels is dropped as unscannable."""
        if depth > DEEPEST:
            self._count("unscanned")
            return "[redacted:unscanned, 0 KB]"
        if isinstance(value, str):
            return self._leaf(value, key, opened)
        if isinstance(value, dict):
            return self._dict(value, opened, depth)
        if isinstance(value, list):
            return [self.value(item, key, opened=opened, depth=depth + 1) for item in value]
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and kind_of(key) == "password"
            and self._redactor.masks("password")
            and len(str(value)) >= 4
        ):
            self._count("password")
            return self._redactor.placeholder("password", "")
        return value

    def _dict(self, value: dict[str, JSON], opened: bool, depth: int) -> JSON:
        out: dict[str, JSON] = {}
        pair = self._pair_name(value)
        for key, item in value.items():
            name = pair if pair and key.lower() in ("value", "stringvalue", "val", "default") else key
            fresh = self._leaf(key, "", True)
            while fresh in out:
                fresh += "'"
            out[fresh] = self.value(item, ANSI.sub("", name), opened=opened, depth=depth + 1)
        return out

    @staticmethod
    def _pair_name(value: dict[str, JSON]) -> str:
        """The secret name in `{"name": "API_TOKEN", "value": …}`, else nothing."""
        for key, item in value.items():
            if (
                key.lower() in ("name", "key", "variable", "field", "header", "id")
                and isinstance(item, str)
                and kind_of(item)
            ):
                return item
        return ""

    def _leaf(self, text: str, key: str, opened: bool) -> str:
        if len(text) < 4:
            return text
        if "\x1b" in text:
            text = ANSI.sub("", text)
        text, cut = private_cut(text)
        if cut:
            self._count("private", cut)
        if not opened and text.lstrip()[:1] in ("{", "["):
            inner = self._inner(text)
            if inner is not None:
                return inner
        kind = kind_of(key) if key else None
        if kind and self._redactor.masks(kind) and self._secret(text, kind):
            self._count(kind)
            return self._redactor.placeholder(kind, text)
        return self._redactor.masked(text, self.counts)

    def _secret(self, text: str, kind: str) -> bool:
        if "\n" in text or PLACEHOLDER.search(text):
            return False
        return assign.secret(text, kind, quoted=True, loose=False) or (
            kind == "password" and len(text) < 80 and " " not in text and values.password(text, quoted=True, loose=True)
        )

    def _inner(self, text: str) -> str | None:
        """A leaf that is a JSON document: masked inside; unchanged text where nothing went."""
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(parsed, dict | list):
            return None
        before = sum(self.counts.values())
        masked = self.value(parsed, opened=True)
        if sum(self.counts.values()) == before:
            return text
        return json.dumps(masked, ensure_ascii=False, indent=2 if "\n" in text.strip() else None)

    def _count(self, kind: str, number: int = 1) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + number
