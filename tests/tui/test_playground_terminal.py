"""A tuning session in a real terminal: the demonstration, keys that are typed, and the profile in the store."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal import Terminal

pytestmark = [pytest.mark.terminal, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A machine with nothing on it."""
    place = tmp_path_factory.mktemp("t")
    return {
        "TMPDIR": str(place), "TUI_MEMORY_CONFIG": str(place / "none.yaml"), "TERM": "xterm-256color",
        "PATH": os.environ["PATH"], "HOME": str(place), "LANG": "C.UTF-8",
    }  # fmt: skip


@pytest.fixture
def terminal(environment: dict[str, str]) -> Iterator[Terminal]:
    """The demonstration at a common size."""
    program = [sys.executable, "-m", "tui_memory", "ui", "--demo"]
    made = Terminal(Path(environment["TMPDIR"]) / "tmux", program, environment, (120, 40))
    yield made
    made.end()


def profiles(environment: dict[str, str]) -> str:
    """What `tui-memory profiles` says of the store on show."""
    (home,) = Path(environment["TMPDIR"]).glob("tui-memory-demo-*/store")
    command = [sys.executable, "-m", "tui_memory", "profiles"]
    return subprocess.run(
        command, env=environment | {"TUI_MEMORY_HOME": str(home)}, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.timeout(900)
def test_from_a_question_to_a_saved_profile(terminal: Terminal, environment: dict[str, str]) -> None:
    terminal.until("● MiniLM", "113 memories", without="sample:")
    terminal.press("4")
    terminal.until("Ask something.")
    terminal.press("/")
    terminal.until("↓ results")
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
    terminal.until("— r", "measures")  # judged in its row, and said: a toast wraps where it likes
    terminal.press("e")
    terminal.until("recall@5", "±", "default* · ")
    terminal.press("t")
    terminal.until("Tune", "measured on")
    text = terminal.until("esc leaves")
    if "s saves" in text:
        terminal.press("s")
    else:  # nothing better than what was moved by hand: that is what is saved
        terminal.press("Escape")  # with the next key right behind it, a terminal takes both for one
        terminal.until("enter open", without="profiles tried")
        terminal.press("s")
    terminal.until("Save as a profile")
    terminal.write("friday")
    terminal.press("Enter")
    terminal.until("Saved the profile friday", "profile · friday")
    assert "friday" in profiles(environment) and "saved" in profiles(environment)
    terminal.press("q")
