"""The worker's side of the frame (docs/ARCHITECTURE.md): reading a request, packing an answer."""

from __future__ import annotations

import os
from asyncio import IncompleteReadError, StreamReader
from typing import NamedTuple

MAGIC = b"TM1\n"
HEADER_LIMIT = 512 << 10
BODY_LIMIT = 64 << 20
ACCEPTED, DROPPED, FAILED = b"A", b"D", b"E"


class Request(NamedTuple):
    """One request: the operation, its fields, its body."""

    operation: str
    fields: list[str]
    body: bytes


class FrameError(Exception):
    """What came is no frame of ours, or too large."""


async def read(reader: StreamReader) -> Request | None:
    """The next request of a connection; None where it ended before one. FrameError for anything else."""
    try:
        head = await reader.readexactly(12)
    except IncompleteReadError:
        return None
    header, body = int.from_bytes(head[4:8], "big"), int.from_bytes(head[8:], "big")
    if head[:4] != MAGIC or header > HEADER_LIMIT or body > BODY_LIMIT:
        raise FrameError("That is no request of tui-memory, or larger than is taken. Nothing was changed.")
    try:
        fields = (await reader.readexactly(header)).split(b"\0")
        return Request(
            os.fsdecode(fields[0]), [os.fsdecode(field) for field in fields[1:]], await reader.readexactly(body)
        )
    except IncompleteReadError:
        return None


def answer(status: bytes, body: bytes = b"") -> bytes:
    """An answer's bytes."""
    return status + len(body).to_bytes(4, "big") + body
