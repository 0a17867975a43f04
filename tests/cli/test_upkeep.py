"""upkeep as it is typed: what it found and did, what programs get, and what `show` says of a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory
from tui_memory.upkeep.lease import lease


@pytest.fixture
def twice(memory: Memory) -> list[int]:
    return memory.add_many([{"title": "Run", "text": "All passed.", "project": "orderly"}] * 2)


def test_it_says_what_it_found_and_what_went(shell: Shell, twice: list[int]) -> None:
    answer = shell("upkeep")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0].startswith("2 memories compared: 1 pair of duplicates, 0 contradictions, 0 naming what is gone")
    assert lines[1] == "Nothing went: the store is within its limits"
    assert lines[2].startswith("2 of 200,000 memories, ")


def test_a_dry_run_changes_no_memory(shell: Shell, memory: Memory, twice: list[int], tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("upkeep: {max_memories: 1, merge_duplicates: 0.9}\n")
    answer = shell("upkeep", "--dry-run")
    assert f"#{twice[0]} would go to the trash, lowest value first" in answer.out
    assert memory.count() == 2
    found = shell("upkeep", "--dry-run", "--full", "--json").json
    assert found["dry_run"] and found["evicted"]["trashed"] == [twice[0]]
    assert set(found) == {"dry_run", "refreshed", "evicted", "forecast"}
    assert found["refreshed"]["examined"] == 2
    assert set(found["forecast"]) >= {"memories", "max_memories", "bytes", "max_bytes", "reached_on", "reached"}


def test_two_at_once(shell: Shell, memory: Memory, twice: list[int]) -> None:
    with lease(memory.store.home):
        answer = shell("upkeep")
    assert (answer.code, answer.out) == (5, "")
    assert "Nothing was changed" in answer.err


def test_show_says_what_replaced_a_memory_and_when_and_its_value(
    shell: Shell, memory: Memory, twice: list[int]
) -> None:
    memory.supersede(*twice)
    (told,) = shell("show", str(twice[0]), "--value", "--json").json["memories"]
    assert told["superseded_by"] == twice[1] and told["superseded_at"] and told["gone"] == []
    assert told["value"]["total"] == pytest.approx(sum(told["value"]["parts"].values()))
    answer = shell("show", str(twice[0]), "--value")
    assert f"#{twice[1]}, 20" in answer.out and "just now" in answer.out
    assert "= kind " in answer.out


def test_the_forecast_is_in_stats_and_doctor(shell: Shell, twice: list[int]) -> None:
    assert "forecast" in shell("stats").out
    assert shell("stats", "--json").json["forecast"]["max_memories"] == 200_000
    assert "2 of 200,000 memories" in shell("doctor").out
