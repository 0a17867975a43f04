"""What a client writes, a line a message: each is answered, also one that is none.

The SDK drops a line that it cannot read, and its client waits for ever. Here it is told what was wrong, by JSON-RPC's
codes, and half characters (lone surrogates, bytes that are no UTF-8) become U+FFFD before the SDK sees them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Self

import anyio
import anyio.to_thread
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

_HEAD = 200  # bytes
_ID = re.compile(rb'^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(?:(\d{1,15})|"([\w-]{1,100})")\s*,')
MOST = 4 << 20
"""Bytes of one message."""
_LONG = f"A message is at most {MOST:,} bytes. Nothing was done; send less in one call."
_BROKEN = "This line is no JSON, or nested too deep. Nothing was done; send one JSON-RPC 2.0 message a line."
_BATCH = "Batches are not taken. Nothing was done; send each request as a message of its own."
_NONE = (
    'This is no JSON-RPC 2.0 message: it needs "jsonrpc": "2.0", a "method", and an "id" that is a text or a number.'
)
_PARAMS = '"params" must be an object. Nothing was done; call the tool again with its arguments by name.'


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that is not taken: whose request it was, as far as that can be read, and what is wrong."""

    id: int | str | None
    code: int
    sentence: str

    def message(self) -> SessionMessage:
        """As the client reads it."""
        return SessionMessage(
            JSONRPCError(jsonrpc="2.0", id=self.id, error=ErrorData(code=self.code, message=self.sentence))
        )


def looked_at(line: bytes) -> str | Refused:
    """A line as the SDK may have it, or why it may not."""
    text = line.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Refused(_guessed(line), PARSE_ERROR, _BROKEN)
    if isinstance(value, list):
        return Refused(None, INVALID_REQUEST, _BATCH)
    if not isinstance(value, dict):
        return Refused(None, INVALID_REQUEST, _NONE)
    wrong = _wrong(value)
    if wrong is not None:
        return wrong
    whole = json.dumps(value, ensure_ascii=False)
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _guessed(line: bytes) -> int | str | None:
    """The id that a message begins with, where it cannot be read whole: its sender waits for an answer to that."""
    found = _ID.search(line[:_HEAD])
    if found is None:
        return None
    return int(found[1]) if found[1] else found[2].decode("ascii")


def _wrong(value: dict[str, Any]) -> Refused | None:
    given = value.get("id")
    is_id = isinstance(given, int | str) and not isinstance(given, bool)
    known = given if is_id else None
    asks = isinstance(value.get("method"), str) and (is_id or "id" not in value)
    answers = is_id and ("result" in value or "error" in value)
    if value.get("jsonrpc") != "2.0" or not (asks or answers):
        return Refused(known, INVALID_REQUEST, _NONE)
    if not isinstance(value.get("params", {}), dict):
        return Refused(known, INVALID_PARAMS, _PARAMS)
    return None


class Lines:
    """The client's messages as the SDK's transport reads them: an iterator of lines that it can take.

    `answer` is set once the other direction is open; what is refused is said there.
    """

    def __init__(self, wire: BinaryIO) -> None:
        self._wire = wire
        self._open = anyio.Event()
        self._answer: Callable[[SessionMessage], Awaitable[None]] | None = None

    def answered(self, answer: Callable[[SessionMessage], Awaitable[None]]) -> None:
        """Say refusals with this."""
        self._answer = answer
        self._open.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        """The next message; what comes before it and is none was answered."""
        while True:
            line = await anyio.to_thread.run_sync(self._line)
            if line == b"":
                raise StopAsyncIteration
            if not line.strip():
                continue
            found = Refused(_guessed(line), INVALID_REQUEST, _LONG) if len(line) > MOST else looked_at(line)
            if isinstance(found, str):
                return found
            await self._open.wait()
            if self._answer is not None:
                await self._answer(found.message())

    def _line(self) -> bytes:
        """One line; of one that is too long no more than says so."""
        line = self._wire.readline(MOST + 1)
        rest = line
        while len(rest) > MOST and not rest.endswith(b"\n"):
            rest = self._wire.readline(MOST + 1)
        return line


def from_stdin() -> BinaryIO:
    """The client's end, kept from everything that this process starts: they read an empty stdin."""
    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return os.fdopen(wire, "rb")
