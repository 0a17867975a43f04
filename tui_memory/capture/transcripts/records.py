"""Reading a file of JSON lines, or one JSON document, in bounded memory, whatever is in it."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from tui_memory.capture.transcripts import unpacking
from tui_memory.capture.transcripts.steps import Tally
from tui_memory.private import cut_everywhere

LONGEST_LINE = 16 << 20
"""Bytes of one line; a longer one is skipped without ever being in memory."""
LARGEST_DOCUMENT = 64 << 20
"""Bytes of a file that must be read as a whole."""
PACKED = ".zst"
_BLOCK = 1 << 20

TOO_LONG = "line over 16 MB"
TOO_LARGE = "file over 64 MB"
UNREADABLE = "not JSON"
CUT_SHORT = "cut short (read again when it is whole)"


def opened(path: Path) -> IO[bytes]:
    """A regular file for reading, unpacked where it is a packed one, never through a symbolic link.

    OSError for anything else.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe would be waited for for ever
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file")
    file = io.BufferedReader(io.FileIO(descriptor, "rb"), _BLOCK)
    if path.suffix != PACKED or file.peek(4)[:4] != unpacking.MAGIC:
        return file
    return io.BufferedReader(unpacking.Unpacked(file), _BLOCK)


def lines(path: Path, start: int = 0) -> Iterator[tuple[int, int, bytes | None]]:
    """(first byte, byte after it, line with its end) from a byte on; None for one that is too long.

    The file is open only while a block is read: a session can have more files than a process may have open.
    """
    at = start
    while block := _block(path, at):
        yield from block
        at = block[-1][1]


def _block(path: Path, at: int) -> list[tuple[int, int, bytes | None]]:
    """The lines of about a megabyte from a byte on; none at the file's end."""
    found: list[tuple[int, int, bytes | None]] = []
    with opened(path) as file:
        file.seek(at)
        begin = at
        # A packed file is unpacked anew from its beginning for each block: fewer, larger ones.
        most = _BLOCK if path.suffix != PACKED else LONGEST_LINE
        while at - begin < most and (line := file.readline(LONGEST_LINE + 1)):
            end = at + len(line)
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                end += _skip_line(file)
                found.append((at, end, None))
            else:
                found.append((at, end, line))
            at = end
    return found


def _skip_line(file: IO[bytes]) -> int:
    """Read on to the line's end; how many bytes that were."""
    skipped = 0
    while part := file.readline(_BLOCK):
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


def records(path: Path, start: int, tally: Tally) -> Iterator[tuple[int, dict[str, Any]]]:
    """(first byte, JSON object) of each line that is one; the others are counted.

    A last line without its end that is no whole object is left for the next reading.
    """
    tally.end = start
    for at, end, line in lines(path, start):
        if line is None:
            tally.skipped[TOO_LONG] += 1
        elif line.strip():
            value = parsed(line)
            if value is None and not line.endswith(b"\n"):
                tally.skipped[CUT_SHORT] += 1
                return
            if value is None:
                tally.skipped[UNREADABLE] += 1
            else:
                tally.records += 1
                tally.length = end - at
                yield at, value
        tally.end = end


def at_places(path: Path, places: Iterable[int]) -> Iterator[dict[str, Any]]:
    """The objects of the lines that begin at these bytes (as `records` gave them)."""
    with opened(path) as file:
        for place in places:
            file.seek(place)
            yield parsed(file.readline(LONGEST_LINE + 1)) or {}


def document(path: Path, tally: Tally) -> dict[str, Any]:
    """A file that is one JSON object; empty, and counted, where it is none or too large."""
    with opened(path) as file:
        tally.end = os.fstat(file.fileno()).st_size
        if tally.end > LARGEST_DOCUMENT:
            tally.skipped[TOO_LARGE] += 1
            return {}
        value = parsed(file.read(LARGEST_DOCUMENT + 1))
    if value is None:
        tally.skipped[UNREADABLE] += 1
        return {}
    tally.records += 1
    return value


def parsed(data: bytes) -> dict[str, Any] | None:
    """The JSON object that the bytes are, its private passages cut out before anything is read from it; else None."""
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
        if b"\\u" in data or b"private" in data.lower():  # a letter of the mark may be written as an escape
            value, _ = cut_everywhere(value)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def head(path: Path, most: int = 65_536) -> bytes:
    """The first bytes of a file."""
    with opened(path) as file:
        return file.read(most)
