"""A week's audit in a real terminal: the program is started, keys are typed, the store is what they made of it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.terminal import Terminal
from tests.upkeep.audit.cases import every_family
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory

pytestmark = [pytest.mark.terminal, pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A store with a case of every family."""
    place = tmp_path / "store"
    with Memory(place, embedding="none") as memory:
        every_family(memory)
        memory.auditing.look()
    yield place
    worker_client.stop(place)


CASES = 10
ACCEPTED = frozenset({1, 4, 6, 8})
"""The cases that are answered with what is proposed; the others are kept as they are."""


def stands_at(settled: int, text: str) -> bool:
    """Whether a case is asked, after so many settled ones."""
    return f"{settled} of {CASES}" in text and "z  snooze" in text


@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_weeks_audit_from_the_first_case_to_the_report(home: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    environment = {
        "TUI_MEMORY_HOME": str(home), "TUI_MEMORY_CONFIG": str(tmp_path / "none.yaml"), "TERM": "xterm-256color",
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8",
    }  # fmt: skip
    terminal = Terminal(tmp_path / "tmux", [sys.executable, "-m", "tui_memory", "ui"], environment, size)
    try:
        terminal.until_seen(lambda text: f"3 Audit ({CASES})" in text)
        terminal.press("3")
        text = terminal.until_seen(lambda text: "Is this a secret?" in text)
        assert f"0 of {CASES}" in text and "a  mask it" in text
        terminal.press("k")
        terminal.until_seen(lambda text: f"1 of {CASES}" in text and "give your agents orders" in text)
        terminal.press("u")
        terminal.until_seen(lambda text: f"0 of {CASES}" in text and "Is this a secret?" in text)
        for number in range(CASES):
            terminal.until_seen(partial(stands_at, number))
            terminal.press("a" if number in ACCEPTED else "k")
        text = terminal.until_seen(lambda text: "all settled" in text and "# Audit of" in text)
        assert "saved in" in text
        terminal.press("q")
    finally:
        terminal.end()
    with Memory(home, embedding="none") as memory:
        settled = memory.auditing.report().settled
        assert {name: list(by) for name, by in settled.items()} == {
            "leak": ["keep"], "instructions": ["delete"], "contradiction": ["keep"], "conflict": ["keep"],
            "duplicate": ["merge"], "stale": ["keep"], "superseded": ["delete"], "unused": ["keep"],
            "ungrounded": ["delete"], "oversized": ["keep"],
        }  # fmt: skip
        assert memory.auditing.overview().open == 0 and len(list((home / "reports").iterdir())) == 1
