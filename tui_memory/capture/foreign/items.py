"""One memory of another program, as plain data, and what was left out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tui_memory.model import MemoryKind, Tier


@dataclass(slots=True)
class Item:
    """What becomes one memory. Texts are as they were found: not redacted."""

    identity: str
    """What it is in its source, wherever and whenever that is read."""
    source: str
    """The sort of row or section, for the mapping report."""
    title: str
    text: str = ""
    summary: str = ""
    facts: list[str] = field(default_factory=list)
    kind: str = MemoryKind.DISCOVERY
    tier: str = Tier.EPISODIC
    labels: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    project: str = ""
    """The source's own name of the project, or a folder in it; '': all projects."""
    created: int = 0
    """Milliseconds; 0: not known."""
    pinned: bool = False

    @property
    def uid(self) -> str:
        """A version 7 UUID made of the source's identity: the same in every store, at every import."""
        digest = int.from_bytes(hashlib.sha256(self.identity.encode("utf-8", "replace")).digest()[:10])
        stamp = self.created & ((1 << 48) - 1)
        value = stamp << 80 | 0x7 << 76 | (digest >> 68 & 0xFFF) << 64 | 0b10 << 62 | digest & ((1 << 62) - 1)
        text = f"{value:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


@dataclass(slots=True)
class Contents:
    """What a foreign store holds: its format, what can be taken over, what is left out and why."""

    format: str
    items: list[Item] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def texts(value: object) -> list[str]:
    """The texts of a column that holds a JSON list, or lines; each once, none empty."""
    if not isinstance(value, str) or not value.strip():
        return []
    try:
        parsed: Any = json.loads(value)
    except (ValueError, RecursionError):
        parsed = value.splitlines()
    listed = parsed if isinstance(parsed, list) else [value]
    found = [str(one).strip() for one in listed if isinstance(one, str | int | float)]
    return list(dict.fromkeys(filter(None, found)))


def first_line(text: str, limit: int = 80) -> str:
    """A title where the source has none: the first line, cut at a word."""
    line = " ".join((text.strip().splitlines() or [""])[0].split())
    return line if len(line) <= limit else line[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
