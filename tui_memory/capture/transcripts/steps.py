"""What a reader hands on: a draft, what identifies its record, and where reading may start again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tui_memory.clock import parse_iso
from tui_memory.model import Draft

NOTHING = "nothing to keep in it"
UNKNOWN = "unknown record"
LONGEST_SAID = 4_000_000
"""Characters of a closing message that are put together from several records."""
BY_PROGRAM = "written by a program"
NO_CALL = "a result without its call"


@dataclass(slots=True)
class Step:
    """One observation of a transcript, in the order it happened."""

    draft: Draft
    identity: str
    """The record's own identity, the same in every copy of it."""
    resume: int
    """The byte where the turn it belongs to begins: all before it is told already."""


@dataclass(slots=True)
class Tally:
    """What was read of one file and what was not kept, by reason."""

    skipped: Counter[str] = field(default_factory=Counter)
    records: int = 0
    length: int = 0
    """Bytes of the record at hand."""
    end: int = 0
    """The byte after the last whole record."""
    resume: int = 0
    """Where a later reading of a grown file may start; valid when the reader is through."""


class Calls:
    """Tool calls that have no answer yet, as (tool, input) by id; the oldest go where they take too much memory."""

    _MOST_BYTES = 64 << 20

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, dict[str, Any], int]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, use: str) -> bool:
        return use in self._open

    def put(self, use: str, tool: str, given: dict[str, Any], size: int) -> None:
        """Remember a call; `size`: the bytes of its record."""
        if use in self._open:
            self.take(use)
        self._open[use] = (tool, given, size)
        self._bytes += size
        while self._bytes > self._MOST_BYTES and len(self._open) > 1:
            self.take(next(iter(self._open)))

    def take(self, use: str) -> tuple[str, dict[str, Any]]:
        """A call, which is then forgotten; KeyError where there is none."""
        tool, given, size = self._open.pop(use)
        self._bytes -= size
        return tool, given

    def clear(self) -> None:
        """Forget all: no answer comes any more."""
        self._open.clear()
        self._bytes = 0


class Reader(Protocol):
    """One format: the steps of a file from a byte on (a place that an earlier reading named, or 0)."""

    def __call__(self, path: Path, start: int, tally: Tally) -> Iterator[Step]:
        """OSError where the file cannot be read; nothing in it makes a reader fail."""


def moment(value: object) -> int:
    """Milliseconds of a record's time: ISO 8601 text, or milliseconds; 0 where it is neither."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, int | float):
        return int(value) if 0 < value < 1 << 45 else 0
    if not isinstance(value, str):
        return 0
    try:
        return max(parse_iso(value), 0)
    except (ValueError, OverflowError):
        return 0
