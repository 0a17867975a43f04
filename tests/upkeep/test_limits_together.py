"""Limits while others are at work: one process does it, nothing happens twice, what a person does meanwhile counts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tui_memory import Memory, config
from tui_memory.store import ageing, growth
from tui_memory.upkeep import limits, worth

RULES_ONLY = config.Settings(compress=config.CompressSettings(routes=("extractive",)))
WORKER = """
    import json, sys, time
    from dataclasses import replace
    from tui_memory import Memory, config
    base = config.Settings(compress=config.CompressSettings(routes=("extractive",)))
    settings = replace(base, upkeep=config.UpkeepSettings(max_memories=int(sys.argv[2]), grace_days=0))
    with Memory(sys.argv[1], embedding="none", settings=settings) as memory:
        print("ready", flush=True)
        sys.stdin.readline()
        trashed, purged, busy = [], [], 0
        for _ in range(int(sys.argv[3])):
            done = memory.upkeep.enforce()
            trashed += done.trashed
            purged += done.purged
            busy += done.busy
    print(json.dumps([trashed, purged, busy]), flush=True)
"""


def opened(home: Path, **given: object) -> Memory:
    settings = replace(RULES_ONLY, upkeep=config.UpkeepSettings(**given))  # type: ignore[arg-type]
    return Memory(home, embedding="none", settings=settings)


def fill(home: Path, number: int) -> list[int]:
    with opened(home) as memory:
        return memory.add_many([{"title": f"memory {n}", "text": "word " * 60} for n in range(number)])


def started(home: Path, most: int, times: int) -> subprocess.Popen[str]:
    """A process that waits to be told to begin."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WORKER), str(home), str(most), str(times)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def test_two_processes_evict_and_delete_each_memory_once(tmp_path: Path) -> None:
    home = tmp_path / "store"
    ids = fill(home, 400)
    two = [started(home, 50, 8) for _ in range(2)]
    for process in two:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [json.loads(process.communicate(timeout=120)[0]) for process in two]
    trashed, purged = (Counter(told[0][n] + told[1][n]) for n in (0, 1))
    assert len(trashed) == 350 and set(trashed.values()) == {1} and set(purged.values()) <= {1}
    with opened(home, max_memories=50, grace_days=0) as memory:
        memory.upkeep.enforce()
        assert memory.count() == 50 and memory.upkeep.enforce().trashed == []
        assert {row.id for row in memory.memories(state="all", limit=999)} == set(ids) - set(trashed)
        evictions = memory.store.rows(
            "SELECT j.memory_id, count(*) FROM journal j JOIN journal_groups g ON g.id = j.group_id"
            " WHERE g.action = 'evict' GROUP BY 1 HAVING count(*) > 1"
        )
        assert not evictions and memory.store.rows("PRAGMA integrity_check")[0][0] == "ok"


@pytest.mark.parametrize("wait", [0.0, 0.05, 0.15, 0.4])
def test_a_kill_while_limits_are_enforced_leaves_a_whole_store(tmp_path: Path, wait: float) -> None:
    home = tmp_path / "store"
    ids = fill(home, 1_500)
    process = started(home, 20, 50)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    time.sleep(wait)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with opened(home, max_memories=20, grace_days=0) as memory:
        done = memory.upkeep.enforce()
        assert not done.busy and memory.count() == 20
        memory.upkeep.enforce()
        left = {row.id for row in memory.memories(state="all", limit=2_000)}
        assert len(left) == 20 and left <= set(ids)
        for sql in ("SELECT version_id FROM chunks", "SELECT rowid FROM search_text"):
            assert {row[0] for row in memory.store.rows(sql)} <= {
                row[0] for row in memory.store.rows("SELECT id FROM versions")
            }
        assert memory.store.rows("PRAGMA integrity_check")[0][0] == "ok"
        assert memory.store.rows("PRAGMA foreign_key_check") == []


def meanwhile(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, deed: Callable[[], object]) -> None:
    """Have something happen, once, right after what `where.name` has looked at."""
    found = getattr(where, name)
    left = [deed]

    def looked(*arguments: Any) -> Any:
        seen = found(*arguments)
        if seen and left:
            left.pop()()
        return seen

    monkeypatch.setattr(where, name, looked)


def test_what_is_pinned_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = fill(tmp_path / "store", 6)
    with opened(tmp_path / "store", max_memories=2) as memory, opened(tmp_path / "store") as person:
        meanwhile(monkeypatch, worth, "lowest", lambda: person.pin(ids))
        assert memory.upkeep.enforce().trashed == []
        assert memory.count() == 6


def test_a_text_that_an_undo_brings_back_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "store"
    with opened(home, max_bytes=100_000) as memory, opened(home) as person:
        one = memory.add(title="kept", text="first " * 400)
        memory.edit(one, text="second " * 400)
        monkeypatch.setattr(limits, "_FRESH_MS", -1_000)
        meanwhile(monkeypatch, ageing, "versions", person.undo)
        assert memory.upkeep.enforce().versions == 1  # the one that is old now
        assert memory.get(one)[0].text.startswith("first")
        assert memory.store.rows("SELECT count(*) FROM versions")[0][0] == 1


def test_what_is_to_be_compressed_again_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "store"
    with opened(home, max_bytes=100_000) as memory, opened(home) as person:
        payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/nowhere", "prompt": "word " * 300}
        seen = memory.capture("claude-code", payload)
        assert seen is not None

        def state(to: str) -> None:
            with person.store.transaction() as connection:
                connection.execute("UPDATE observations SET state = ?", (to,))

        state("compressed")
        monkeypatch.setattr(limits, "_FRESH_MS", -1_000)
        meanwhile(monkeypatch, ageing, "observations", lambda: state("captured"))
        assert memory.upkeep.enforce().observations == 0
        assert [one.id for one in memory.observations()] == [seen]


def test_what_is_brought_back_meanwhile_is_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "store"
    ids = fill(home, 4)
    with opened(home, max_memories=1, grace_days=0) as memory, opened(home) as person:
        trashed = memory.upkeep.enforce().trashed
        meanwhile(monkeypatch, ageing, "evicted", lambda: person.restore(trashed[:2]))
        done = memory.upkeep.enforce()
        assert done.purged == trashed[2:]
        assert {row.id for row in person.memories(state="all", limit=9)} == {*ids} - {*trashed[2:]}
        assert growth.memories(person.store) >= 1
