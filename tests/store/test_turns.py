"""Sessions, turns and commits: where an event belongs, and what is queued when."""

from __future__ import annotations

from pathlib import Path

from tests.store.conftest import Agent
from tui_memory.model import Observation
from tui_memory.store import observations, queue
from tui_memory.store.db import Store


def last(store: Store) -> Observation:
    return observations.page(store, limit=1)[0]


class TestTurns:
    def test_a_prompt_begins_a_turn_and_a_stop_queues_it(self, store: Store, agent: Agent) -> None:
        agent.send("SessionStart", source="startup")
        assert [agent.prompt("a").turn, agent.run("ls").turn, agent.stop().turn] == [1, 1, 1]
        assert [agent.prompt("b").turn, agent.run("ls").turn] == [2, 2]
        assert [(job.turn) for job in queue.lease(store, "w", 9)] == [1]

    def test_a_prompt_closes_a_turn_that_was_left_open(self, store: Store, agent: Agent) -> None:
        agent.prompt("a")
        agent.prompt("b")
        assert [job.turn for job in queue.lease(store, "w", 9)] == [1]

    def test_a_sessions_end_queues_its_last_turn_and_its_digest(self, store: Store, agent: Agent) -> None:
        agent.prompt("a")
        agent.end()
        assert [tuple(row) for row in store.rows("SELECT turn, state FROM queue ORDER BY id")] == [
            (1, "waiting"),
            (0, "waiting"),
        ]
        (session,) = observations.sessions(store)
        assert (session.turn_open, session.ended) == (False, agent.now)

    def test_a_session_in_which_nothing_happened_is_not_queued(self, store: Store, agent: Agent) -> None:
        agent.send("SessionStart", source="startup")
        agent.end()
        assert queue.waiting(store) == 0
        assert {(item.state, item.reason) for item in observations.page(store)} == {("skipped", "lifecycle")}

    def test_a_resumed_session_goes_on_counting(self, store: Store, agent: Agent) -> None:
        agent.prompt("a")
        agent.end()
        agent.send("SessionStart", source="resume")
        assert agent.prompt("b").turn == 2
        (session,) = observations.sessions(store)
        assert (session.ended, session.turn, session.observations) == (None, 2, 4)

    def test_a_resumed_session_gets_a_digest_again_only_for_something_new(self, store: Store, agent: Agent) -> None:
        def settle() -> list[int]:
            done = []
            while jobs := queue.lease(store, "w", 9):
                done += [job.turn for job in jobs]
                assert all(queue.done(store, job) for job in jobs)
            return done

        agent.prompt("a")
        agent.end()
        assert settle() == [1, 0]
        store.connection.execute("UPDATE queue SET finished = ?", (agent.now,))
        agent.send("SessionStart", source="resume")
        agent.end()
        assert settle() == []
        agent.prompt("b")
        agent.end()
        assert settle() == [2, 0]

    def test_a_sub_agents_events_stay_in_the_turn_it_was_started_in(self, store: Store, agent: Agent) -> None:
        agent.prompt("a")
        inside = {"agent_id": "sub1", "agent_type": "Explore"}
        assert agent.run("grep", **inside).turn == 1
        agent.send("SubagentStop", last_assistant_message="Found it.", **inside)
        assert agent.run("ls").turn == 1
        assert observations.sessions(store)[0].turn_open
        agent.stop()
        agent.prompt("b")
        assert agent.run("grep -r", **inside).turn == 1
        assert last(store).parent == "sub1"

    def test_a_late_sub_agent_brings_its_turn_back_to_the_queue(self, store: Store, agent: Agent) -> None:
        inside = {"agent_id": "sub1", "agent_type": "Explore"}
        agent.prompt("a")
        agent.run("grep", **inside)
        agent.stop()
        (job,) = queue.lease(store, "w")
        queue.done(store, job)
        agent.run("grep -r", **inside)
        assert [job.turn for job in queue.lease(store, "w")] == [1]

    def test_what_follows_a_refused_stop_is_still_the_same_turn(self, store: Store, agent: Agent) -> None:
        agent.prompt("a")
        agent.stop()
        assert [agent.run("pytest").turn, agent.stop().turn] == [1, 1]
        assert [job.turn for job in queue.lease(store, "w", 9)] == [1]

    def test_a_session_that_is_joined_in_the_middle_has_a_turn(self, agent: Agent) -> None:
        assert agent.run("ls").turn == 1

    def test_sessions_of_two_agents_are_two(self, store: Store, agent: Agent) -> None:
        agent.prompt("a")
        agent.prompt("b", agent="codex", turn_id="t1")
        assert {(row.agent, row.turn) for row in observations.sessions(store)} == {("claude-code", 1), ("codex", 1)}


class TestCommits:
    def test_a_commit_belongs_to_the_session_at_work_there(self, store: Store, agent: Agent) -> None:
        agent.prompt("fix it")
        assert agent.commit().turn == 1
        assert (last(store).session, last(store).kind) == ("s1", "commit")

    def test_a_commit_shortly_after_a_turn_that_is_compressed_already_brings_it_back(
        self, store: Store, agent: Agent
    ) -> None:
        agent.prompt("fix it")
        agent.stop()
        agent.end()
        for job in (*queue.lease(store, "w"), *queue.lease(store, "w")):
            queue.done(store, job)
        agent.now += 30_000
        agent.commit()
        assert last(store).session == "s1"
        assert [job.turn for job in queue.lease(store, "w")] == [1]
        assert queue.waiting(store) == 2, "the digest of a session that ended is of what its turns became"

    def test_a_commit_long_after_is_a_session_of_its_own_and_closed(self, store: Store, agent: Agent) -> None:
        agent.prompt("fix it")
        agent.stop()
        agent.now += 600_000
        agent.commit("0123456789abcdef0123")
        assert (last(store).session, last(store).agent) == ("0123456789ab", "git")
        assert len(queue.lease(store, "w", 9)) == 2

    def test_a_commit_elsewhere_is_a_session_of_its_own(self, store: Store, agent: Agent, tmp_path: Path) -> None:
        agent.prompt("fix it")
        agent.cwd = tmp_path / "other"
        agent.commit()
        assert last(store).session == "0123456789ab"
