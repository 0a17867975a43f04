"""Ctrl+c during long work: the first one lets it end between two steps, the second one breaks it off."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """A list that the first ctrl+c fills; the second one raises KeyboardInterrupt."""
    stopped: list[int] = []
    if current_thread() is not main_thread():
        yield stopped
        return

    def stop(number: int, _frame: Any) -> None:
        if stopped:
            raise KeyboardInterrupt
        stopped.append(number)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
