"""Values that a person called secret, masked wherever they stand, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tui_memory.redact.engine import Redacted, RedactedValue
from tui_memory.redact.known import forms

if TYPE_CHECKING:
    from tui_memory.model import JSON

KIND = "possible-secret"
PLACEHOLDER = f"[redacted:{KIND}]"


class Exact:
    """Masks the given values in every usual encoding; with the shape of a redactor."""

    def __init__(self, values: Iterable[str]) -> None:
        found = {form for value in values for form in forms(value)}
        self._forms = tuple(sorted(found, key=len, reverse=True))
        self._pattern = re.compile("|".join(map(re.escape, self._forms)))

    def stands_in(self, texts: Iterable[object]) -> bool:
        """Whether one of the values stands in one of the texts; what is no text holds none."""
        return any(form in text for text in texts if isinstance(text, str) for form in self._forms)

    def text(self, text: str) -> Redacted:
        """The text with a placeholder for each value, and how many there were."""
        masked, count = self._pattern.subn(PLACEHOLDER, text)
        return Redacted(masked, {KIND: count} if count else {})

    def value(self, value: JSON) -> RedactedValue:
        """A parsed JSON value, masked leaf by leaf, keys too."""
        counts: dict[str, int] = {}
        return RedactedValue(self._inside(value, counts), counts)

    def _inside(self, value: JSON, counts: dict[str, int]) -> JSON:
        if isinstance(value, str):
            found = self.text(value)
            for kind, count in found.counts.items():
                counts[kind] = counts.get(kind, 0) + count
            return found.text
        if isinstance(value, list):
            return [self._inside(item, counts) for item in value]
        if isinstance(value, dict):
            return {self.text(name).text: self._inside(item, counts) for name, item in value.items()}
        return value
