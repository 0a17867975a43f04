"""Notices that the terminal has gone away: Textual would read its end over and over, with a whole core."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Callable

GRACE = 10.0
"""Seconds to finish in; what is drawn for a terminal that is gone may wait for ever."""
_HUNG_UP = 129
"""The exit code of a program that its terminal's hang-up ended: 128 and the signal's number."""


def watch(gone: Callable[[], object]) -> None:
    """Call `gone`, from a thread of its own, once the other end of this program's terminal is closed.

    A terminal that hangs up sends a signal too, but only to the programs it is in charge of. Nothing is asked of the
    terminal meanwhile: the thread sleeps in one system call.
    """
    if hasattr(select, "poll") and os.isatty(terminal := sys.__stdin__.fileno() if sys.__stdin__ else -1):
        threading.Thread(target=_wait, args=(terminal, gone), name="tui-memory-hangup", daemon=True).start()


def _wait(terminal: int, gone: Callable[[], object]) -> None:
    poll = select.poll()
    poll.register(terminal, 0)  # hang-ups and errors are told unasked
    if any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll()):
        gone()
        time.sleep(GRACE)
        os._exit(_HUNG_UP)
