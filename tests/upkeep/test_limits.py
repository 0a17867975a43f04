"""Value, limits, forecast: what goes in which order, what never goes, and that the store's files stay within bounds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from tui_memory import Memory, config
from tui_memory.clock import now_ms
from tui_memory.errors import ConfigError, ConflictError
from tui_memory.upkeep import worth

DAY_MS = 86_400_000
START = 1_767_225_600_000  # 2026-01-01
RULES_ONLY = config.Settings(compress=config.CompressSettings(routes=("extractive",)))


class Clock:
    """The time that the whole program sees."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        self.now += 1
        return self.now

    def days(self, count: float) -> None:
        self.now += round(count * DAY_MS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    import tui_memory.engine.upkeeping
    import tui_memory.upkeep.limits  # noqa: F401

    made = Clock(START)
    for module in _keepers(now_ms):
        monkeypatch.setattr(module, "now_ms", made)
    yield made
    monkeypatch.undo()
    for module in _keepers(made):  # those that were imported meanwhile
        module.now_ms = now_ms  # type: ignore[attr-defined]


def _keepers(clock: Callable[[], int]) -> list[ModuleType]:
    """The program's modules that tell the time by this."""
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("tui_memory.")]
    return [module for module in ours if getattr(module, "now_ms", None) is clock]


def settings(**given: object) -> config.Settings:
    return replace(RULES_ONLY, upkeep=config.UpkeepSettings(**given))  # type: ignore[arg-type]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    made: list[Memory] = []

    def open_(**given: object) -> Memory:
        made.append(Memory(tmp_path / "store", embedding="none", settings=settings(**given)))
        return made[-1]

    yield open_
    for memory in made:
        memory.close()


def test_a_value_is_the_sum_of_its_parts(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened()
    ids = memory.add_many([
        {"title": "rule", "kind": "convention"}, {"title": "walk", "kind": "digest"},
    ])  # fmt: skip
    before = memory.upkeep.values(ids)
    for value in before.values():
        assert value.total == pytest.approx(sum(value.parts.values()))
        assert list(value.parts) == ["kind", "age", "use", "pin"]
    assert before[ids[0]].parts["kind"] > before[ids[1]].parts["kind"]
    clock.days(60)  # a digest's half-life
    aged = memory.upkeep.values(ids)
    assert aged[ids[1]].parts["age"] == pytest.approx(before[ids[1]].parts["age"] / 2, rel=1e-3)
    assert aged[ids[0]].parts["age"] > aged[ids[1]].parts["age"]
    memory.fetch(ids[1])
    used = memory.upkeep.values(ids)[ids[1]].parts["use"]
    assert used == pytest.approx(0.3 * 1 / 4)
    clock.days(30)  # a use's half-life
    assert memory.upkeep.values(ids)[ids[1]].parts["use"] == pytest.approx(0.3 * 0.5 / 3.5, rel=1e-4)
    memory.pin(ids[1])
    assert memory.upkeep.values(ids)[ids[1]].parts["pin"] == 1
    memory.supersede(ids[1], ids[0])
    assert memory.upkeep.values(ids)[ids[1]].parts["kind"] == pytest.approx(0.4 * before[ids[1]].parts["kind"])
    assert memory.upkeep.values([99]) == {}


def test_half_lives_are_the_settings_own(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(half_life={"digest": 10.0})
    one = memory.add(title="walk", kind="digest")
    clock.days(10)
    assert memory.upkeep.values([one])[one].parts["age"] == pytest.approx(0.35 / 2, rel=1e-3)
    with pytest.raises(ConfigError, match=r"upkeep.half_life: digests"):
        worth.half_lives({"digests": 3})
    with pytest.raises(ConfigError, match="more than 0"):
        worth.half_lives({"digest": 0})


def test_a_merged_memory_was_used_when_its_originals_were(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened()
    ids = memory.add_many([{"title": "one"}, {"title": "two"}])
    memory.fetch(ids)
    clock.days(1)
    memory.fetch(ids[0])
    made = memory.merge(ids)
    rows = memory.store.rows("SELECT day, uses FROM uses_by_day WHERE memory_id = ? ORDER BY day", (made,))
    assert [row["uses"] for row in rows] == [2, 1]
    assert memory.get(made)[0].uses == 3


def test_the_lowest_value_goes_first_and_a_pinned_one_never(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(max_memories=3)
    kinds = ["digest", "discovery", "decision", "convention", "digest", "digest"]
    ids = memory.add_many([{"title": f"memory {number}", "kind": kind} for number, kind in enumerate(kinds)])
    memory.pin(ids[0])
    memory.fetch(ids[4])
    would = memory.upkeep.enforce(dry_run=True)
    assert would.trashed == [ids[5], ids[1], ids[4]]  # a use makes a digest worth more than a discovery
    assert memory.count() == 6  # nothing has changed
    done = memory.upkeep.enforce()
    assert done.trashed == would.trashed and not done.over
    assert {one.id for one in memory.memories()} == {ids[0], ids[2], ids[3]}
    (entry, *_rest) = [entry for entry in memory.history() if entry.action == "evict"]
    assert entry.actor == "upkeep"
    assert memory.search("memory 5") == []  # at once, in this process and in others
    assert memory.upkeep.enforce().trashed == []


def test_pinned_memories_stay_even_where_they_alone_are_too_many(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(max_memories=1)
    ids = memory.add_many([{"title": f"memory {number}"} for number in range(3)])
    memory.pin(ids)
    done = memory.upkeep.enforce()
    assert done.trashed == []
    assert done.over
    assert memory.count() == 3
    check = next(check for check in memory.doctor()["checks"] if check["id"] == "limits")
    assert not check["ok"] and "pinned" in check["what"]


def test_eviction_is_taken_back_until_its_days_are_over(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(max_memories=1, grace_days=7)
    ids = memory.add_many([{"title": "rule", "kind": "convention"}, {"title": "walk", "kind": "digest"}])
    assert memory.upkeep.enforce().trashed == [ids[1]]
    entry = next(entry for entry in memory.history(ids[1]) if entry.action == "evict")
    memory.undo(entry=entry.id)
    assert memory.get(ids[1])[0].state == "active"
    memory.upkeep.enforce()
    clock.days(6.9)
    assert memory.upkeep.enforce().purged == []
    memory.restore(ids[1])
    memory.delete(ids[1])
    clock.days(100)
    assert memory.upkeep.enforce().purged == []  # a person has put it there
    memory.restore(ids[1])
    assert memory.upkeep.enforce().trashed == [ids[1]]
    clock.days(7.1)
    done = memory.upkeep.enforce()
    assert done.purged == [ids[1]]
    assert memory.count(state="all") == 1
    again = [entry for entry in memory.history(ids[1]) if entry.action == "evict"]
    with pytest.raises(ConflictError, match="purged"):
        memory.undo(entry=again[0].id)


def test_what_a_person_put_into_the_trash_is_not_deleted(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(grace_days=7)
    one = memory.add(title="kept")
    memory.delete(one)
    clock.days(100)
    assert memory.upkeep.enforce().purged == []
    assert memory.get(one)[0].state == "trash"


def observe(memory: Memory, count: int, size: int, clock: Clock) -> None:
    """So many compressed observations of a size."""
    for number in range(count):
        payload = {
            "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(memory.home),
            "prompt": f"request {number} {clock.now} " + "".join(random.choices("abcdefgh ", k=size)),
        }  # fmt: skip
        memory.capture("claude-code", payload, time=clock())
    with memory.store.transaction() as connection:
        connection.execute("UPDATE observations SET state = 'compressed' WHERE state = 'captured'")
        connection.execute("UPDATE queue SET state = 'done', finished = ?", (clock.now,))


def test_raw_observations_go_before_older_texts_and_these_before_memories(
    clock: Clock, opened: Callable[..., Memory]
) -> None:
    memory = opened()
    observe(memory, 60, 4_000, clock)
    one = memory.add(title="kept", text="first", sources=[1])
    memory.pin(one)
    for number in range(40):
        memory.edit(one, text=f"version {number} " + "word " * 400)
    clock.days(3)
    size = memory.upkeep.forecast().bytes

    def enforced(most: float) -> tuple[int, int, int]:
        memory.upkeep._settings = config.UpkeepSettings(max_bytes=round(most))
        done = memory.upkeep.enforce()
        return done.observations, done.versions, len(done.trashed)

    assert enforced(size * 2) == (0, 0, 0)
    gone, texts, trashed = enforced(size * 0.95)
    assert 0 < gone < 60
    assert (texts, trashed) == (0, 0)
    left = memory.store.rows("SELECT count(*), min(id) FROM observations")[0]
    assert tuple(left) == (60 - gone, gone + 1)  # the oldest went
    gone, texts, _ = enforced(size * 0.4)
    assert gone > 0 and texts > 0
    assert memory.get(one)[0].text.startswith("version 39")
    versions = memory.store.rows("SELECT count(*) FROM versions")[0][0]
    assert versions == 41 - texts
    with pytest.raises(ConflictError, match="as far back as undo reaches"):
        for _ in range(60):
            assert memory.undo()


def test_what_waits_to_be_compressed_is_kept(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(max_bytes=1)
    observe(memory, 3, 100, clock)
    with memory.store.transaction() as connection:
        connection.execute("UPDATE observations SET state = 'captured' WHERE id = 2")
    clock.days(2)
    memory.upkeep.enforce()
    assert [row[0] for row in memory.store.rows("SELECT id FROM observations")] == [2]


def test_the_forecast_names_the_limit_and_the_day(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(max_memories=100)
    assert memory.upkeep.forecast().reached_on is None
    for _ in range(10):
        memory.add_many([{"title": f"one of {clock.now}"}, {"title": f"other of {clock.now}"}])
        memory.upkeep.run()
        clock.days(1)
    found = memory.upkeep.forecast()
    assert found.memories == 20 and found.memories_per_day == pytest.approx(2, rel=0.15)
    assert found.reached == "max_memories"
    assert found.reached_on is not None
    assert (found.reached_on - clock.now) / DAY_MS == pytest.approx(40, rel=0.15)
    assert memory.stats()["forecast"]["reached"] == "max_memories"
    check = next(check for check in memory.doctor()["checks"] if check["id"] == "limits")
    assert check["ok"] and "max_memories is reached on 2026-" in check["what"]


def test_what_an_empty_store_takes_is_no_growth(clock: Clock, opened: Callable[..., Memory]) -> None:
    memory = opened(max_memories=300)
    memory.add_many([{"title": f"memory {number}", "text": "word " * 60} for number in range(3)])
    found = memory.upkeep.forecast()
    assert found.bytes > 300_000 and found.bytes_per_day < 100_000
    assert found.reached == "max_memories"


def on_disk(home: Path) -> int:
    return sum(path.stat().st_size for path in home.rglob("*") if path.is_file())


def test_a_year_of_filling_stays_within_the_limit(clock: Clock, opened: Callable[..., Memory]) -> None:
    limit, rng = 2_000_000, random.Random(7)
    memory = opened(max_bytes=limit, grace_days=14)
    pinned: list[int] = []
    largest, gone = 0, [0, 0, 0, 0]
    words = [f"{a}{b}" for a in ("pool", "order", "queue", "token", "index", "cache") for b in "abcdefghij"]
    kinds = ["digest", "bugfix", "decision", "discovery"]
    for day in range(0, 365, 2):
        ids = memory.add_many([
            {"title": f"day {day} memory {n}", "text": " ".join(rng.choices(words, k=120)), "kind": kinds[n % 4]}
            for n in range(6)
        ])  # fmt: skip
        memory.edit(ids[0], text=" ".join(rng.choices(words, k=120)))
        observe(memory, 2, 3_000, clock)
        if day % 28 == 0:
            memory.pin(ids[1])
            pinned.append(ids[1])
        memory.fetch(ids[2])
        clock.days(2)
        done = memory.upkeep.enforce()
        went = (done.observations, done.versions, len(done.trashed), len(done.purged))
        gone = [had + now for had, now in zip(gone, went, strict=True)]
        largest = max(largest, on_disk(memory.home))
    assert limit / 2 < largest <= limit
    assert all(gone)  # it has done each of them
    assert {one.state for one in memory.get(pinned)} == {"active"}
    assert memory.store.rows("PRAGMA integrity_check")[0][0] == "ok"
    assert memory.store.rows("PRAGMA foreign_key_check") == []
    texts, versions = (
        memory.store.rows(f"SELECT count(*) FROM {table}")[0][0] for table in ("search_text", "versions")
    )
    assert texts == versions


KILLED = """
    import sys
    from tui_memory import Memory, config
    settings = config.Settings(upkeep=config.UpkeepSettings(max_memories=5, max_bytes=200_000, grace_days=0))
    memory = Memory(sys.argv[1], embedding="none", settings=settings)
    memory.store
    print("ready", flush=True)
    while True:
        memory.upkeep.run(full=True)
        memory.add_many([{"title": f"again {n}", "text": "word " * 200, "project": "o"} for n in range(60)])
"""


@pytest.mark.parametrize("wait", [0.05, 0.2, 0.5])
def test_a_kill_in_the_middle_leaves_a_whole_store(tmp_path: Path, wait: float) -> None:
    home = tmp_path / "store"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(home)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(wait)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with Memory(home, embedding="none", settings=settings(max_memories=5, grace_days=0)) as memory:
        assert memory.store.rows("PRAGMA integrity_check")[0][0] == "ok"
        assert memory.store.rows("PRAGMA foreign_key_check") == []
        done = memory.upkeep.run(full=True)  # the lease died with its holder
        assert not done.refreshed.busy and not done.evicted.busy
        assert memory.count() <= 5
        for one in memory.get([one.id for one in memory.memories(state="all", limit=1000)]):
            entries = memory.history(one.id)
            assert entries and entries[0].after and entries[0].after["state"] == one.state


def test_no_memory_of_a_new_kind_is_left_out(clock: Clock, opened: Callable[..., Memory]) -> None:
    from tui_memory.model import MemoryKind, MemoryState

    assert set(worth.KIND) == set(MemoryKind)
    assert set(worth.STATE) == set(MemoryState) - {MemoryState.TRASH, MemoryState.UNDONE}


def test_an_original_that_a_person_deleted_is_tied_to_no_merge_that_is_gone(
    clock: Clock, opened: Callable[..., Memory]
) -> None:
    memory = opened(max_memories=1, grace_days=0)
    one, other = memory.add_many([{"title": "walk", "kind": "digest"}, {"title": "run", "kind": "digest"}])
    merged = memory.merge([one, other])
    memory.delete(one)
    memory.pin(memory.add(title="rule", kind="convention"))
    memory.upkeep.enforce()
    clock.days(1)
    assert merged in memory.upkeep.enforce().purged
    assert memory.get(one)[0].state == "trash"
    assert memory.store.rows("SELECT merged_into FROM memories WHERE id = ?", (one,))[0][0] is None
    memory.restore(one)
    assert memory.get(one)[0].state == "active"
