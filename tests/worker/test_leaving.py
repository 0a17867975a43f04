"""A worker that is told to leave at the very moment something changed leaves all the same."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from tui_memory.surfaces.worker import standing
from tui_memory.surfaces.worker.server import Server


async def test_a_chore_that_was_just_rung_for_can_still_be_ended(tmp_path: Path) -> None:
    lock = standing.take_lock(tmp_path / "store")
    assert lock is not None
    server = Server(tmp_path / "store", 60, logging.getLogger("test"), lock)
    server._ring()
    chore = asyncio.create_task(server._occasion("house"))
    await asyncio.sleep(0)  # it has begun to wait for the bell, which rings already
    chore.cancel()
    with pytest.raises(asyncio.CancelledError):
        await chore
