"""Every test has a home, a store and a settings file of its own: nothing of the person who runs it is read."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point everything that names a place into tmp_path."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    for name in ("TUI_MEMORY_OFF", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_PROJECT_DIR", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
