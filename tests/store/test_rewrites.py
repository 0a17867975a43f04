"""Commits that take the place of others: what was learned stays one thing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.conftest import Agent
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.config import CompressSettings, Settings
from tui_memory.model import Observation
from tui_memory.store import memories, observations
from tui_memory.store.db import Store

OLD, NEW, THIRD = "a" * 40, "b" * 40, "c" * 40
ROUTER = Router(Settings(compress=CompressSettings(routes=("extractive",))))


def commit(agent: Agent, sha: str, subject: str, **fields: Any) -> str:
    """What the git hook sends: the outcome."""
    message = f"{subject}\n\nBecause the stock was read before the lock was taken."
    payload = {"hook": "post-commit", "cwd": str(agent.cwd), "branch": "main", "sha": sha, "message": message}
    return agent.receive(payload | fields, agent="git").outcome


def compress(store: Store) -> None:
    drain(store, ROUTER, worker="w")


def titles(store: Store, state: str = "active") -> list[str]:
    return sorted(one.title for one in memories.page(store, state=state))


def of(store: Store, sha: str) -> Observation:
    return next(one for one in observations.page(store) if one.detail.get("sha") == sha)


@pytest.mark.parametrize("compressed", [False, True])
def test_an_amend_is_the_same_memory_with_new_words(store: Store, agent: Agent, compressed: bool) -> None:
    commit(agent, OLD, "Fix the stock race")
    if compressed:
        compress(store)
    commit(agent, NEW, "Fix the stock race at last", hook="post-rewrite", amends=[OLD])
    compress(store)
    assert len(titles(store)) == 1 and "at last" in titles(store)[0] and titles(store, "superseded") == []
    assert (of(store, OLD).state, of(store, OLD).reason) == ("skipped", f"replaced by commit {NEW[:12]}")
    assert of(store, NEW).state == "compressed"


@pytest.mark.parametrize("compressed", [False, True])
def test_a_commit_told_before_its_amend_is_joined_later(store: Store, agent: Agent, compressed: bool) -> None:
    commit(agent, OLD, "Fix the stock race")
    agent.now += 600_000
    commit(agent, NEW, "Fix the stock race at last")
    if compressed:
        compress(store)
    assert commit(agent, NEW, "Fix the stock race at last", hook="post-rewrite", amends=[OLD]) == "duplicate"
    compress(store)
    assert len(titles(store)) == 1 and "at last" in titles(store)[0]


def test_an_amend_in_a_session_stays_in_its_turn(store: Store, agent: Agent) -> None:
    agent.prompt("Fix the stock race")
    commit(agent, OLD, "Fix the stock race")
    commit(agent, NEW, "Fix the stock race at last")
    commit(agent, NEW, "Fix the stock race at last", hook="post-rewrite", amends=[OLD])
    agent.stop(last_assistant_message="The lock is now taken before the stock is read, so no order is lost.")
    compress(store)
    assert len(titles(store)) == 1
    assert len({one.session for one in observations.page(store)}) == 1


def test_a_squash_replaces_all_of_its_parts(store: Store, agent: Agent) -> None:
    commit(agent, OLD, "Take the lock first")
    agent.now += 600_000
    commit(agent, NEW, "Time out after five seconds")
    compress(store)
    assert len(titles(store)) == 2
    commit(agent, THIRD, "Take the lock first, with a time-out", hook="post-rewrite", amends=[OLD, NEW])
    compress(store)
    assert len(titles(store)) == 1 and len(titles(store, "superseded")) == 1
    assert "with a time-out" in titles(store)[0]


def test_a_rebase_gives_a_known_commit_its_new_name(store: Store, agent: Agent) -> None:
    commit(agent, OLD, "Fix the stock race")
    compress(store)
    agent.prompt("Rebase it")
    moved = {"hook": "post-rewrite", "moved": [[OLD, NEW], [THIRD, "d" * 40]], "cwd": str(agent.cwd)}
    assert agent.receive(moved, agent="git").outcome == "stored"
    assert of(store, NEW).detail["was"] == [OLD]
    assert commit(agent, NEW, "Fix the stock race") == "duplicate"
    assert len(titles(store)) == 1


def test_a_reverted_commit_is_found_by_its_new_name(store: Store, agent: Agent) -> None:
    commit(agent, OLD, "Fix the stock race")
    compress(store)
    agent.receive({"hook": "post-rewrite", "moved": [[OLD, NEW]], "cwd": str(agent.cwd)}, agent="git")
    agent.now += 600_000
    message = f'Revert "Fix the stock race"\n\nThis reverts commit {NEW}. It made checkout slower by a second.'
    commit(agent, THIRD, "", message=message)
    compress(store)
    assert len(titles(store, "superseded")) == 1


def test_words_of_gits_outside_of_a_session_are_not_kept(store: Store, agent: Agent) -> None:
    switch = {"hook": "post-checkout", "argv": [OLD, NEW, "1"], "branch": "main", "cwd": str(agent.cwd)}
    assert agent.receive(switch, agent="git").outcome == "ignored"
    agent.prompt("Go on")
    assert agent.receive(switch | {"argv": [NEW, OLD, "1"]}, agent="git").outcome == "stored"
    newest = observations.page(store)[0]
    assert (newest.text, newest.session, newest.state) == ("Switched to main", "s1", "skipped")


def test_an_amend_of_an_unknown_commit_is_a_commit(store: Store, agent: Agent) -> None:
    assert commit(agent, NEW, "Fix the stock race", hook="post-rewrite", amends=[OLD]) == "stored"
    compress(store)
    assert len(titles(store)) == 1
