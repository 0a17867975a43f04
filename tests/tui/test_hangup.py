"""A terminal that goes away takes the application with it, also where no signal tells of it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.terminal
PATIENCE = 90.0


def drawn(terminal: int) -> bool:
    """Whether the application shows its tabs within the time it may take."""
    late, seen = time.monotonic() + PATIENCE, b""
    while b"Memories" not in seen and time.monotonic() < late:
        seen += os.read(terminal, 65536)
    return b"Memories" in seen


def test_it_ends_when_its_terminal_is_closed_without_a_signal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    given = os.environ | {"TERM": "xterm-256color", "TUI_MEMORY_HOME": str(tmp_path / "store")}
    program = [sys.executable, "-m", "tui_memory", "ui"]
    running = subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs, env=given, start_new_session=True)
    os.close(theirs)
    try:
        assert drawn(ours)
        os.close(ours)
        assert running.wait(PATIENCE) in (0, 129)
    finally:
        running.kill()
        running.wait()
