"""A machine of its own for each test: an empty home, a store, a project to stand in; and a way to type commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Home, store, settings and working directory under tmp_path; the working directory belongs to no project."""
    for name in ("user", "elsewhere"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    for name in (
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR",
        "TEXTUAL_DRIVER",
        "NO_COLOR",
        "COLUMNS",
        "LINES",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


@pytest.fixture
def shell() -> Shell:
    """The command line."""
    return Shell()


@pytest.fixture
def memory(machine: Path) -> Iterator[Memory]:
    """The store that the commands see, without a model."""
    with Memory(embedding="none") as opened:
        yield opened
