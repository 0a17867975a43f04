"""A worker of its own for a test, or one for all the tests of a module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hook.running import storing, until
from tui_memory.engine import worker_client


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A store's directory; whatever worker runs there is stopped at the end."""
    place = tmp_path / "store"
    yield place
    until(lambda: not storing(place))
    worker_client.stop(place)


@pytest.fixture
def worker(home: Path) -> Path:
    """The directory of a store whose worker is up."""
    worker_client.start(home, idle=60)
    return home


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directory of a store whose worker is up, for tests that only add to it."""
    root = tmp_path_factory.mktemp("worker")
    before = dict(os.environ)
    os.environ |= {"TUI_MEMORY_CONFIG": str(root / "config.yaml"), "HOME": str(root)}
    worker_client.start(root / "store", idle=60)
    os.environ.clear()
    os.environ.update(before)
    yield root / "store"
    until(lambda: not storing(root / "store"))
    worker_client.stop(root / "store")
