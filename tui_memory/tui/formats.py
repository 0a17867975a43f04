"""How numbers, times and outside text are written on screen; pure functions."""

from __future__ import annotations

import time
from datetime import datetime

from tui_memory.clock import local, now_ms
from tui_memory.safetext import one_line

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
_STEPS = ((DAY * 365, "y"), (DAY * 30, "mo"), (DAY * 7, "w"), (DAY, "d"), (HOUR, "h"), (MINUTE, "min"))


def now() -> int:
    """The time ages are counted from, in milliseconds: one place, so that tests can stop it."""
    return now_ms()


def monotonic() -> float:
    """Seconds of a clock that never goes back, for how long ago something was asked."""
    return time.monotonic()


def age(ms: int) -> str:
    """How long ago, in one unit: `now`, `3 min`, `2 d`, `5 mo`."""
    past = now() - ms
    for size, unit in _STEPS:
        if past >= size:
            return f"{past // size} {unit}"
    return "now"


def clock(ms: int) -> str:
    """The local time of day: 14:02:11."""
    return datetime.fromtimestamp(ms / 1000).strftime("%H:%M:%S")


def moment(ms: int) -> str:
    """The exact local time, for a detail: 2026-11-29 14:02:11."""
    return local(ms)


def day(ms: int) -> str:
    """The local day, where it is not today's: 22 Nov."""
    then, today = datetime.fromtimestamp(ms / 1000), datetime.fromtimestamp(now() / 1000)
    return (
        ""
        if then.date() == today.date()
        else f"{then.day} {then:%b}" + ("" if then.year == today.year else f" {then.year}")
    )


def number(value: int) -> str:
    """1,284."""
    return f"{value:,}"


def count(value: int, noun: str, plural: str = "") -> str:
    """`1 memory`, `3 memories`: the number with the noun it asks for."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def tokens(value: int) -> str:
    """`84 t`, `12.3 kt`, `123 kt`: seven cells up to ten million; nothing counted is a dash."""
    if not value:
        return "–"
    return f"{value} t" if value < 10_000 else f"{value / 1000:.{1 if value < 99_950 else 0}f} kt"


def short(text: str, limit: int) -> str:
    """One clean line of at most `limit` characters, at a cost that does not grow with the text."""
    return one_line(text[: limit * 4], limit)


def session(identity: str) -> str:
    """A session's id in four characters that tell it from others: of a UUID its end, whose beginning is a time."""
    return one_line(identity[-4:] if len(identity) == 36 and identity.count("-") == 4 else identity[:4], 4)


def size(value: int) -> str:
    """`812 B`, `16.0 kB`, `3.4 MB`."""
    amount = float(value)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
