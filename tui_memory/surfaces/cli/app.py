"""The one place of the command line that knows the application."""

from __future__ import annotations

import signal
import sys

from tui_memory import places


def open_application(*, demo: bool) -> int:
    """Open the application on the store, or with `demo` on sample data in a throw-away one: its exit code."""
    from tui_memory.tui.app import run  # Textual takes a fifth of a second: for this command alone

    if not demo:
        return run(places.home())
    from tui_memory.engine import demo as demonstration

    # A terminal that is closed would end the process where it stands, and leave the throw-away store behind.
    signal.signal(signal.SIGHUP, lambda _number, _frame: sys.exit(128 + signal.SIGHUP))
    with demonstration.store() as home:
        return run(home, demo=True)
