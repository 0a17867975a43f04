"""A tuning session in a real terminal: the demonstration, keys that are typed, and the profile in the store."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.terminal, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]
PATIENCE = 240.0
"""Seconds for anything to appear: a busy machine is no fault, and the sample's vectors take their time."""


class Terminal:
    """One tmux server of its own with the demonstration in it."""

    def __init__(self, place: Path, size: tuple[int, int]) -> None:
        self._tmux = ["tmux", "-f", "/dev/null", "-S", str(place / "tmux")]
        self.environment = {
            "TMPDIR": str(place / "t"), "TUI_MEMORY_CONFIG": str(place / "none.yaml"), "TERM": "xterm-256color",
            "PATH": os.environ["PATH"], "HOME": str(place), "LANG": "C.UTF-8",
            "COLUMNS": str(size[0]), "LINES": str(size[1]),
        }  # fmt: skip
        (place / "t").mkdir()
        given = [f"{name}={value}" for name, value in self.environment.items()]
        program = ["env", *given, sys.executable, "-m", "tui_memory", "ui", "--demo"]
        self._run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), *program)

    def _run(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, text=True).stdout

    def press(self, *keys: str) -> None:
        """Type keys by their names."""
        self._run("send-keys", *keys)

    def write(self, text: str) -> None:
        """Type a text."""
        self._run("send-keys", "-l", text)

    def until(self, *wanted: str, of: Callable[[str], bool] = lambda _: True) -> str:
        """Wait until all of it stands on the screen; what it shows."""
        late = time.monotonic() + PATIENCE
        while True:
            text = self._run("capture-pane", "-p")
            if all(one in text for one in wanted) and of(text):
                return text
            assert time.monotonic() < late, f"{wanted}\n{text}"
            time.sleep(0.2)

    def end(self) -> None:
        """Close it, whatever runs in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """The demonstration at a common size."""
    made = Terminal(tmp_path_factory.mktemp("t"), (120, 40))
    yield made
    made.end()


def profiles(terminal: Terminal) -> str:
    """What `tui-memory profiles` says of the store on show."""
    (home,) = Path(terminal.environment["TMPDIR"]).glob("tui-memory-demo-*/store")
    command = [sys.executable, "-m", "tui_memory", "profiles"]
    environment = terminal.environment | {"TUI_MEMORY_HOME": str(home)}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.timeout(900)
def test_from_a_question_to_a_saved_profile(terminal: Terminal) -> None:
    terminal.until("● MiniLM", "113 memories", of=lambda text: "sample:" not in text)
    terminal.press("4")
    terminal.until("Ask something.")
    terminal.write("why did we stop retrying payments")
    terminal.until("results", "● model warm")
    terminal.press("Enter")
    terminal.until("enter open")
    terminal.press("p")
    terminal.until("as profile")
    terminal.press(*["S-Right"] * 5)
    terminal.until("profile · default*", "ranked in")
    terminal.press("Escape")
    terminal.until("enter open")
    terminal.press("r")
    terminal.until("relevant · e measures by it")
    terminal.press("e")
    terminal.until("recall@5", "±", "default* · ")
    terminal.press("t")
    terminal.until("Tune", "measured on")
    text = terminal.until("esc leaves")
    if "s saves" in text:
        terminal.press("s")
    else:  # nothing better than what was moved by hand: that is what is saved
        terminal.press("Escape")  # with the next key right behind it, a terminal takes both for one
        terminal.until("enter open", of=lambda text: "profiles tried" not in text)
        terminal.press("s")
    terminal.until("Save as a profile")
    terminal.write("friday")
    terminal.press("Enter")
    terminal.until("Saved the profile friday", "profile · friday")
    assert "friday" in profiles(terminal) and "saved" in profiles(terminal)
    terminal.press("q")
