"""The README's five minutes, walked in a real terminal of 80 columns: each thing it says is there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal import Terminal

pytestmark = [pytest.mark.terminal, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """The demonstration, ready."""
    place = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "TUI_MEMORY_CONFIG": str(tmp_path / "none.yaml")}
    given = place | {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    made = Terminal(tmp_path / "tmux", [sys.executable, "-m", "tui_memory", "ui", "--demo"], given)
    made.until("● MiniLM", without="sample:")
    yield made
    made.end()


@pytest.mark.timeout(900)
def test_what_the_readme_says_is_there(terminal: Terminal) -> None:
    terminal.press("1")
    terminal.until("observations", "e errors")
    terminal.press("e")
    terminal.until("✗ error", without="▸ prompt")
    terminal.press("e")
    terminal.until("▸ prompt")
    remember_and_undo(terminal)
    terminal.press("3")
    terminal.until("hidden instructions", "a  to the trash")
    ask_and_judge(terminal)
    terminal.press("5")
    assert "Compare ways of compressing." in terminal.until("Compare ways of compressing.")
    terminal.press("6")
    assert "embedding model" in terminal.until("receipts", "embedding model")
    terminal.press("q")
    terminal.ended()


def remember_and_undo(terminal: Terminal) -> None:
    """Memories: a question without any of the answer's words, a pin, and undo."""
    terminal.press("2")
    terminal.until("newest first")
    terminal.press("/")
    terminal.until("↓ results")
    terminal.write("may we ship before the weekend")
    terminal.until("may we ship before", "Never release on a Friday", "42 t")
    terminal.press("Enter")
    terminal.until("d delete")
    terminal.press("p")
    terminal.until("▲ Never release")
    terminal.press("u")
    terminal.until("Never release", without="▲ Never release")


def ask_and_judge(terminal: Terminal) -> None:
    """Playground: a question, a judgment, a weight, the evaluation, and what an agent would be given."""
    terminal.press("4")
    terminal.until("Ask something.")
    terminal.press("/")
    terminal.until("↓ results")
    terminal.write("charged twice")
    terminal.until("One idempotency", "coverage")
    terminal.press("Enter")
    terminal.until("r relevant")
    terminal.press("r", "p")
    terminal.until("→ more")
    terminal.press("l")
    terminal.until("default*")
    terminal.press("Escape")
    terminal.until("r relevant")
    terminal.press("e")
    terminal.until("41 queries")
    terminal.press("v")
    terminal.until("What the agent is given", "tui-memory note")
    terminal.press("Escape")
    terminal.until("41 queries", without="tui-memory note")
