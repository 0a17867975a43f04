"""Times for people: how long ago in lists, exact where one thing is shown whole."""

from __future__ import annotations

from datetime import datetime

_STEPS = ((31_557_600, "y"), (2_629_800, "mo"), (604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "min"))


def age(then: int, now: int) -> str:
    """`3 d`, `5 min`, `now`: the largest whole unit between two times in milliseconds; the future is `now`."""
    seconds = (now - then) // 1000
    for size, unit in _STEPS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "now"


def ago(then: int, now: int) -> str:
    """As `age`, in a sentence: `3 d ago`, `just now`."""
    value = age(then, now)
    return "just now" if value == "now" else f"{value} ago"


def exact(ms: int) -> str:
    """2026-11-29 14:02:11 +0100: the local time to the second, with its offset."""
    return datetime.fromtimestamp(ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")


def clock(ms: int) -> str:
    """14:02:11, local."""
    return datetime.fromtimestamp(ms / 1000).strftime("%H:%M:%S")
