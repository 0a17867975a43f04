"""What happens when the application itself is wrong: one sentence on the terminal, no memory's text anywhere.

Textual prints a traceback with local variables, and locals hold what people typed: so we write one without them,
to a file only its owner can read.
"""

from __future__ import annotations

import os
import traceback
from pathlib import Path

from tui_memory import clock, places


def record(error: BaseException, home: Path) -> Path | None:
    """Append a traceback without locals or messages to the store's log (0600); None where that cannot be written."""
    path = places.log_dir(home) / "application.log"
    frames = "".join(traceback.format_tb(error.__traceback__))
    text = f"{clock.iso(clock.now_ms())} {type(error).__name__}\n{frames}\n"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError:  # a read-only or full disk: there is nowhere to write to, and the sentence says so
        return None
    return path


def sentence(error: BaseException, log: Path | None) -> str:
    """What a person is told: what failed by its type, that nothing was lost, where the details are."""
    where = f"Details, without any of your text: {log}" if log else "The details could not be written to the log."
    return f"A defect in tui-memory ({type(error).__name__}). What was stored stays stored. {where}"
