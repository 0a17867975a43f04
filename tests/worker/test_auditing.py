"""The worker looks for the audit's cases as memories come, a slice at a time, and only where something changed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.upkeep.audit.cases import MAKE, leak
from tui_memory.engine.memory import Memory
from tui_memory.store.db import Store
from tui_memory.surfaces.worker import auditing
from tui_memory.surfaces.worker.auditing import Auditing
from tui_memory.surfaces.worker.settings import Watched
from tui_memory.upkeep.audit import finding

LOG = logging.getLogger("test")


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "none.yaml"))
    with Memory(tmp_path / "store", embedding="none") as made:
        yield made


@pytest.fixture
def work(memory: Memory) -> Iterator[Auditing]:
    """The worker's part, with a store of its own as in the worker's process."""
    with Store(memory.home, worker=True) as store:
        yield Auditing(store, Watched(memory.home, LOG), LOG)


def test_new_memories_become_cases_and_nothing_is_looked_at_twice(
    memory: Memory, work: Auditing, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak(memory)
    assert work.look_some() is False
    assert [row.family for row in memory.auditing.queue()] == ["leak"]

    def looked(*_: object, **__: object) -> None:
        raise AssertionError("nothing has changed")

    with monkeypatch.context() as patched:
        patched.setattr(finding, "look", looked)
        assert work.look_some() is False
    MAKE["instructions"](memory)
    work.look_some()
    assert [row.family for row in memory.auditing.queue()] == ["leak", "instructions"]


def test_a_large_store_is_looked_through_in_slices(
    memory: Memory, work: Auditing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "BATCH", 1)
    monkeypatch.setattr(auditing, "_SLICE", 0.0)
    for _ in range(3):
        leak(memory)
    assert [work.look_some() for _ in range(4)] == [True, True, True, False]
    assert len(memory.auditing.queue("leak")) == 3


def test_a_pair_that_upkeep_finds_is_a_case_at_the_next_look(memory: Memory, work: Auditing) -> None:
    work.look_some()
    MAKE["contradiction"](memory)
    work.look_some()
    assert [row.family for row in memory.auditing.queue()] == ["contradiction"]
