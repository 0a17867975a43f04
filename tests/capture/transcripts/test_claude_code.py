"""What Claude Code's transcripts become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.capture.payloads import has_id
from tests.capture.transcripts.reading import FIXTURES, MAIN, RECORDED, SUB, drafts, steps, told, write
from tui_memory import capture
from tui_memory.capture import fence
from tui_memory.capture.transcripts import Tally
from tui_memory.clock import parse_iso
from tui_memory.model import Kind

HOOKS = FIXTURES.parent / "recorded" / "claude-code.hooks.jsonl"


def line(kind: str, content: Any, uuid: str, **fields: Any) -> dict[str, Any]:
    """One record of a transcript."""
    message = {"role": kind, "content": content, "id": fields.pop("id", uuid)}
    message |= {"stop_reason": fields.pop("stop_reason", None)}
    base = {"type": kind, "message": message, "uuid": uuid, "sessionId": "s1", "cwd": "/home/dev/orderly"}
    return base | {"timestamp": "2026-11-29T09:00:00.000Z", "isSidechain": False} | fields


def test_a_session_is_told_in_order_with_the_times_and_branch_of_its_records() -> None:
    made = drafts("claude-code", MAIN)
    assert [draft.kind for draft in made] == [
        "prompt", "read", "search", "error", "tool_use", "edit", "edit", "tool_use", "response",
        "lifecycle", "prompt", "prompt", "response", "error",
    ]  # fmt: skip
    assert made[0].time == parse_iso("2026-11-29T09:00:07.137Z")
    assert {draft.branch for draft in made} == {"fix/rounding"}
    assert {draft.session for draft in made} == {"6f1c2a74-9b3e-4d58-8a11-0c7de5b2f901"}
    assert made[-1].text == "The turn broke off: rate_limit\nAPI Error: Rate limit reached"


def test_what_the_program_wrote_is_no_prompt() -> None:
    prompts = [draft.text for draft in drafts("claude-code", MAIN) if draft.kind == Kind.PROMPT]
    assert prompts == [
        "Order.total() loses cents when a line has a fractional price. Find out why and fix it, then add a test.",
        "日本語の備考欄も確認して — also the CSV 📦",
        "and here is a screenshot",
    ]


def test_injected_context_is_nowhere() -> None:
    assert "Memory for orderly" not in str(drafts("claude-code", MAIN))
    assert "INJECTED" not in str(drafts("claude-code", RECORDED / "claude-code.transcript.jsonl"))


def test_our_own_context_is_cut_out_of_prompts_and_results(tmp_path: Path) -> None:
    ours = fence.wrap("#1 a memory")
    path = write(
        tmp_path / "s1.jsonl",
        [
            line("user", f"{ours}\n\nfix the cart", "u1"),
            line("user", ours, "u2"),
            line("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat x"}}], "a1"),
            line("user", [{"type": "tool_result", "tool_use_id": "t1", "content": f"before {ours} after"}], "u3"),
        ],
    )
    made = drafts("claude-code", path)
    assert [draft.text for draft in made] == ["fix the cart", "$ cat x\nbefore  after"]


def test_a_sub_agents_own_file_keeps_it_as_parent_and_not_its_task_as_a_prompt() -> None:
    made = drafts("claude-code", SUB)
    assert told(made) == [
        (Kind.SEARCH, "Grep Line\\( in src (0 files)"),
        (Kind.RESPONSE, "Only importer.py:31 passes a float."),
    ]
    assert {draft.parent for draft in made} == {"a3f9c1d7e5b2a4c68"}
    assert {draft.session for draft in made} == {MAIN.stem}
    assert not any(draft.starts_turn or draft.ends_turn for draft in made)


def test_a_sidechain_without_an_agents_id_is_named_by_its_first_record(tmp_path: Path) -> None:
    call = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]
    side: dict[str, Any] = {"isSidechain": True}
    path = write(
        tmp_path / "s1.jsonl",
        [
            line("user", "go", "u1"),
            line("user", "look around", "root", parentUuid=None, **side),
            line("assistant", call, "x", parentUuid="root", **side),
            line("user", result, "y", parentUuid="x", **side),
        ],
    )
    assert [(draft.kind, draft.parent) for draft in drafts("claude-code", path)] == [
        (Kind.PROMPT, ""),
        (Kind.COMMAND, "root"),
    ]


def test_a_cycle_of_parents_ends(tmp_path: Path) -> None:
    side: dict[str, Any] = {"isSidechain": True}
    said = [{"type": "text", "text": "hello"}]
    path = write(
        tmp_path / "s1.jsonl",
        [line("assistant", said, "a", parentUuid="b", **side), line("assistant", said, "b", parentUuid="a", **side)],
    )
    assert [draft.text for draft in drafts("claude-code", path)] == ["hello"]


def test_every_recorded_hook_event_has_its_key_in_the_recorded_transcript() -> None:
    payloads = [json.loads(text) for text in HOOKS.read_text("utf-8").splitlines()]
    live = [made for payload in payloads if (made := capture.normalise("claude-code", payload, 1)) and has_id(made)]
    read = drafts("claude-code", RECORDED / "claude-code.transcript.jsonl")
    assert {draft.key for draft in live} == {draft.key for draft in read}
    assert {draft.key: draft.text for draft in live} == {draft.key: draft.text for draft in read}


def test_the_same_record_twice_is_one(tmp_path: Path) -> None:
    said = line("assistant", [{"type": "text", "text": "done"}], "a1", stop_reason="end_turn")
    path = write(tmp_path / "s1.jsonl", [line("user", "go", "u1"), said, said])
    tally = Tally()
    assert [step.draft.text for step in steps("claude-code", path, 0, tally)] == ["go", "done"]
    assert tally.skipped["written twice"] == 1


def test_a_message_in_several_records_is_one_closing_message(tmp_path: Path) -> None:
    parts = [
        line("assistant", [{"type": "text", "text": "First."}], "a1", id="m1"),
        line("assistant", [{"type": "text", "text": "Second."}], "a2", id="m1", stop_reason="end_turn"),
    ]
    path = write(tmp_path / "s1.jsonl", [line("user", "go", "u1"), *parts])
    assert drafts("claude-code", path)[-1].text == "First.\nSecond."


def test_a_refused_call_is_no_error(tmp_path: Path) -> None:
    call = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "rm -r build"}}]
    refused = "The user doesn't want to proceed with this tool use."
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": refused, "is_error": True}]
    path = write(
        tmp_path / "s1.jsonl", [line("user", "go", "u1"), line("assistant", call, "a1"), line("user", result, "u2")]
    )
    last = drafts("claude-code", path)[-1]
    assert last.kind == Kind.COMMAND and last.detail["interrupted"] is True


def test_a_damaged_file_is_told_up_to_the_line_that_is_cut_short() -> None:
    tally = Tally()
    made = steps("claude-code", FIXTURES / "claude-code" / "damaged.jsonl.txt", 0, tally)
    assert [step.draft.kind for step in made] == [Kind.PROMPT]
    assert tally.skipped["not JSON"] == 1 and tally.skipped["cut short (read again when it is whole)"] == 1
    assert tally.resume == made[0].resume  # the turn is open: it is told again when there is more


def test_a_grown_file_is_told_from_the_open_turn_on(tmp_path: Path) -> None:
    call = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]
    first = [
        line("user", "one", "u1"),
        line("assistant", [{"type": "text", "text": "done one"}], "a1", stop_reason="end_turn"),
        line("user", "two", "u2"),
        line("assistant", call, "a2", stop_reason="tool_use"),
    ]
    path, tally = write(tmp_path / "s1.jsonl", first), Tally()
    assert [step.draft.text for step in steps("claude-code", path, 0, tally)] == ["one", "done one", "two"]
    write(path, [*first, line("user", result, "u3")])
    assert [step.draft.text for step in steps("claude-code", path, tally.resume)] == ["two", "$ ls\na"]
