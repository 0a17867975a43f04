"""A session's digest."""

from __future__ import annotations

from pathlib import Path

from tests.compress.make import FIXED, Agent, settings
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.model import Filters
from tui_memory.store import memories


def titles(agent: Agent, kind: str) -> list[str]:
    """The titles of the memories of a kind."""
    return [memory.title for memory in memories.page(agent.store, Filters(kind=(kind,)))]


def test_two_turns_that_taught_something_make_a_digest(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.turn("Customers are charged twice, fix it.", *FIXED)
    agent.turn(
        "How do I requeue dead jobs?",
        "`orderly-queue requeue --kind mail` puts dead jobs back. #12 is left open: a dry run.",
    )
    agent.end()
    drain(agent.store, Router(settings()), worker="w")
    (digest,) = memories.get(
        agent.store, [memory.id for memory in memories.page(agent.store, Filters(kind=("digest",)))]
    )
    assert digest.title.startswith("Session: ")
    assert digest.title.endswith("(+1)")
    assert digest.summary == "How to requeue dead jobs"
    for wanted in ("Asked: ", "Left open: "):
        assert wanted in digest.text
    assert "src/payments.py" in digest.files


def test_one_turn_makes_none(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.turn("Customers are charged twice, fix it.", *FIXED)
    agent.turn("thanks!", "You're welcome.")
    agent.end()
    drain(agent.store, Router(settings()), worker="w")
    assert titles(agent, "digest") == []


def test_a_session_that_goes_on_has_one_digest_still(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    for number in range(3):
        agent.turn(f"Customers are charged twice in case {number}, fix it.", *FIXED)
        agent.turn("How do I requeue dead jobs?", "`orderly-queue requeue --kind mail` puts dead jobs back to ready.")
        agent.end()
        drain(agent.store, Router(settings()), worker="w")
    assert len(titles(agent, "digest")) == 1
