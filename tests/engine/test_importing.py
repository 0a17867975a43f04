"""Histories and other memories come in once, clean, and in their place."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.capture.transcripts.reading import FIXTURES, MAIN, RECORDED, write
from tui_memory.clock import parse_iso
from tui_memory.compress.queue import drain
from tui_memory.compress.router import Router
from tui_memory.config import Settings
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory
from tui_memory.errors import ConfigError, NotFoundError, RefusedError, UsageError
from tui_memory.model import Filters, Observation
from tui_memory.store import pauses
from tui_memory.store.projects import find_or_add

ROOT = Path(__file__).parents[2]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def usual_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents keep their histories below the home directory."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)


def line(kind: str, content: Any, uuid: str, minute: int, **fields: Any) -> dict[str, Any]:
    """One record of a Claude Code transcript."""
    message = {"role": kind, "content": content, "id": uuid, "stop_reason": fields.pop("stop_reason", None)}
    base = {"type": kind, "message": message, "uuid": uuid, "sessionId": "s1", "cwd": "/home/dev/orderly"}
    return base | {"timestamp": f"2026-01-01T09:{minute:02}:00.000Z", "isSidechain": False} | fields


def turn(number: int, said: str = "done") -> list[dict[str, Any]]:
    """A prompt, a command and the closing message."""
    use, prompt = f"toolu_{number}", {"promptId": f"p{number}"}
    call = [{"type": "tool_use", "id": use, "name": "Bash", "input": {"command": f"make step{number}"}}]
    result = [{"type": "tool_result", "tool_use_id": use, "content": f"step {number} ran"}]
    closing = [{"type": "text", "text": f"{said} {number}"}]
    return [
        line("user", f"please do step {number}", f"u{number}", number * 4, **prompt),
        line("assistant", call, f"a{number}", number * 4 + 1, stop_reason="tool_use"),
        line("user", result, f"r{number}", number * 4 + 2, **prompt),
        line("assistant", closing, f"c{number}", number * 4 + 3, stop_reason="end_turn"),
    ]


def hooks(number: int, events: str = "prompt tool stop") -> list[dict[str, Any]]:
    """What the live hooks would have told of `turn(number)`."""
    base = {"session_id": "s1", "cwd": "/home/dev/orderly", "prompt_id": f"p{number}"}
    every: dict[str, dict[str, Any]] = {
        "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": f"please do step {number}"},
        "tool": {
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": f"toolu_{number}",
            "tool_input": {"command": f"make step{number}"}, "tool_response": f"step {number} ran",
        },
        "stop": {"hook_event_name": "Stop", "last_assistant_message": f"done {number}"},
    }  # fmt: skip
    return [base | every[event] for event in events.split()]


def observed(memory: Memory, **filters: Any) -> list[Observation]:
    """Every observation, oldest first."""
    return memory.observations(Filters(**filters), limit=1000)[::-1]


def recorded(agent: str) -> list[dict[str, Any]]:
    """The payloads of an agent's recorded session."""
    return [json.loads(text) for text in (RECORDED / f"{agent}.hooks.jsonl").read_text("utf-8").splitlines()]


def copied(tmp_path: Path) -> Path:
    """The documented transcripts, in a folder of this test."""
    return Path(shutil.copytree(FIXTURES, tmp_path / "transcripts"))


def test_months_of_sessions_become_memories_and_the_numbers_add_up(memory: Memory, tmp_path: Path) -> None:
    report = Importing(memory).transcripts([copied(tmp_path)])
    assert dict(report.sessions) == {
        "claude-code": 1, "codex": 2, "copilot": 2, "cursor": 1, "gemini-cli": 3, "opencode": 1, "aider": 1,
    }  # fmt: skip
    assert report.read == report.stored + report.known + sum(report.dropped.values())
    assert report.stored == len(observed(memory)) and report.stored > 60
    assert report.memories == memory.count() > 10
    assert {one.made_by.route for one in memory.memories(limit=100)} == {"extractive"}
    stats = memory.stats()
    assert stats["captured"] == stats["stored"] + sum(stats["dropped"].values())


def test_a_second_run_reads_nothing_and_a_file_that_was_only_touched_adds_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    folder = copied(tmp_path)
    first = Importing(memory).transcripts([folder])
    again = Importing(memory).transcripts([folder])
    assert (again.read, again.stored, again.unchanged) == (0, 0, again.files) and again.files == first.files
    for path in folder.rglob("*.json*"):
        os.utime(path, ns=(1, 1))
    touched = Importing(memory).transcripts([folder])
    assert touched.stored == 0 and touched.unchanged < touched.files
    assert len(observed(memory)) == first.stored


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_transcript_after_its_hooks_adds_nothing(memory: Memory, agent: str) -> None:
    for payload in recorded(agent):
        memory.capture(agent, payload, time=parse_iso("2026-11-29T20:42:00Z"))
    before = observed(memory)
    report = Importing(memory).transcripts([RECORDED / f"{agent}.transcript.jsonl"])
    assert (report.stored, report.known) == (0, report.read) and report.read >= 5
    assert observed(memory) == before


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_hooks_after_their_transcript_are_duplicates(memory: Memory, agent: str) -> None:
    report = Importing(memory).transcripts([RECORDED / f"{agent}.transcript.jsonl"])
    for payload in recorded(agent):
        memory.capture(agent, payload)
    assert len([one for one in observed(memory) if one.kind != "lifecycle"]) == report.stored


def test_events_without_an_id_of_their_own_are_known_by_what_they_say(memory: Memory, tmp_path: Path) -> None:
    for payload in hooks(1):
        at = "2026-01-01T09:04:02Z" if payload["hook_event_name"] == "UserPromptSubmit" else "2026-01-01T09:07:01Z"
        memory.capture("claude-code", {key: payload[key] for key in payload if key != "prompt_id"}, time=parse_iso(at))
    report = Importing(memory).transcripts([write(tmp_path / "s1.jsonl", turn(1))])
    assert (report.stored, report.known) == (0, 3)


def test_the_same_words_twice_are_two_where_only_one_was_told(memory: Memory, tmp_path: Path) -> None:
    memory.capture(
        "claude-code",
        {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "again"},
        time=parse_iso("2026-01-01T09:00:01Z"),
    )
    path = write(tmp_path / "s1.jsonl", [line("user", "again", "u1", 0), line("user", "again", "u2", 1)])
    report = Importing(memory).transcripts([path])
    assert (report.stored, report.known) == (1, 1)


def test_what_the_hooks_missed_goes_into_the_turn_it_belongs_to(memory: Memory, tmp_path: Path) -> None:
    for payload in [*hooks(1, "prompt stop"), *hooks(2)]:
        memory.capture("claude-code", payload, time=parse_iso("2026-01-01T09:30:00Z"))
    report = Importing(memory).transcripts([write(tmp_path / "s1.jsonl", [*turn(1), *turn(2)])])
    late = [one for one in observed(memory) if one.detail.get("transcript")]
    assert report.stored == 1 and [(one.text, one.turn) for one in late] == [("$ make step1\nstep 1 ran", 1)]


def test_a_grown_file_is_read_from_where_it_was_and_its_session_goes_on(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", turn(1))
    Importing(memory).transcripts([path])
    write(path, [*turn(1), *turn(2)])
    report = Importing(memory).transcripts([path])
    assert (report.read, report.stored) == (3, 3)
    assert [(one.turn, one.kind) for one in observed(memory)] == [
        (number, kind) for number in (1, 2) for kind in ("prompt", "command", "response")
    ]


def test_a_file_that_was_written_anew_is_read_whole(memory: Memory, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", turn(1))
    Importing(memory).transcripts([path])
    write(path, [*turn(3, "other"), *turn(4, "other")])
    assert Importing(memory).transcripts([path]).stored == 6


def test_a_session_copied_into_another_file_is_one(memory: Memory, tmp_path: Path) -> None:
    first = write(tmp_path / "s1.jsonl", turn(1))
    resumed = [record | {"sessionId": "s2"} for record in turn(1)]  # as older versions did on resume
    second = write(tmp_path / "s2.jsonl", [*resumed, *[record | {"sessionId": "s2"} for record in turn(2)]])
    os.utime(first, ns=(1, 1))
    report = Importing(memory).transcripts([first, second])
    assert (report.stored, report.known) == (6, 3)


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


def test_a_sub_agents_work_is_in_its_parents_turn(memory: Memory, tmp_path: Path) -> None:
    Importing(memory).transcripts([copied(tmp_path) / "claude-code"])
    inside = [one for one in observed(memory) if one.parent]
    assert {one.parent for one in inside} == {"a3f9c1d7e5b2a4c68"} and {one.turn for one in inside} == {1}
    assert {one.session for one in inside} == {MAIN.stem}


def test_secrets_and_private_passages_never_come_in(memory: Memory, tmp_path: Path) -> None:
    asked = f"use the token {TOKEN} <private>and my diary</private> for the deploy"
    path = write(
        tmp_path / "s1.jsonl",
        [line("user", asked, "u1", 1), line("user", "<private>only this</private>", "u2", 2)],
    )
    report = Importing(memory).transcripts([path])
    assert report.dropped == {"private": 1}
    everything = b"".join(file.read_bytes() for file in (tmp_path / "store").rglob("*") if file.is_file())
    for secret in (TOKEN, "my diary", "only this"):
        assert secret.encode() not in everything
    assert observed(memory)[0].redactions["github-token"] == 1


def test_a_folder_that_is_gone_is_a_project_too_and_never_all_of_them(memory: Memory, tmp_path: Path) -> None:
    inside = [record | {"cwd": "/home/dev/orderly/src"} for record in turn(2)]
    Importing(memory).transcripts([write(tmp_path / "s1.jsonl", [*turn(1), *inside])])
    assert {one.project for one in observed(memory)} == {"orderly"}
    assert [project.name for project in memory.projects()] == ["orderly"]


def test_a_home_directory_of_another_machine_is_no_project_and_stops_nothing(memory: Memory, tmp_path: Path) -> None:
    moved = [record | {"cwd": "/home/somebody"} for record in turn(1)]
    report = Importing(memory).transcripts([write(tmp_path / "s1.jsonl", moved)])
    assert (report.stored, report.failed) == (3, []) and {one.project for one in observed(memory)} == {None}


def test_an_older_gemini_chat_finds_its_project_by_the_digest_of_its_folder(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "gone" / "orderly"
    project = find_or_add(memory.store, str(folder))
    meta = {"sessionId": "g1", "projectHash": hashlib.sha256(str(folder).encode()).hexdigest(), "kind": "main"}
    asked = {"id": "m1", "type": "user", "content": [{"text": "go"}], "timestamp": "2026-01-01T09:00:00Z"}
    other = meta | {"sessionId": "g2", "projectHash": "ab" * 32}
    for name, first in (("session-1", meta), ("session-2", other)):
        Importing(memory).transcripts([write(tmp_path / f"{name}.jsonl", [first, asked])])
    names = {item.id: item.name for item in memory.projects()}
    assert [one.project for one in observed(memory)] == [names[project], "gemini-abababab"]


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


def claude_mem(path: Path, session: str = "s1") -> Path:
    """A small claude-mem database."""
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT);"
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,"
        " title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,"
        " created_at_epoch INTEGER);"
    )
    said = f"We chose Decimal. The deploy token is {TOKEN}."
    row = (
        1, session, "orderly", None, "decision", "Money is Decimal", "No floats", '["Totals use Decimal"]', said,
        '["money"]', '["src/a.py"]', '["src/cart.py"]', 1767258000000,
    )  # fmt: skip
    connection.execute(f"INSERT INTO observations VALUES ({', '.join('?' * 13)})", row)
    connection.commit()
    connection.close()
    return path


def test_a_foreign_store_comes_in_redacted_and_as_one_change(memory: Memory, tmp_path: Path) -> None:
    report = Importing(memory).foreign(claude_mem(tmp_path / "claude-mem.db"))
    found = memory.get(report.added)[0]
    assert (found.title, found.summary, found.kind, found.tier) == (
        "Money is Decimal",
        "No floats",
        "decision",
        "episodic",
    )
    assert (found.project, found.labels, found.facts) == ("orderly", ["claude-mem", "money"], ["Totals use Decimal"])
    assert found.files == ["src/cart.py", "src/a.py"] and found.created == 1767258000000
    assert found.made_by.route == "import" and TOKEN not in found.text and "[redacted:github-token" in found.text
    assert report.redactions["github-token"] == 1
    memory.undo()
    assert memory.count() == 0


def test_a_second_import_adds_nothing_and_one_that_was_undone_comes_again(memory: Memory, tmp_path: Path) -> None:
    path = claude_mem(tmp_path / "claude-mem.db")
    Importing(memory).foreign(path)
    again = Importing(memory).foreign(path)
    assert (again.new, again.known, again.added) == (0, 1, [])
    assert len(memory.history()) == 1
    memory.undo()
    assert Importing(memory).foreign(path).new == 1 and memory.count() == 1


def test_what_was_deleted_here_stays_deleted(memory: Memory, tmp_path: Path) -> None:
    path = claude_mem(tmp_path / "claude-mem.db")
    memory.delete(Importing(memory).foreign(path).added)
    report = Importing(memory).foreign(path)
    assert report.new == 0 and report.skipped == {"deleted here since it was imported": 1} and memory.count() == 0


def test_the_same_source_has_the_same_identity_in_every_store(memory: Memory, tmp_path: Path) -> None:
    path = claude_mem(tmp_path / "claude-mem.db")
    here = memory.get(Importing(memory).foreign(path).added)[0].uid
    with Memory(tmp_path / "other", embedding="none", settings=Settings()) as other:
        assert other.get(Importing(other).foreign(path).added)[0].uid == here


def test_a_dry_run_of_a_foreign_store_maps_it_and_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    report = Importing(memory).foreign(claude_mem(tmp_path / "claude-mem.db"), dry_run=True)
    assert report.new == 1 and report.added == [] and memory.count(state="all") == 0 and memory.projects() == []
    assert report.public()["mapping"] == [
        {
            "source": "observation: decision",
            "kind": "decision",
            "tier": "episodic",
            "labels": ["claude-mem"],
            "count": 1,
        }
    ]


def test_notes_are_rules_of_the_project_they_lie_in_and_change_with_their_file(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "orderly"
    folder.mkdir()
    path = folder / "CLAUDE.md"
    path.write_text("# Orderly\n\n## Money\nDecimal everywhere.\n\n## Tests\nRun `pytest -q`.\n")
    first = Importing(memory).foreign(path)
    assert [(one.title, one.kind, one.tier, one.project) for one in memory.get(first.added)] == [
        ("Money", "convention", "semantic", "orderly"),
        ("Tests", "procedure", "semantic", "orderly"),
    ]
    path.write_text("# Orderly\n\n## Money\nDecimal, rounded half to even.\n\n## Tests\nRun `pytest -q`.\n")
    second = Importing(memory).foreign(path)
    assert (second.new, second.changed, second.known) == (0, 1, 1)
    assert memory.get(first.added[0])[0].text == "Decimal, rounded half to even."
    memory.undo()
    assert memory.get(first.added[0])[0].text == "Decimal everywhere."


def test_notes_in_an_agents_own_settings_hold_for_all_projects(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".claude"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("Answer in British English.\n")
    assert memory.get(Importing(memory).foreign(folder / "CLAUDE.md").added)[0].project is None


def test_any_other_file_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    with pytest.raises(UsageError, match="Nothing was imported"):
        Importing(memory).foreign(tmp_path / "x.txt")
    sqlite3.connect(tmp_path / "y.db").executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    with pytest.raises(UsageError, match="another program"):
        Importing(memory).foreign(tmp_path / "y.db")
