"""Stores with the sample in them, made once for all tests that only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_memory import Memory, config
from tui_memory.engine import sample

RULES_ONLY = config.Settings(compress=config.CompressSettings(routes=("extractive",)))


@pytest.fixture(autouse=True)
def usual_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents keep their histories below the home directory."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty store that works with words alone: no model is loaded."""
    with Memory(tmp_path / "store", embedding="none", settings=RULES_ONLY) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Memory]:
    """A second one, for what goes from store to store."""
    with Memory(tmp_path / "other", embedding="none", settings=RULES_ONLY) as made:
        yield made


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, dict[str, int]]]:
    """The sample, run through the whole pipeline with the real model, and its labels' observation ids."""
    with Memory(tmp_path_factory.mktemp("sampled") / "store", settings=RULES_ONLY) as made:
        yield made, sample.build(made)
