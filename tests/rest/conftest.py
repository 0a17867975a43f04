"""The application over a store of its own, without a worker."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tui_memory.engine.memory import Memory
from tui_memory.surfaces.rest import app


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store without a model."""
    with Memory(tmp_path / "store", embedding="none") as opened:
        yield opened


@pytest.fixture
def client(memory: Memory) -> Iterator[TestClient]:
    """What asks the application, guarded as on the worker's socket; errors come as answers."""
    with TestClient(app.create(memory, logging.getLogger("test")), raise_server_exceptions=False) as opened:
        yield opened
