"""TIME as people type it: `3d`, `2w`, `yesterday`, ISO 8601; all become milliseconds since the epoch."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from tui_memory.clock import now_ms
from tui_memory.errors import UsageError

_UNITS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000, "y": 31_557_600_000}
_SPAN = re.compile(r"(\d{1,6}) ?([mhdwy])")


def parse(text: str, *, now: int | None = None, end: bool = False) -> int:
    """The moment a TIME names. A whole day is its first midnight, or with `end` the one that ends it.

    Without an offset a time is local: the person who types it looks at the clock on the wall. Raises UsageError.
    """
    present = now_ms() if now is None else now
    value = text.strip().lower()
    span = _SPAN.fullmatch(value)
    if span:
        return max(present - int(span[1]) * _UNITS[span[2]], 0)
    try:
        moment = _moment(value, datetime.fromtimestamp(present / 1000).date(), end)
        return max(round(moment.timestamp() * 1000), 0)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f"{text.strip()!r} is not a time: use 30m, 12h, 3d, 2w, today, yesterday or ISO 8601 "
            "such as 2026-11-20 or 2026-11-20T14:00+01:00."
        ) from error


def length(text: str) -> int:
    """Milliseconds of a span: 30m, 12h, 3d. Raises UsageError."""
    span = _SPAN.fullmatch(text.strip().lower())
    if span is None:
        raise UsageError(f"{text.strip()!r} is not a span of time: use 30m, 12h, 3d or 2w.")
    return int(span[1]) * _UNITS[span[2]]


def _moment(value: str, today: date, end: bool) -> datetime:
    if value in ("today", "yesterday"):
        return _day(today - timedelta(days=value == "yesterday"), end)
    try:
        return _day(date.fromisoformat(value), end)
    except ValueError:  # not a date alone
        return datetime.fromisoformat(value.upper())


def _day(day: date, end: bool) -> datetime:
    return datetime.combine(day + timedelta(days=end), time.min)
