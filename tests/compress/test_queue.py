"""The queue: each turn's memories are stored exactly once, whatever happens to the worker."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.compress.double import Double
from tests.compress.make import FIXED, Agent, settings
from tui_memory.compress import extractive, turns
from tui_memory.compress.made import Compressed, Cost
from tui_memory.compress.queue import ATTEMPTS, Progress, drain
from tui_memory.compress.router import Router
from tui_memory.compress.turns import Turn
from tui_memory.model import Filters
from tui_memory.store import counters, memories, observations, queue
from tui_memory.store.db import Store


def titles(store: Store) -> list[str]:
    """The titles of the active memories."""
    return [memory.title for memory in memories.page(store, Filters())]


def an_agent(home: Path, count: int = 1) -> Agent:
    """An agent whose turns each teach something."""
    agent = Agent(home)
    for number in range(count):
        agent.turn(f"Customers are charged twice in case {number}, fix it.", *FIXED)
    return agent


def test_a_closed_turn_becomes_a_memory_with_its_place(tmp_path: Path) -> None:
    agent = an_agent(tmp_path)
    seen: list[Progress] = []
    done = drain(agent.store, Router(settings()), worker="w", on_turn=seen.append)
    (memory,) = memories.get(agent.store, seen[0].memories)
    assert (done.turns, done.memories, done.failed) == (1, 1, 0)
    assert (memory.session, memory.made_by.route, memory.state) == ("s-1", "extractive", "active")
    assert memory.files == ["src/payments.py"]
    assert seen[0].waiting == 0


def test_its_observations_say_what_became_of_them(tmp_path: Path) -> None:
    agent = an_agent(tmp_path)
    agent.turn("thanks!", "You're welcome.")
    drain(agent.store, Router(settings()), worker="w")
    states = {(item.kind, item.turn): (item.state, item.reason) for item in observations.page(agent.store)}
    assert states["edit", 1] == ("compressed", "")
    assert states["response", 2][0] == "skipped"
    assert states["response", 2][1]


def test_a_limit_leaves_the_rest_waiting(tmp_path: Path) -> None:
    agent = an_agent(tmp_path, 3)
    assert drain(agent.store, Router(settings()), worker="w", limit=2).turns == 2
    assert queue.waiting(agent.store) == 1


class Crashing:
    """A route that fails in a way nobody thought of."""

    name = model = "crashing"

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """Crash."""
        raise ZeroDivisionError("a bug")


def test_a_turn_that_crashes_a_route_is_tried_again_later_and_at_last_by_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = an_agent(tmp_path)
    router = Router(settings(), routes=[Crashing()])
    for attempt in range(1, ATTEMPTS - 1):
        assert drain(agent.store, router, worker="w").failed == 1
        (row,) = agent.store.rows("SELECT attempts, last_error, state FROM queue")
        assert tuple(row) == (attempt, "ZeroDivisionError: a bug", "waiting")
        agent.store.connection.execute("UPDATE queue SET not_before = 0")
    assert drain(agent.store, router, worker="w").memories == 1
    assert queue.counts(agent.store) == {"done": 1}


def test_a_turn_that_nothing_can_compress_is_given_up_and_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    agent = an_agent(tmp_path, 2)
    monkeypatch.setattr("tui_memory.compress.keeping.keep", crash)
    for _ in range(ATTEMPTS):
        drain(agent.store, Router(settings()), worker="w", limit=2)
        agent.store.connection.execute("UPDATE queue SET not_before = 0")
    assert queue.counts(agent.store) == {"failed": 2}
    assert {item.state for item in observations.page(agent.store)} == {"failed"}


def test_a_failing_model_does_not_hold_up_the_queue(
    tmp_path: Path, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", double.url)
    agent = an_agent(tmp_path, 3)
    done = drain(agent.store, Router(settings("ollama:prose", "extractive")), worker="w")
    assert (done.turns, done.memories, done.failed) == (3, 3, 0)
    assert any("prose" in note for note in done.notes)
    assert agent.store.rows("SELECT calls FROM usage")[0][0] == 6
    assert counters.all(agent.store)["compress:fallback"] == 3


def test_a_repaired_answer_is_counted(tmp_path: Path, double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", double.url)
    agent = Agent(tmp_path)
    agent.turn(
        "One idempotency key per order?", "PaymentService.charge made a fresh key for every attempt. It is order-7."
    )
    assert drain(agent.store, Router(settings("ollama:mending", "extractive")), worker="w").memories == 1
    assert counters.all(agent.store)["compress:repair"] == 1
    assert counters.all(agent.store)["compress:ollama:mending"] == 1


class Meanwhile:
    """A route so slow that its lease runs out and another worker takes the turn over and finishes it."""

    name = model = "meanwhile"

    def __init__(self, home: Path) -> None:
        self.home, self.overtaken = home, False

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """Answer when the other worker is done."""
        await asyncio.to_thread(self.overtake)
        return extractive.make(turn)

    def overtake(self) -> None:
        """What the other worker does."""
        with Store(self.home) as store:
            store.connection.execute("UPDATE queue SET lease_until = 0")
            self.overtaken = drain(store, Router(settings()), worker="other").memories == 1


def test_a_worker_that_lost_its_lease_stores_nothing(tmp_path: Path) -> None:
    agent = an_agent(tmp_path)
    route = Meanwhile(tmp_path)
    done = drain(agent.store, Router(settings(), routes=[route]), worker="slow")
    assert route.overtaken
    assert done.memories == 0
    assert len(titles(agent.store)) == 1


def test_two_workers_never_take_one_turn(tmp_path: Path) -> None:
    agent = an_agent(tmp_path, 20)
    taken: list[tuple[int, int]] = []

    def work(name: str) -> None:
        drain(
            Store(tmp_path), Router(settings()), worker=name,
            on_turn=lambda done: taken.append((done.turn.session_id, done.turn.number)),
        )  # fmt: skip

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(taken) == [(1, number) for number in range(1, 21)]
    assert len(titles(agent.store)) == 20


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.compress.make import settings
from tui_memory.compress import keeping, queue
from tui_memory.compress.router import Router
from tui_memory.store.db import Store

keep, after = keeping.keep, int(sys.argv[2])
def killed(*arguments):
    global after
    kept = keep(*arguments)
    after -= 1
    if after == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return kept
keeping.keep = killed
queue.drain(Store(Path(sys.argv[1])), Router(settings()), worker="killed", lease_s=0.01)
"""


def test_a_killed_worker_neither_loses_nor_doubles_a_turn(tmp_path: Path) -> None:
    agent = an_agent(tmp_path, 6)
    root = Path(__file__).parents[2]
    for after in (3, 2):
        command = [sys.executable, "-c", _KILLED, str(tmp_path), str(after)]
        killed = subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, timeout=60)
        assert killed.returncode == -signal.SIGKILL
    assert len(titles(agent.store)) == 3
    drain(agent.store, Router(settings()), worker="next")
    assert len(titles(agent.store)) == 6
    assert queue.counts(agent.store) == {"done": 6}
    sources = [source for memory in memories.page(agent.store, Filters()) for source in memory.sources]
    assert len(sources) == len(set(sources)) > 0


def test_a_turn_without_a_session_is_an_error_that_says_so(tmp_path: Path) -> None:
    from tui_memory.errors import NotFoundError

    with pytest.raises(NotFoundError, match="no session 7"):
        turns.load(Store(tmp_path), 7, 1)
