"""What several of these tests need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.compress.double import Double


@pytest.fixture
def double() -> Iterator[Double]:
    """A running double of Ollama's API."""
    with Double() as server:
        yield server
