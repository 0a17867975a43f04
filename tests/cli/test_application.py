"""`tui-memory` and `tui-memory ui` open the application, on the store or on the sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Shell
from tui_memory.tui import app


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """How the application was opened: it is not, here."""
    calls: list[tuple[Any, ...]] = []

    def run(home: Path, *, demo: bool = False) -> int:
        calls.append((home, demo))
        return 7

    monkeypatch.setattr(app, "run", run)
    monkeypatch.setenv("TEXTUAL_DRIVER", "stands in for a terminal")
    return calls


@pytest.mark.parametrize(("args", "demo"), [([], False), (["ui"], False), (["ui", "--demo"], True)])
def test_it_opens_on_the_store_and_its_exit_code_is_ours(
    shell: Shell, machine: Path, opened: list[tuple[Any, ...]], args: list[str], demo: bool
) -> None:
    assert shell(*args).code == 7
    assert opened == [(machine / "store", demo)]
