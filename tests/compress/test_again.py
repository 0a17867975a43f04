"""Compressed once more: new versions in place, what a person wrote stays, and nothing is lost to a worse answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.compress.make import FIXED, Agent, settings
from tui_memory.compress import extractive
from tui_memory.compress.again import again
from tui_memory.compress.made import Compressed, Cost, Made
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.compress.turns import Turn
from tui_memory.errors import CompressError, ModelError, NotFoundError, TuiMemoryError
from tui_memory.model import Body, Filters, MadeBy, Memory
from tui_memory.store import memories, queue
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store


class Model:
    """A route that writes what it is told of each turn, or fails."""

    name, model = "ollama:canned", "canned"

    def __init__(self, error: TuiMemoryError | None = None, tier: str = "episodic", says: bool = True) -> None:
        self.error, self.tier, self.says, self.asked = error, tier, says, 0

    async def compress(self, turn: Turn, cost: Cost) -> Compressed:
        """One memory of the turn's observations."""
        self.asked += 1
        cost.calls, cost.tokens_in = 1, 1_000
        if self.error:
            raise self.error
        if not self.says:
            return Compressed(route=self.name, model=self.model, skipped_reason="the model found nothing worth keeping")
        body = Body(
            f"Turn {turn.number} as a model tells it", text="By the model.", tier=self.tier,
            made_by=MadeBy("ollama", "canned", 1),
        )  # fmt: skip
        return Compressed([Made(body, [item.id for item in turn.observations])], self.name, self.model)


def an_agent(home: Path, count: int = 1) -> Agent:
    """An agent whose turns were each compressed by rule."""
    agent = Agent(home)
    for number in range(count):
        agent.turn(f"Customers are charged twice in case {number}, fix it.", *FIXED)
    drain(agent.store, Router(settings()), worker="w")
    return agent


def shown(store: Store) -> list[Memory]:
    """All memories that are shown, oldest first, whole."""
    return memories.get(store, sorted(memory.id for memory in memories.page(store, Filters())))


def by(model: Model) -> Router:
    """A router that asks this model."""
    return Router(settings(), routes=[model])


@pytest.mark.parametrize("tier", ["episodic", "semantic"])
def test_a_memory_gets_a_new_version_and_keeps_its_id_and_pin(tmp_path: Path, tier: str) -> None:
    store = an_agent(tmp_path).store
    (before,) = shown(store)
    Changes(store).pin(before.id)
    done = again(store, by(Model(tier=tier)), [before.id])
    (after,) = shown(store)
    assert done.renewed == [before.id]
    assert (after.id, after.uid, after.pinned) == (before.id, before.uid, True)
    assert (after.made_by.route, after.title) == ("ollama", "Turn 1 as a model tells it")


def test_undo_takes_it_back(tmp_path: Path) -> None:
    store = an_agent(tmp_path).store
    (before,) = shown(store)
    again(store, by(Model()), [before.id])
    Changes(store).undo()
    assert shown(store)[0].title == before.title


def test_what_a_person_wrote_is_never_overwritten(tmp_path: Path) -> None:
    store = an_agent(tmp_path).store
    (before,) = shown(store)
    Changes(store).edit(before.id, Body("In my own words", text="mine"))
    model = Model()
    done = again(store, by(model), [before.id])
    assert [memory.title for memory in shown(store)] == ["In my own words"]
    assert done.left == {before.id: "a person or an agent wrote it"}
    assert model.asked == 0


def test_an_edit_while_the_model_thinks_is_not_overwritten(tmp_path: Path) -> None:
    store = an_agent(tmp_path).store
    (before,) = shown(store)

    class Slow(Model):
        async def compress(self, turn: Turn, cost: Cost) -> Compressed:
            Changes(store).edit(before.id, Body("In my own words", text="mine"))
            return await super().compress(turn, cost)

    again(store, by(Slow(tier="semantic")), [before.id])
    assert [memory.title for memory in shown(store)] == ["In my own words"]


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Model(CompressError("prose")), "no model could compress it"),
        (Model(ModelError("no server")), "no model could compress it"),
        (Model(says=False), "the model found nothing worth keeping"),
    ],
)
def test_a_model_that_fails_leaves_what_was_there(tmp_path: Path, model: Model, why: str) -> None:
    store = an_agent(tmp_path).store
    (before,) = shown(store)
    done = again(store, by(model), [before.id])
    (after,) = shown(store)
    assert after.version == before.version
    assert done.left == {before.id: why}


def test_an_unknown_id_stops_it_before_anything_is_done(tmp_path: Path) -> None:
    store = an_agent(tmp_path).store
    model = Model()
    with pytest.raises(NotFoundError, match="#99"):
        again(store, by(model), [shown(store)[0].id, 99])
    assert model.asked == 0


def test_memories_of_one_turn_are_compressed_once(tmp_path: Path) -> None:
    store = an_agent(tmp_path, 2).store
    seen: list[tuple[int, int]] = []
    model = Model()
    ids = [memory.id for memory in shown(store)]
    done = again(store, by(model), [*ids, *ids], on_turn=lambda *step: seen.append(step))
    assert (done.turns, model.asked, seen) == (2, 2, [(1, 2), (2, 2)])


def worked(store: Store, agent: Agent, model: Model, **compress: int) -> list[int]:
    """What is renewed beside a new turn that a model compresses."""
    agent.turn("And one more, fix it.", *FIXED)
    return drain(store, Router(settings(**compress), routes=[model]), worker="w").renewed


def test_a_model_that_has_come_back_makes_what_was_made_by_rule_anew_a_little_at_a_time(tmp_path: Path) -> None:
    agent = an_agent(tmp_path, 3)
    ids = [memory.id for memory in shown(agent.store)]
    assert worked(agent.store, agent, Model()) == ids[:2]
    assert worked(agent.store, agent, Model()) == ids[2:]
    assert {memory.made_by.route for memory in shown(agent.store)} == {"ollama"}
    assert worked(agent.store, agent, Model()) == []


def test_half_of_the_days_budget_is_left_to_what_comes_in(tmp_path: Path) -> None:
    agent = an_agent(tmp_path, 3)
    assert worked(agent.store, agent, Model(), calls_per_day=2) == []


@pytest.mark.parametrize("detail", ['{"transcript": "a.jsonl"}', '{"event": "history"}'])
def test_what_was_imported_stays_as_it_is(tmp_path: Path, detail: str) -> None:
    agent = an_agent(tmp_path)
    agent.store.connection.execute("UPDATE observations SET detail = ?", (detail,))
    assert worked(agent.store, agent, Model()) == []


def test_a_model_that_only_fails_at_it_is_not_asked_for_the_same_again(tmp_path: Path) -> None:
    agent = an_agent(tmp_path)

    class Choosy(Model):
        async def compress(self, turn: Turn, cost: Cost) -> Compressed:
            self.error = CompressError("prose") if turn.number == 1 else None
            return await super().compress(turn, cost)

    model = Choosy()
    assert [worked(agent.store, agent, model) for _ in range(2)] == [[], []]
    assert model.asked == 3


def test_an_old_turn_that_crashes_a_route_does_not_stop_what_comes_in(tmp_path: Path) -> None:
    agent = an_agent(tmp_path)

    class Crashing(Model):
        async def compress(self, turn: Turn, cost: Cost) -> Compressed:
            return await super().compress(turn, cost) if turn.number > 1 else Compressed(ms=1 // 0)

    assert worked(agent.store, agent, Crashing()) == []
    assert len(shown(agent.store)) == 2


def test_without_a_model_nothing_is_renewed(tmp_path: Path) -> None:
    agent = an_agent(tmp_path)
    assert worked(agent.store, agent, Model(ModelError("no server"))) == []


def test_a_lease_is_renewed_while_a_model_takes_its_time(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.turn("Customers are charged twice, fix it.", *FIXED)
    until: Callable[[], int] = lambda: agent.store.rows("SELECT lease_until FROM queue")[0][0]  # noqa: E731

    class Slow(Model):
        async def compress(self, turn: Turn, cost: Cost) -> Compressed:
            first = until()
            async with asyncio.timeout(20):
                while until() == first:
                    await asyncio.sleep(0.005)
            return extractive.make(turn)

    assert drain(agent.store, by(Slow()), worker="w", lease_s=0.3).memories == 1
    assert queue.counts(agent.store) == {"done": 1}
