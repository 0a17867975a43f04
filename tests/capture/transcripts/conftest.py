"""A store for histories that are imported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_memory.engine.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A new store, without an embedder."""
    with Memory(tmp_path / "store", embedding="none") as opened:
        yield opened
