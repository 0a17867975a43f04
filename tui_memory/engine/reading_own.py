"""Our own JSON lines, read in bounded memory and checked whole before anything is changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tui_memory.capture.transcripts.records import opened
from tui_memory.errors import UsageError
from tui_memory.store.portable import FORMAT, VERSION, Record

LONGEST_LINE = 64 << 20
"""Bytes of one line; a longer one is refused without ever being in memory."""
ORDER = ("header", "project", "observation", "memory", "change", "end")
"""The kinds of records, in the order that a file has them."""


def is_own(path: Path) -> bool:
    """Whether a file begins as an export in JSON lines does."""
    with opened(path) as file:
        first = file.readline(10_000)
    try:
        value = json.loads(first.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("format") == FORMAT and value.get("type") == "header"


def records(path: Path) -> Iterator[Record]:
    """Every record behind the header, checked; UsageError names the line that is wrong, and why.

    Nothing is to be changed before it came to its end: a file may be wrong in its last line.
    """
    with opened(path) as file:
        yield from _Reader(path, file).records()


class _Reader:
    """One file. What may be there once is remembered by the line it was on."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file = path, file
        self._number = 0
        self._seen: dict[tuple[str, str], int] = {}
        self._stage = 0

    def records(self) -> Iterator[Record]:
        from tui_memory.engine import portable_shapes as shapes

        if said := shapes.wrong(shapes.Header, header := self._next() or {}):
            raise self._refused(said)
        if header["version"] > VERSION:
            raise self._refused(
                f"it was written by a newer tui-memory (format {header['version']}; this one reads {VERSION})"
            )
        count = 0
        while (record := self._next()) is not None:
            kind = str(record.get("type"))
            if kind not in shapes.RECORDS:
                raise self._refused("a record of no known type")
            if said := shapes.wrong(shapes.RECORDS[kind], record):
                raise self._refused(said)
            self._place(kind, record)
            if kind == "end":
                if record["records"] != count:
                    raise self._refused(f"there should be {record['records']} records before it, and there are {count}")
                break
            count += 1
            yield record
        else:
            raise self._refused("the file ends before its end line: it was cut off")
        if self._next() is not None:
            raise self._refused("something follows the end line")

    def _place(self, kind: str, record: Record) -> None:
        """Kinds come in their order, and a uid once."""
        if ORDER.index(kind) < self._stage:
            raise self._refused(f"a {kind} cannot follow a {ORDER[self._stage]}")
        self._stage = ORDER.index(kind)
        if "uid" in record:
            before = self._seen.setdefault((kind, record["uid"]), self._number)
            if before != self._number:
                raise self._refused(f"the uid {record['uid']} was on line {before} already")

    def _next(self) -> Record | None:
        """The next line's object; None at the end of the file."""
        line = self._file.readline(LONGEST_LINE + 1)
        if not line:
            return None
        self._number += 1
        if len(line) > LONGEST_LINE:
            raise self._refused("it is longer than 64 MB")
        if not line.endswith(b"\n"):
            raise self._refused("it was cut off")
        try:
            value: Any = json.loads(line.decode())
        except (ValueError, RecursionError):
            raise self._refused("it is not JSON") from None
        if not isinstance(value, dict):
            raise self._refused("it is no record")
        return value

    def _refused(self, why: str) -> UsageError:
        return UsageError(f"{self._path}, line {max(self._number, 1)}: {why}. Nothing was imported.")
