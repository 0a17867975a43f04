"""Whatever is in a file, reading goes on, in bounded memory, and stays in the folder that was named."""

from __future__ import annotations

import json
import os
import tracemalloc
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.capture.transcripts.reading import FIXTURES, MAIN, RECORDED, SUB, drafts, write
from tui_memory.capture.transcripts import READERS, Tally, records, search
from tui_memory.capture.transcripts.steps import Calls

SAMPLES = {
    "claude-code": RECORDED / "claude-code.transcript.jsonl",
    "codex": RECORDED / "codex.transcript.jsonl",
    "copilot": FIXTURES / "copilot.transcript.jsonl",
    "gemini-cli": FIXTURES / "gemini-cli.transcript.jsonl",
    "cursor": next((FIXTURES / "cursor").rglob("*.jsonl")),
}
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 1e300, "", "\ud800", "x" * 50, [], [[]], {}, {"type": {}}, [None, 3, {"text": 1}]]
).map(deepcopy)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for key, item in inner for found in _leaves(item, (*path, key))]


@pytest.mark.parametrize("agent", SAMPLES)
@settings(max_examples=40, derandomize=True, deadline=None)
@given(data=st.data())
def test_any_value_anywhere_in_a_record_breaks_nothing(
    agent: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = [json.loads(line) for line in SAMPLES[agent].read_text("utf-8").splitlines()]
    for _ in range(data.draw(st.integers(1, 4))):
        record = lines[data.draw(st.integers(0, len(lines) - 1))]
        places = _leaves(record)
        if places:
            *way, last = data.draw(st.sampled_from(places))
            inside = record
            for key in way:
                inside = inside[key]
            inside[last] = data.draw(ODD)
    path = write(tmp_path_factory.mktemp("odd") / "session.jsonl", lines)
    tally = Tally()
    list(READERS[agent](path, 0, tally))
    assert tally.end == path.stat().st_size  # it went on to the last line


def test_a_huge_line_is_skipped_without_being_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "s1.jsonl"
    with path.open("wb") as file:
        file.write(b'{"type": "user", "x": "')
        file.truncate(200 << 20)  # a hole: zeros without a disk full of them
        file.seek(0, os.SEEK_END)
        file.write(b'"}\n{"type": "user", "message": {"content": "go"}, "uuid": "u1", "sessionId": "s1"}\n')
    tally = Tally()
    tracemalloc.start()
    made = list(READERS["claude-code"](path, 0, tally))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [step.draft.text for step in made] == ["go"] and tally.skipped[records.TOO_LONG] == 1
    assert peak < 16 << 20


def test_a_document_that_is_too_large_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LARGEST_DOCUMENT", 100)
    tally = Tally()
    path = FIXTURES / "opencode" / "ses_4f1c9a2b7ffeOrderly01.export.json"
    assert list(READERS["opencode"](path, 0, tally)) == [] and tally.skipped[records.TOO_LARGE] == 1


def test_links_are_not_followed_and_counted(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "projects"
    outside.mkdir()
    inside.mkdir()
    write(outside / "s1.jsonl", [{"type": "user", "uuid": "u", "sessionId": "s1", "message": {"content": "secret"}}])
    (inside / "file.jsonl").symlink_to(outside / "s1.jsonl")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    found = search([inside])
    assert found.sessions == [] and found.skipped["symbolic link"] == 3
    with pytest.raises(OSError):
        drafts("claude-code", inside / "file.jsonl")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s1.jsonl")
    assert search([tmp_path]).sessions == []
    with pytest.raises(OSError):
        drafts("claude-code", tmp_path / "s1.jsonl")


def test_every_agents_files_are_recognised_by_what_is_in_them() -> None:
    found = search([FIXTURES, RECORDED])
    assert sorted(session.agent for session in found.sessions) == sorted(
        ["claude-code"] * 2 + ["codex"] * 3 + ["copilot"] * 2 + ["cursor"] + ["gemini-cli"] * 3 + ["opencode", "aider"]
    )
    assert found.failed == []


def test_a_session_and_its_sub_agents_are_read_together() -> None:
    session = next(one for one in search([MAIN.parent]).sessions if MAIN in one.files)
    assert session.files == [MAIN, SUB]


def test_only_the_agent_that_was_named_is_read() -> None:
    assert {session.agent for session in search([FIXTURES], "codex").sessions} == {"codex"}


def test_hook_payloads_are_no_transcript(tmp_path: Path) -> None:
    write(tmp_path / "hooks.jsonl", [{"hook_event_name": "Stop", "session_id": "s", "type": "user"}])
    found = search([tmp_path])
    assert found.sessions == [] and found.skipped["no transcript"] == 1


def test_a_session_of_opencodes_tree_is_read_only_with_the_folder_its_messages_are_in(tmp_path: Path) -> None:
    session = tmp_path / "storage" / "session" / "p1" / "ses_1.json"
    message = tmp_path / "storage" / "message" / "ses_1" / "msg_1.json"
    for path, value in ((session, {"id": "ses_1"}), (message, {"id": "msg_1", "role": "user"})):
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(value))
    assert [one.files for one in search([tmp_path / "storage"]).sessions] == [[session]]
    alone = search([session])
    assert alone.sessions == [] and list(alone.skipped) == [
        "session whose messages lie outside of the folder that was named"
    ]


def test_calls_that_are_never_answered_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Calls, "_MOST_BYTES", 1 << 20)
    path = tmp_path / "s1.jsonl"
    with path.open("w") as file:
        for number in range(200):
            use = {"type": "tool_use", "id": f"t{number}", "name": "Write", "input": {"content": "x" * 200_000}}
            record = {"type": "assistant", "uuid": f"a{number}", "message": {"id": f"m{number}", "content": [use]}}
            file.write(json.dumps(record) + "\n")
    tracemalloc.start()
    assert drafts("claude-code", path) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20  # of 40 MB in the file


def test_a_session_may_have_more_files_than_a_process_may_have_open(tmp_path: Path) -> None:
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    record = {"type": "user", "uuid": "u", "sessionId": "s1", "agentId": "a", "message": {"content": "x"}}
    readings = [records.lines(write(folder / f"agent-{number}.jsonl", [record])) for number in range(50)]
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert all(next(reading)[2] for reading in readings)
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after - before < 5
