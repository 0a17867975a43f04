"""What a model is given at once: a turn, a session that has ended, or one event."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.compress.double import Double
from tests.compress.make import FIXED, Agent, settings
from tests.compress.test_again import Model
from tests.compress.test_ollama import a_turn
from tui_memory.clock import now_ms
from tui_memory.compress.again import again
from tui_memory.compress.made import Compressed, Cost
from tui_memory.compress.ollama import Ollama
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.compress.turns import Turn
from tui_memory.model import Filters, Memory, MemoryKind
from tui_memory.store import memories, queue

SESSION = settings(granularity="session")


class Whole(Model):
    """A model that remembers how many prompts it was given at once."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[int] = []

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """One memory, except of a digest."""
        if turn.number == 0:
            return Compressed(route=self.name, model=self.model, skipped_reason="no digest")
        self.given.append(len({item.turn for item in turn.observations}))
        return await super().compress(turn, cost)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent with two turns behind it, at work just now."""
    made = Agent(tmp_path)
    for number in range(2):
        made.turn(f"Customers are charged twice in case {number}, fix it.", *FIXED)
    made.store.connection.execute("UPDATE sessions SET last_seen = ?", (now_ms(),))
    return made


def shown(agent: Agent) -> list[Memory]:
    """All memories that are shown but digests, oldest first."""
    found = [memory.id for memory in memories.page(agent.store, Filters()) if memory.kind != MemoryKind.DIGEST]
    return memories.get(agent.store, sorted(found))


def drained(agent: Agent, model: Model) -> int:
    """How many turns a run takes."""
    return drain(agent.store, Router(SESSION, routes=[model]), worker="w").turns


def test_a_session_waits_for_its_end_and_is_then_read_as_one(agent: Agent) -> None:
    model = Whole()
    assert (drained(agent, model), model.given) == (0, [])
    assert agent.store.rows("SELECT max(attempts) FROM queue")[0][0] == 0
    agent.end()
    drained(agent, model)
    assert model.given == [2]
    assert queue.counts(agent.store) == {"done": 3}
    assert len(shown(agent)) == 1


def test_a_session_that_was_left_without_an_end_is_read_after_a_while(agent: Agent) -> None:
    agent.store.connection.execute("UPDATE sessions SET last_seen = last_seen - 1801000")
    model = Whole()
    drained(agent, model)
    assert model.given == [2]
    assert queue.counts(agent.store) == {"done": 2}


def test_a_session_that_goes_on_is_read_again_into_the_same_memory(agent: Agent) -> None:
    model = Whole()
    agent.end()
    drained(agent, model)
    (before,) = shown(agent)
    agent.turn("And one more case, fix it.", *FIXED)
    agent.end()
    drained(agent, model)
    assert model.given == [2, 3]
    assert [memory.id for memory in shown(agent)] == [before.id]


def test_again_reads_the_whole_session_as_well(agent: Agent) -> None:
    model = Whole()
    agent.end()
    drained(agent, model)
    again(agent.store, Router(SESSION, routes=[model]), [shown(agent)[0].id])
    assert model.given == [2, 2]


def test_the_rules_still_read_turn_by_turn(agent: Agent) -> None:
    agent.end()
    drain(agent.store, Router(SESSION), worker="w")
    assert [memory.made_by.route for memory in shown(agent)] == ["extractive", "extractive"]
    assert queue.counts(agent.store) == {"done": 3}


def test_each_event_is_asked_about_by_itself(double: Double) -> None:
    route = Ollama("good", settings(granularity="event"), double.url)
    found = asyncio.run(route.compress(a_turn(), Cost()))
    questions = [asked["messages"][1]["content"] for asked in double.asked]
    assert len(questions) == 2
    assert all("[1] prompt: Charging retries" in question for question in questions)
    assert ["[2] edit" in question for question in questions] == [True, False]
    assert ["[3] response" in question for question in questions] == [False, True]
    assert len(found.made) == 1, "what is said twice is kept once"
