"""What a person who watches a store is told of it, from a real store."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui_memory import config
from tui_memory.clock import iso, now_ms
from tui_memory.engine import demo
from tui_memory.engine.memory import Memory
from tui_memory.engine.observing import Models
from tui_memory.model import Filters
from tui_memory.store import uses

DAY = 86_400_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store with two captured events, one of them twice, and a memory made of the first."""
    with Memory(tmp_path / "store", embedding="none") as opened:
        first = opened.capture("claude-code", prompt("the first question"))
        opened.capture("codex", prompt("the second question"))
        opened.add(title="What came of it", text="An answer.", sources=[first], embed=False)
        yield opened


def prompt(text: str) -> dict[str, object]:
    """A prompt as a hook hands it over."""
    return {"session_id": "s-1", "hook_event_name": "UserPromptSubmit", "cwd": "/nowhere", "prompt": text}


def test_an_event_is_told_by_what_it_became(memory: Memory) -> None:
    first, second = sorted(row.id for row in memory.observations())
    assert [row.title for row in memory.observing.became(first)] == ["What came of it"]
    assert memory.observing.became(second) == []


def test_a_creation_that_was_undone_is_not_what_an_event_became(memory: Memory) -> None:
    memory.undo()
    assert memory.observing.became(min(row.id for row in memory.observations())) == []


def test_arrived_is_what_matches_and_is_newer_oldest_first(memory: Memory) -> None:
    first, second = sorted(row.id for row in memory.observations())
    assert [row.id for row in memory.observing.arrived(0, Filters(kind=("prompt",)), 10)] == [first, second]
    assert [row.id for row in memory.observing.arrived(first, Filters(kind=("prompt",)), 10)] == [second]
    assert memory.observing.arrived(0, Filters(kind=("edit",)), 10) == []


def test_settled_gives_states_by_id(memory: Memory) -> None:
    ids = [row.id for row in memory.observations()]
    assert {state for state, _, _ in memory.observing.settled(ids).values()} == {"captured"}


def test_health_has_every_check_but_the_slow_one_and_the_numbers_behind(memory: Memory) -> None:
    seen = memory.observing.health()
    store = next(check for check in seen.checks if check["id"] == "store")
    assert "not read through" in store["what"]
    assert [(one.agent, one.events, one.errors) for one in seen.heard] == [("claude-code", 1, 0), ("codex", 1, 0)]
    assert seen.heard[0].p95 >= seen.heard[0].p50 > 0
    assert {door.what: door.private for door in seen.doors}["the database"]
    assert memory.observing.integrity() == "ok"


def test_a_folder_that_others_can_read_is_no_private_door(memory: Memory) -> None:
    (memory.home / "log").mkdir(exist_ok=True)
    os.chmod(memory.home / "log", 0o755)
    assert not {door.what: door.private for door in memory.observing.health().doors}["logs"]


def test_a_socket_file_that_nobody_listens_at_is_no_door(memory: Memory) -> None:
    (memory.home / "hook.sock").touch()
    assert "hooks' socket" not in {door.what for door in memory.observing.health().doors}


def test_the_log_is_told_newest_first_and_only_what_went_wrong(memory: Memory) -> None:
    folder = memory.home / "log"
    folder.mkdir(exist_ok=True)
    (folder / "worker.log").write_text(
        "2026-11-29 10:00:00,001 12 INFO embedded: 3\n"
        "2026-11-29 10:00:01,001 12 ERROR chore drain: OSError at queue.py:4\n"
    )
    (folder / "hook.log").write_text("2026-11-29T10:00:02.000Z 'codex' not stored\n")
    assert memory.observing.health().log == (
        "2026-11-29 10:00:02 · hook · 'codex' not stored",
        "2026-11-29 10:00:01 · worker · ERROR chore drain: OSError at queue.py:4",
    )


def test_inventory_counts_rows_and_bytes(memory: Memory) -> None:
    stock = memory.observing.inventory()
    assert (stock.rows["observations"], stock.rows["memories"]) == (2, 1)
    assert stock.bytes["database"] > 0


def test_turns_that_failed_are_tried_again(memory: Memory) -> None:
    with memory.store.transaction() as connection:
        session = connection.execute("SELECT id FROM sessions LIMIT 1").fetchone()[0]
        connection.execute(
            "INSERT INTO queue (session_id, turn, state, attempts, last_error, created)"
            " VALUES (?, 9, 'failed', 3, 'E', 1)",
            (session,),
        )
    assert [one.turn for one in memory.observing.health().failures] == [9]
    assert memory.observing.retry() == 1
    assert memory.stats()["queue"]["waiting"] >= 1


def test_a_store_of_ones_own_is_no_demonstration(memory: Memory) -> None:
    assert memory.observing.demo() is None


def test_a_demonstration_is_alive_while_its_process_holds_the_lock(memory: Memory) -> None:
    lock = memory.home / "demo.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert memory.observing.demo() == demo.Watched(None, True)
    assert memory.observing.demo() == demo.Watched(None, False)


def test_ollama_is_asked_for_models_only_where_the_settings_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    rules = config.Settings(compress=config.CompressSettings(routes=("extractive",)))
    with Memory(tmp_path / "a", embedding="none", settings=rules) as memory:
        assert memory.observing.models() == Models()
    named = config.Settings(compress=config.CompressSettings(routes=("ollama:small", "extractive")))
    with Memory(tmp_path / "b", embedding="none", settings=named) as memory:
        found = memory.observing.models()
        assert (found.wanted, found.here) == (("small",), ()) and "No Ollama answers" in found.trouble


def test_events_that_no_hook_could_store_are_counted_by_agent(memory: Memory) -> None:
    folder = memory.home / "log"
    folder.mkdir(exist_ok=True)
    (folder / "hook.log").write_text(f"{iso(now_ms())} an event of 'codex' could not be stored\n" * 3)
    assert {one.agent: one.unstored for one in memory.observing.health().heard} == {"claude-code": 0, "codex": 3}


def test_tokens_are_counted_by_weeks_that_begin_on_mondays(memory: Memory) -> None:
    monday = 1_794_787_200_000  # 2026-11-16
    (row,) = memory.memories()
    (source,) = memory.observation(memory.get(row.id)[0].sources)
    given = [("start", 50, monday), ("fetch", 7, monday + 7 * DAY - 1), ("search", 20, monday + 7 * DAY)]
    with memory.store.transaction() as connection:
        connection.executemany(
            "INSERT INTO disclosures (memory_id, phase, tokens, time) VALUES (?, ?, ?, ?)",
            [(row.id, *one) for one in given],
        )
    assert uses.weeks(memory.store, 0) == [
        (monday, 50, 7, source.tokens), (monday + 7 * DAY, 20, 0, 0),
    ]  # fmt: skip
    assert [week.shown for week in uses.weeks(memory.store, monday + 1)] == [0, 20]
