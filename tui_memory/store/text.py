"""Text as SQLite can hold it, and JSON columns. Standard library only."""

from __future__ import annotations

import json

from tui_memory.light import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

ANALYSER_VERSION = 1
"""Raised whenever `search_text` gives other tokens for the same text: rows of an older one are rewritten."""


def storable(text: str) -> str:
    """The text without lone surrogates and NULs (each a U+FFFD): SQLite takes neither as a character."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\ufffd")


def dumps(value: Any) -> str:
    """Compact JSON text for a column; what JSON has no type for becomes its str()."""
    return storable(_COMPACT.encode(value)) if value != [] else "[]"


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)
