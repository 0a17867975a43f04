"""A week's audit in a real terminal: the program is started, keys are typed, the store is what they made of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.upkeep.audit.cases import every_family
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory

pytestmark = [pytest.mark.terminal, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]
PATIENCE = 60.0
"""Seconds for anything to appear: a busy machine is no fault."""


class Terminal:
    """One tmux server of its own with the application in it."""

    def __init__(self, socket: Path, size: tuple[int, int], environment: dict[str, str]) -> None:
        self._tmux = ["tmux", "-f", "/dev/null", "-S", str(socket)]
        given = [f"{name}={value}" for name, value in environment.items()]
        program = ["env", *given, sys.executable, "-m", "tui_memory", "ui"]
        self._run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), *program)

    def _run(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, text=True).stdout

    def press(self, key: str) -> None:
        """Type a key."""
        self._run("send-keys", key)

    def shown(self) -> str:
        """What stands on the screen."""
        return self._run("capture-pane", "-p")

    def until(self, seen: Callable[[str], bool]) -> str:
        """Wait until the screen is as wanted; what it shows."""
        late = time.monotonic() + PATIENCE
        while not seen(text := self.shown()):
            assert time.monotonic() < late, text
            time.sleep(0.1)
        return text

    def end(self) -> None:
        """Close it, whatever runs in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A store with a case of every family."""
    place = tmp_path / "store"
    with Memory(place, embedding="none") as memory:
        every_family(memory)
        memory.auditing.look()
    yield place
    worker_client.stop(place)


def stands_at(settled: int, text: str) -> bool:
    """Whether a case is asked, after so many settled ones."""
    return f"{settled} of 9" in text and "z  snooze" in text


@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_weeks_audit_from_the_first_case_to_the_report(home: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    environment = {
        "TUI_MEMORY_HOME": str(home), "TUI_MEMORY_CONFIG": str(tmp_path / "none.yaml"), "TERM": "xterm-256color",
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8",
    }  # fmt: skip
    terminal = Terminal(tmp_path / "tmux", size, environment)
    try:
        terminal.until(lambda text: "3 Audit (9)" in text)
        terminal.press("3")
        text = terminal.until(lambda text: "Is this a secret?" in text)
        assert "0 of 9" in text and "a  mask it" in text
        terminal.press("k")
        terminal.until(lambda text: "1 of 9" in text and "give your agents orders" in text)
        terminal.press("u")
        terminal.until(lambda text: "0 of 9" in text and "Is this a secret?" in text)
        for number in range(9):
            terminal.until(partial(stands_at, number))
            terminal.press("a" if number % 2 else "k")
        text = terminal.until(lambda text: "all settled" in text and "# Audit of" in text)
        assert "saved in" in text
        terminal.press("q")
    finally:
        terminal.end()
    with Memory(home, embedding="none") as memory:
        settled = memory.auditing.report().settled
        assert {name: list(by) for name, by in settled.items()} == {
            "leak": ["keep"], "instructions": ["delete"], "contradiction": ["keep"], "duplicate": ["merge"],
            "stale": ["keep"], "superseded": ["delete"], "unused": ["keep"], "ungrounded": ["delete"],
            "oversized": ["keep"],
        }  # fmt: skip
        assert memory.auditing.overview().open == 0 and len(list((home / "reports").iterdir())) == 1
