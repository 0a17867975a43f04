"""The application's memory over hours: fewer looks for garbage, and what is free goes back to the system."""

from __future__ import annotations

import gc
from functools import cache
from typing import Any

YOUNG, MIDDLE, OLD = 5_000, 20, 100
"""Python's thresholds for looking for garbage while the application runs."""
GIVE_BACK_EVERY = 60.0
"""Seconds between two givings back: each takes some milliseconds."""


def start_quickly() -> None:
    """No look for garbage until `hold_still`: all that a start makes is there to stay."""
    gc.disable()


def hold_still() -> None:
    """What is loaded by now stays: not looking through it for garbage again saves pauses of 80 ms under a flood."""
    gc.collect(1)
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
    gc.enable()


def give_back() -> None:
    """Return to the system what the C library keeps of freed memory: threads that read fill it with holes.

    glibc's `malloc_trim(0)`, see malloc_trim(3); where there is none, nothing is done.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    import ctypes  # not on the way to the first paint

    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):  # another C library
        return None
