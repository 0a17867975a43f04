"""What was supposed in one turn and denied in a later one of the same session is replaced, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compress.make import Agent, settings
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.model import Filters
from tui_memory.store import memories
from tui_memory.store.changes import Changes

ASKED = "Why do requests to the gateway time out?"
GUESS = "The timeouts are caused by `pool_size`: the connection pool is too small, so I raised it to 20."
EDIT = ("src/db.py", "pool_size = 5", "pool_size = 20")
DENIED = "`pool_size` was not the cause. The DNS cache in `resolver.lookup` kept addresses of dead hosts for 60 s."


def states(agent: Agent) -> list[tuple[str, int | None]]:
    """State and successor of every memory, oldest first, by place in this list."""
    drain(agent.store, Router(settings()), worker="w")
    found = memories.page(agent.store, Filters(), state="all")
    ids = sorted(memory.id for memory in found)
    made = memories.get(agent.store, ids)
    return [(one.state, ids.index(one.superseded_by) if one.superseded_by else None) for one in made]


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """A session whose first turn has supposed a cause."""
    made = Agent(tmp_path)
    made.turn(ASKED, GUESS, EDIT)
    assert states(made) == [("active", None)]
    return made


def test_a_cause_that_was_none_is_replaced_by_what_says_so(agent: Agent) -> None:
    agent.turn("They still time out, look again.", DENIED)
    assert states(agent) == [("superseded", 1), ("active", None)]


@pytest.mark.parametrize(
    "denial",
    [
        "The small connection pool turned out to be wrong as a guess. `resolver.lookup` kept dead hosts for 60 s.",
        "The connection pool did not help. `resolver.lookup` kept the addresses of dead hosts for 60 s.",
        "I ruled out pool_size. `resolver.lookup` kept the addresses of dead hosts for 60 s.",
    ],
)
def test_it_can_be_said_in_many_ways(agent: Agent, denial: str) -> None:
    agent.turn("They still time out, look again.", denial)
    assert states(agent)[0] == ("superseded", 1)


@pytest.mark.parametrize(
    "other",
    [
        "`max_retries` was not the cause. The DNS cache in `resolver.lookup` kept dead hosts for 60 s.",
        "`pool_size` is documented in docs/db.md now, because nobody knew what it was for.",
        "`pool_size` is the cause, the DNS cache in `resolver.lookup` was not the cause.",
        "The gateway was not the cause. The DNS cache in `resolver.lookup` kept dead hosts for 60 s.",
    ],
)
def test_what_denies_something_else_or_nothing_leaves_it(agent: Agent, other: str) -> None:
    agent.turn("Look again.", other, ("docs/db.md", "x", "pool_size: how many connections"))
    assert states(agent)[0] == ("active", None)


def test_another_session_leaves_it(agent: Agent, tmp_path: Path) -> None:
    other = Agent(tmp_path, "s-2")
    other.turn("They still time out, look again.", DENIED)
    assert states(other)[0] == ("active", None)


def test_what_a_person_pinned_stays(agent: Agent) -> None:
    Changes(agent.store).pin(memories.page(agent.store, Filters())[0].id)
    agent.turn("They still time out, look again.", DENIED)
    assert states(agent)[0] == ("active", None)


def test_a_denial_is_not_replaced_by_a_later_one(agent: Agent) -> None:
    agent.turn("They still time out, look again.", DENIED)
    agent.turn("And now?", "`pool_size` was not the cause either way. `resolver.lookup` has a limit of 30 s now.")
    assert states(agent)[1] == ("active", None)
