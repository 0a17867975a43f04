"""The sample, run through the whole pipeline with the real embedding model."""

from __future__ import annotations

import random

import pytest

from tui_memory import Filters, Memory
from tui_memory.engine import sample
from tui_memory.store import queue

Sampled = tuple[Memory, dict[str, int]]


def test_every_event_is_stored_and_every_turn_settled(sampled: Sampled) -> None:
    memory, stored = sampled
    stats = memory.stats()
    assert stats["captured"] == stats["stored"] == len(stored) == len(sample.events())
    assert stats["queue"] == {"done": stats["queue"]["done"]}
    assert stats["compressed"] > 100
    assert stats["failed"] == 0


def test_embedding_is_said_before_it_begins(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    began: list[str] = []
    monkeypatch.setattr(type(memory.embedding), "embed_missing", lambda _self: began.append(said[-1]))
    sample.build(memory, lambda stage, _done, _total: said.append(stage))
    assert began == ["embed"]


def test_the_worker_may_work_between_any_two_events(sampled: Sampled, memory: Memory) -> None:
    """What it takes for a silent session's turn is not over yet, and a commit may follow a turn that is compressed."""
    chance = random.Random(7)
    sample.place_projects(memory)
    for event in sample.events():
        memory.capture(event.agent, event.payload, time=event.time)
        if chance.random() < 0.25:
            queue.close_idle_turns(memory.store, 1)
            memory.compress()
    memory.compress()
    assert told(memory) == told(sampled[0])


def told(memory: Memory) -> list[tuple[str, ...]]:
    """Every memory that stands: what it is and says."""
    sql = (
        "SELECT v.kind, v.tier, v.title, v.summary, p.name FROM memories m JOIN versions v ON v.id = m.version_id"
        " JOIN projects p ON p.id = m.project_id WHERE m.state = 'active'"
    )
    return sorted(tuple(row) for row in memory.store.rows(sql))


def test_worktrees_and_sub_folders_are_the_project(sampled: Sampled) -> None:
    memory, _ = sampled
    assert {project.name for project in memory.projects()} == {"orderly", "orderly-web"}


def test_no_secret_of_the_sample_is_in_any_file(sampled: Sampled) -> None:
    memory, _ = sampled
    recipes = sample.secrets(sample.folder())
    memory.close()  # reading a database that this process has open would drop SQLite's locks on it
    content = [path.read_bytes() for path in memory.home.rglob("*") if path.is_file()]
    for kind, secret in recipes.items():
        longest = max(secret.splitlines(), key=len)
        assert not any(longest.encode() in part for part in content), kind
    assert memory.stats()["redactions"]


def test_meaning_finds_what_no_word_matches(sampled: Sampled) -> None:
    memory, stored = sampled
    paraphrases = [query for query in sample.queries() if query.style == "paraphrase"]
    found = 0
    for query in paraphrases:
        answers = {stored[answer] for answer in query.answers if answer in stored}
        hits = memory.search(query.query, limit=5, filters=Filters(project=query.project))
        found += any(answers & set(hit.memory.sources) for hit in hits)
    assert found / len(paraphrases) >= 0.7


def test_a_search_names_its_parts(sampled: Sampled) -> None:
    memory, _ = sampled
    result = memory.search_result("connection leak in receipts")
    assert result.degraded == []
    assert {"dense", "lexical", "fused", "age", "use", "pin", "affinity"} <= set(result.results[0].scores)


def test_a_question_about_something_else_finds_nothing(sampled: Sampled) -> None:
    memory, _ = sampled
    assert memory.search("zebra migration across the savannah in July") == []


@pytest.mark.parametrize("budget", [200, 2000])
def test_a_session_starts_with_an_index_within_its_budget(sampled: Sampled, budget: int) -> None:
    memory, _ = sampled
    shown = memory.context(project="orderly", budget=budget)
    assert 0 < shown.tokens <= budget
    assert shown.memories
    assert "tui-memory show" in shown.text
