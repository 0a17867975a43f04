"""A store and a model that needs no weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.index.fakes import WordEmbedder
from tui_memory.store.db import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def embedder() -> WordEmbedder:
    """Texts that share words are near."""
    return WordEmbedder()
