"""Moments, their text, and uids that sort by time: milliseconds since the epoch. Standard library only."""

from __future__ import annotations

import os
import time as _time
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now_ms() -> int:
    """The time of the machine's clock, in milliseconds since the epoch."""
    return _time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """2026-11-29T14:02:11.250Z of milliseconds since the epoch."""
    moment = _EPOCH + timedelta(milliseconds=ms)  # exact; a float of seconds is not, far from now
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local(ms: int) -> str:
    """2026-11-29 15:02:11: the local time, as sentences and screens say a moment to people."""
    return datetime.fromtimestamp(ms / 1000).strftime("%Y-%m-%d %H:%M:%S")


def parse_iso(text: str) -> int:
    """Milliseconds since the epoch of an ISO 8601 time; without an offset it is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def uuid7(ms: int | None = None) -> str:
    """A UUID version 7 (RFC 9562, section 5.7): 48 bits of milliseconds, 74 random bits."""
    stamp = (now_ms() if ms is None else ms) & ((1 << 48) - 1)
    rand = int.from_bytes(os.urandom(10), "big")
    value = stamp << 80 | 0x7 << 76 | (rand >> 68 & 0xFFF) << 64 | 0b10 << 62 | rand & ((1 << 62) - 1)
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
