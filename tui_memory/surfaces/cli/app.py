"""The one place of the command line that knows the application."""

from __future__ import annotations

from tui_memory import places


def open_application(*, demo: bool) -> int:
    """Open the application on the store, or with `demo` on sample data in a throw-away one: its exit code."""
    from tui_memory.tui.app import run  # Textual takes a fifth of a second: for this command alone

    if not demo:
        return run(places.home())
    from tui_memory.engine import demo as demonstration

    with demonstration.store() as home:
        return run(home, demo=True)
