"""Agents' histories come in once, clean, and in their place."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from tests.capture.transcripts.reading import MAIN, RECORDED, write
from tui_memory.clock import parse_iso
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory
from tui_memory.store.projects import find_or_add

from .histories import copied, hooks, line, observed, recorded, turn

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


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
