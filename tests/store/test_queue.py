"""The queue of turns: leases, retries, a killed worker."""

from __future__ import annotations

import pytest

from tests.store.conftest import Agent
from tui_memory.store import observations, queue
from tui_memory.store.db import Store


@pytest.fixture
def three(agent: Agent) -> None:
    """Two turns and the digest of an ended session."""
    agent.prompt("a")
    agent.prompt("b")
    agent.end()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The queue's time, in a list so that a test can move it."""
    now = [2_000_000_000_000]
    monkeypatch.setattr(queue, "now_ms", lambda: now[0])
    return now


def test_turns_are_leased_once_oldest_first(store: Store, three: None) -> None:
    assert [job.turn for job in queue.lease(store, "one", 1)] == [1]
    assert [job.turn for job in queue.lease(store, "two", 9)] == [2]
    assert queue.lease(store, "three", 9) == []
    assert queue.waiting(store) == 3


def test_the_digest_waits_for_the_sessions_turns(store: Store, three: None) -> None:
    for job in queue.lease(store, "w", 9):
        assert queue.done(store, job)
    (digest,) = queue.lease(store, "w", 9)
    assert digest.turn == 0
    assert queue.done(store, digest)
    assert (queue.counts(store), queue.waiting(store)) == ({"done": 3}, 0)


def test_a_killed_workers_lease_runs_out(store: Store, three: None, clock: list[int]) -> None:
    (lost,) = queue.lease(store, "killed", 1, seconds=10)
    clock[0] += 9_000
    assert [job.turn for job in queue.lease(store, "next", 1)] == [2]
    clock[0] += 1_000
    (again,) = queue.lease(store, "next", 1)
    assert (again.turn, again.attempts) == (1, 2)
    assert not queue.done(store, lost)
    assert queue.done(store, again)


def test_a_failure_is_tried_again_later_or_never(store: Store, three: None, clock: list[int]) -> None:
    (job,) = queue.lease(store, "w", 1)
    assert queue.fail(store, job, "no model", retry_ms=5_000)
    assert [other.turn for other in queue.lease(store, "w", 1)] == [2]
    clock[0] += 5_000
    (job,) = queue.lease(store, "w", 1)
    assert (job.turn, job.attempts) == (1, 2)
    assert queue.fail(store, job, "poisoned", retry_ms=None)
    clock[0] += 10**9
    assert 1 not in [other.turn for other in queue.lease(store, "w", 9)]
    row = store.rows("SELECT state, last_error FROM queue WHERE turn = 1")[0]
    assert tuple(row) == ("failed", "poisoned")


def test_turns_of_a_silent_session_are_closed(store: Store, agent: Agent, clock: list[int]) -> None:
    agent.prompt("a")
    clock[0] = agent.now + 500
    assert queue.close_idle_turns(store, 1_000) == 0
    clock[0] = agent.now + 1_000
    assert queue.close_idle_turns(store, 1_000) == 1
    assert not observations.sessions(store)[0].turn_open
    assert [job.turn for job in queue.lease(store, "w", 9)] == [1]


def test_a_clock_that_was_set_back_lets_nothing_wait(store: Store, three: None, agent: Agent, clock: list[int]) -> None:
    (lost,) = queue.lease(store, "killed", 1)
    (failed,) = queue.lease(store, "w", 1)
    assert queue.fail(store, failed, "no model", retry_ms=5_000)
    agent.now = clock[0]
    agent.prompt("still open", session_id="other")
    clock[0] -= 400 * 86_400_000
    assert {job.turn for job in queue.lease(store, "w", 9)} == {lost.turn, failed.turn}
    assert queue.close_idle_turns(store, 1_000) == 0  # silent from now on, for its agent may be at work
    clock[0] += 1_000
    assert queue.close_idle_turns(store, 1_000) == 1


def test_a_dead_workers_leases_are_taken_back_at_once(store: Store, three: None) -> None:
    (job,) = queue.lease(store, "worker-1", 1)
    assert queue.release(store, "import-") == 0
    assert queue.release(store, "worker-") == 1
    assert [one.turn for one in queue.lease(store, "worker-2", 1)] == [job.turn]
    assert not queue.done(store, job)
