"""A store whose worker may run, may be killed, and is gone at the end."""

from __future__ import annotations

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
