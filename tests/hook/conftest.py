"""A store of its own for each test, and no worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hook.running import no_worker


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A store's directory whose worker cannot start."""
    with no_worker(tmp_path / "store"):
        yield tmp_path / "store"
