"""An import of histories as a run: stopped, killed, held off, told how far; nothing comes twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.capture.transcripts.reading import write
from tui_memory.clock import parse_iso
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.config import Settings
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory
from tui_memory.errors import ConfigError, NotFoundError, RefusedError, UsageError
from tui_memory.store import pauses

from .histories import copied, observed, turn

ROOT = Path(__file__).parents[2]


def test_what_is_stopped_half_way_goes_on_and_nothing_is_twice(memory: Memory, tmp_path: Path) -> None:
    folder = copied(tmp_path)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 30

    first = Importing(memory).transcripts([folder], cancelled=stop)
    rest = Importing(memory).transcripts([folder])
    assert first.cancelled and not rest.cancelled and 0 < first.stored < 30
    with Memory(tmp_path / "other", embedding="none", settings=Settings()) as other:
        whole = Importing(other).transcripts([folder])
        assert first.stored + rest.stored == whole.stored
        assert [one.text for one in observed(other)] == [one.text for one in observed(memory)]


def test_a_worker_gets_no_turn_of_a_history_while_it_comes_in(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", [*turn(1), *turn(2)])
    taken: list[int] = []

    def work() -> bool:
        taken.append(drain(memory.store, Router(memory.settings), worker="other").turns)
        return False

    report = Importing(memory).transcripts([path], cancelled=work)
    assert sum(taken) == 0 and len(taken) > 6 and report.turns == 3  # two turns and the session's digest
    assert memory.stats()["queue"].get("waiting", 0) == 0


def test_what_a_killed_import_held_is_compressed_by_the_next_one(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", [*turn(1), *turn(2)])
    script = (
        "import os, sys\n"
        "from tui_memory import Memory\n"
        "from tui_memory.engine import import_transcripts\n"
        "from tui_memory.engine.importing import Importing\n"
        "import_transcripts.projects.assign = lambda store: os._exit(9)\n"
        "with Memory(sys.argv[1], embedding='none') as memory:\n"
        "    Importing(memory).transcripts([sys.argv[2]])\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "store"), str(path)], cwd=ROOT, check=False)
    assert killed.returncode == 9 and len(observed(memory)) == 6
    assert drain(memory.store, Router(memory.settings), worker="other").turns == 0
    report = Importing(memory).transcripts([path])
    assert (report.stored, report.turns) == (0, 3) and memory.stats()["queue"] == {"done": 3}


def test_a_session_that_may_still_run_is_not_ended(memory: Memory, tmp_path: Path) -> None:
    now = {"timestamp": "2099-01-01T00:00:00Z"}
    Importing(memory).transcripts([write(tmp_path / "s1.jsonl", [record | now for record in turn(1)])])
    assert memory.sessions()[0].ended is None
    ended = [record | {"sessionId": "s2"} for record in turn(2)]
    Importing(memory).transcripts([write(tmp_path / "s2.jsonl", ended)])
    assert {row.session: row.ended is not None for row in memory.sessions()} == {"s1": False, "s2": True}


def test_since_leaves_the_rest_for_a_later_run(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", [*turn(1), *turn(2)])
    part = Importing(memory).transcripts([path], since=parse_iso("2026-01-01T09:08:00Z"))
    assert (part.stored, part.dropped) == (3, {"older than --since": 3})
    assert Importing(memory).transcripts([path]).stored == 3


def test_a_dry_run_counts_and_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", turn(1))
    before = memory.change_stamp()
    report = Importing(memory).transcripts([path], dry_run=True)
    assert (report.stored, report.memories) == (3, 0) and memory.change_stamp() == before
    assert Importing(memory).transcripts([path]).stored == 3
    assert Importing(memory).transcripts([path], dry_run=True).stored == 0


def test_nothing_comes_in_while_capture_is_paused(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", turn(1))
    pauses.put(memory.store, pauses.FOR_EVER)
    with pytest.raises(RefusedError, match="paused"):
        Importing(memory).transcripts([path])
    pauses.put(memory.store, 0)
    assert Importing(memory).transcripts([path]).stored == 3


def test_what_makes_no_sense_is_refused_before_anything_is_read(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no route"):
        Importing(memory).transcripts([tmp_path], route="telepathy")
    with pytest.raises(NotFoundError, match="Nothing was imported"):
        Importing(memory).transcripts([tmp_path / "gone"])
    with pytest.raises(UsageError, match="Known: claude-code"):
        Importing(memory).transcripts([tmp_path], agent="hal")
    with pytest.raises(UsageError, match="name a folder"):
        Importing(memory).transcripts(agent="codex")


def test_without_a_path_each_agents_own_place_is_read(memory: Memory, tmp_path: Path) -> None:
    projects = tmp_path / "home" / ".claude" / "projects" / "-home-dev-orderly"
    projects.mkdir(parents=True)
    write(projects / "s1.jsonl", turn(1))
    assert Importing(memory).transcripts().stored == 3


def test_a_file_that_cannot_be_read_is_named_and_the_others_go_on(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    write(folder / "s1.jsonl", turn(1))
    os.mkfifo(folder / "s2.jsonl")
    (folder / "opencode.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    report = Importing(memory).transcripts([folder])
    assert report.stored == 3 and len(report.failed) == 1 and "opencode.db" in report.failed[0]


def test_progress_says_how_far_it_is(memory: Memory, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    folder = copied(tmp_path)
    Importing(memory).transcripts([folder], on_progress=lambda now: seen.append((now.stage, now.sessions, now.bytes)))
    assert {stage for stage, _, _ in seen} == {"read", "compress"}
    assert [count for _, count, _ in seen] == sorted(count for _, count, _ in seen) and seen[-1][1] == 10


# other memories
