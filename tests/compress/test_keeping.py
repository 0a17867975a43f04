"""A turn compressed again renews its memories in place; what is taken back supersedes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compress.make import FIXED, Agent, settings
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.model import Body, Filters, Memory
from tui_memory.store import memories, turns
from tui_memory.store.changes import Changes


def everything(agent: Agent) -> list[Memory]:
    """All memories that are shown, oldest first, whole."""
    return memories.get(agent.store, sorted(memory.id for memory in memories.page(agent.store, Filters())))


def drained(agent: Agent) -> list[Memory]:
    """The memories after the queue is empty."""
    drain(agent.store, Router(settings()), worker="w")
    return everything(agent)


def again(agent: Agent, turn: int = 1) -> None:
    """Put a turn into the queue once more, as something that comes in late does."""
    with agent.store.transaction() as connection:
        turns.enqueue(connection, 1, turn, 1)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent whose first turn is compressed."""
    made = Agent(tmp_path)
    made.turn("Customers are charged twice, fix it.", *FIXED)
    drained(made)
    return made


def test_what_came_in_late_makes_a_new_version_of_the_same_memory(agent: Agent) -> None:
    (before,) = everything(agent)
    Changes(agent.store).pin(before.id)
    agent.event(
        "Stop", last_assistant_message="The retry was the reason: `Paylane.capture` saw it as a second purchase."
    )
    (after,) = drained(agent)
    assert (after.id, after.pinned) == (before.id, True)
    assert after.version != before.version
    assert "Paylane.capture" in after.summary


def test_the_same_again_changes_nothing(agent: Agent) -> None:
    (before,) = everything(agent)
    again(agent)
    (after,) = drained(agent)
    assert after.version == before.version


def test_what_a_person_wrote_stays(agent: Agent) -> None:
    (memory,) = everything(agent)
    Changes(agent.store).edit(memory.id, Body("My own words", text="Mine."))
    again(agent)
    (after,) = drained(agent)
    assert after.title == "My own words"


def test_what_is_no_longer_said_goes_to_the_trash(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui_memory.compress.extractive._of_turn", lambda seen: ([], "nothing"))
    again(agent)
    assert drained(agent) == []
    assert [memory.state for memory in memories.page(agent.store, Filters(), state="trash")] == ["trash"]


def test_a_revert_supersedes_what_the_commit_taught(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    first, second = "2bbd3362" + "0" * 32, "9f9f9f9f" + "0" * 32
    agent.committed("perf(api): orjson for responses", first, "src/app.py")
    (old,) = drained(agent)
    agent.committed(
        f'Revert "perf(api): orjson for responses"\n\nThis reverts commit {first}.\n\nNaN became null.',
        second,
        "src/app.py",
    )
    (new,) = drained(agent)
    (gone,) = memories.get(agent.store, [old.id])
    assert (gone.state, gone.superseded_by) == ("superseded", new.id)


def test_an_amended_commit_replaces_its_old_self(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    first, second = "2bbd3362" + "0" * 32, "9f9f9f9f" + "0" * 32
    agent.committed("fix: weekly mail skips merchants without ordres", first, "src/mail.py")
    drained(agent)
    agent.committed("fix: weekly mail skips merchants without orders", second, "src/mail.py", amends=first)
    assert [memory.title for memory in drained(agent)] == ["Weekly mail skips merchants without orders"]
