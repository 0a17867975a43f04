"""`tui-memory` and `tui-memory ui` open the application, on the store or on the sample."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Shell
from tui_memory.engine import demo
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


@pytest.mark.parametrize("args", [[], ["ui"]])
def test_it_opens_on_the_store_and_its_exit_code_is_ours(
    shell: Shell, machine: Path, opened: list[tuple[Any, ...]], args: list[str]
) -> None:
    assert shell(*args).code == 7
    assert opened == [(machine / "store", False)]


def test_a_demonstration_has_a_store_of_its_own(
    shell: Shell, machine: Path, opened: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "store", lambda: nullcontext(machine / "thrown away"))
    assert shell("ui", "--demo").code == 7
    assert opened == [(machine / "thrown away", True)]
    assert not (machine / "store").exists()
