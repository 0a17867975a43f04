"""The worker's hour: limits are looked at when it begins and once an hour from then on, whoever it is that looks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui_memory import Memory, config
from tui_memory.surfaces.worker import keeping
from tui_memory.surfaces.worker.keeping import HOUR_MS, Keeping
from tui_memory.surfaces.worker.settings import Watched

START = 1_796_000_000_000


class Clock:
    """The worker's time (ms)."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(keeping, "now_ms", made)
    return made


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Memory, Callable[[], Keeping]]]:
    """A store that holds three memories at most, and what makes a worker's keeper of it."""
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    (tmp_path / "config.yaml").write_text("compress: {routes: [extractive]}\nupkeep: {max_memories: 3}\n")
    home = tmp_path / "store"

    def keeper() -> Keeping:
        log = logging.getLogger("test")
        return Keeping(home, Watched(home, log), log, threading.Event())

    with Memory(home, embedding="none", settings=config.Settings()) as memory:
        yield memory, keeper


def add(memory: Memory, number: int) -> None:
    memory.add_many([{"title": f"memory {memory.count(state='all')} {n}"} for n in range(number)])


def test_limits_are_held_once_an_hour(kept: tuple[Memory, Callable[[], Keeping]], clock: Clock) -> None:
    memory, make = kept
    keeper = make()
    add(memory, 5)
    assert keeper.keep() and memory.count() == 3
    add(memory, 2)
    clock.now += HOUR_MS - 1
    keeper.keep()
    assert memory.count() == 5
    clock.now += 1
    assert keeper.keep() and memory.count() == 3
    assert memory.count(state="trash") == 4


def test_the_hour_outlives_the_worker(kept: tuple[Memory, Callable[[], Keeping]], clock: Clock) -> None:
    memory, make = kept
    make().keep()
    add(memory, 5)
    clock.now += HOUR_MS // 2
    make().keep()
    assert memory.count() == 5
    clock.now += HOUR_MS // 2
    make().keep()
    assert memory.count() == 3


def test_a_clock_that_was_set_back_does_not_put_it_off(
    kept: tuple[Memory, Callable[[], Keeping]], clock: Clock
) -> None:
    memory, make = kept
    make().keep()
    add(memory, 5)
    clock.now -= 300 * 24 * HOUR_MS
    make().keep()
    assert memory.count() == 3


def test_where_another_process_is_at_it_the_hour_is_not_over(
    kept: tuple[Memory, Callable[[], Keeping]], clock: Clock
) -> None:
    from tui_memory.upkeep.lease import lease

    memory, make = kept
    keeper = make()
    add(memory, 5)
    with lease(memory.home) as mine:
        assert mine
        keeper.keep()
        assert memory.count() == 5
    assert keeper.keep() and memory.count() == 3
