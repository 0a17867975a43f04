"""Every test has a home, a store and a settings file of its own: nothing of the person who runs it is read."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

_LOOPBACK = ("127.", "::1", "localhost")


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


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbid, in the test's own process, every connection and every listening socket beyond this machine."""

    def guarded(name: str) -> None:
        real = getattr(socket.socket, name)

        def check(self: socket.socket, address: Any, *rest: Any) -> Any:
            host = str(address[0]) if isinstance(address, tuple) else ""
            if self.family != socket.AF_UNIX and not host.startswith(_LOOPBACK):
                raise AssertionError(f"a test reached for {host or 'every address'}: nothing may leave this machine")
            return real(self, address, *rest)

        monkeypatch.setattr(socket.socket, name, check)

    for name in ("connect", "connect_ex", "bind"):
        guarded(name)
