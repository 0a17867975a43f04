"""What Codex's rollouts become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.capture.payloads import has_id
from tests.capture.transcripts.reading import FIXTURES, RECORDED, drafts, steps, told, write
from tui_memory import capture
from tui_memory.capture.transcripts import Tally
from tui_memory.model import Kind

DAY = FIXTURES / "codex" / "2026" / "11" / "29"
LEGACY = DAY / "rollout-2026-11-29T09-14-02-019e2f6a-41c7-7d10-9a55-3f0f4f6b1c22.jsonl"
PAGINATED = DAY / "rollout-2026-11-29T12-16-40-019e3011-0aa1-7b20-8d11-5a6b7c8d9e0f.paginated.jsonl"


def record(kind: str, **payload: Any) -> dict[str, Any]:
    """One line of a rollout."""
    return {"timestamp": "2026-11-29T09:00:00.000Z", "type": kind, "payload": payload}


def message(role: str, text: str, **fields: Any) -> dict[str, Any]:
    """A message item."""
    return record("response_item", type="message", role=role, content=[{"type": "input_text", "text": text}], **fields)


META = record("session_meta", id="s1", cwd="/home/dev/orderly", git={"branch": "main"})


@pytest.mark.parametrize("path", [LEGACY, PAGINATED])
def test_both_kinds_of_history_tell_the_same(path: Path) -> None:
    made = drafts("codex", path)
    assert told(made) == [
        (Kind.PROMPT, "Add a `--since` flag to `orderly export` and test it."),
        (Kind.COMMAND, "$ rg -n 'def export' src"),
        (Kind.EDIT, "src/orderly/export.py +1 −1"),
        (Kind.ERROR, "$ uv run pytest -q"),
        (Kind.TOOL_USE, 'github create_issue {"owner": "example-org", "repo": "orderly", "title": "export: since"}'),
        (Kind.SEARCH, "WebSearch argparse date type (0 results)"),
        (Kind.RESPONSE, "Added --since to orderly export and a test; all pass."),
        (Kind.LIFECYCLE, "PostCompact (auto)"),
        (Kind.PROMPT, "ドキュメントも更新して 📝"),
    ]
    assert {draft.branch for draft in made} == {"main"} and {draft.cwd for draft in made} == {"/home/dev/orderly"}


def test_an_exit_code_is_known_and_the_lines_around_the_output_are_gone() -> None:
    search, failing = drafts("codex", LEGACY)[1], drafts("codex", LEGACY)[3]
    assert search.text == "$ rg -n 'def export' src\nsrc/orderly/export.py:12:def export(path):"
    assert search.detail["exit_code"] == 0 and failing.detail["exit_code"] == 1
    assert "Chunk ID" not in failing.text


def test_output_that_looks_like_a_failure_is_none_where_the_exit_code_says_so(tmp_path: Path) -> None:
    call = record("response_item", type="function_call", name="exec_command", arguments='{"cmd": "make"}', call_id="c1")
    said = "Process exited with code 0\nOutput:\nValueError: old log\n"
    result = record("response_item", type="function_call_output", call_id="c1", output=said)
    path = write(tmp_path / "rollout-1.jsonl", [META, message("user", "go"), call, result])
    last = drafts("codex", path)[-1]
    assert last.kind == Kind.COMMAND and last.detail["exit_code"] == 0 and "error" not in last.detail


def test_scaffolding_and_injected_context_are_no_prompts(tmp_path: Path) -> None:
    passed = {"content_item_kinds": ["hooks.additional_context"], "turn_id": "t1"}
    path = write(
        tmp_path / "rollout-1.jsonl",
        [
            META,
            message("developer", "## Memory"),
            message("user", "<environment_context>\n</environment_context>"),
            message("user", "## Memory of ours", internal_chat_message_metadata_passthrough=passed),
            message("user", "go"),
        ],
    )
    assert told(drafts("codex", path)) == [(Kind.PROMPT, "go")]
    assert "INJECTED" not in str(drafts("codex", RECORDED / "codex.transcript.jsonl"))


def test_every_recorded_hook_event_has_its_key_in_the_recorded_rollout() -> None:
    payloads = [json.loads(line) for line in (RECORDED / "codex.hooks.jsonl").read_text("utf-8").splitlines()]
    live = [made for payload in payloads if (made := capture.normalise("codex", payload, 1)) and has_id(made)]
    assert {draft.key for draft in live} == {
        draft.key for draft in drafts("codex", RECORDED / "codex.transcript.jsonl")
    }


def test_a_rollout_without_turn_records_still_has_turns(tmp_path: Path) -> None:
    said = record("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "done"}])
    path = write(tmp_path / "rollout-1.jsonl", [META, message("user", "one"), said, message("user", "two")])
    assert told(drafts("codex", path)) == [(Kind.PROMPT, "one"), (Kind.RESPONSE, "done"), (Kind.PROMPT, "two")]


def test_bare_items_of_the_oldest_rollouts_are_read(tmp_path: Path) -> None:
    bare = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
    shell = {
        "type": "function_call", "name": "shell", "call_id": "c1",
        "arguments": json.dumps({"command": ["bash", "-lc", "ls src"]}),
    }  # fmt: skip
    output = json.dumps({"output": "a\n", "metadata": {"exit_code": 0}})
    result = {"type": "function_call_output", "call_id": "c1", "output": output}
    path = write(tmp_path / "rollout-1.jsonl", [bare, shell, result])
    assert told(drafts("codex", path)) == [(Kind.PROMPT, "go"), (Kind.COMMAND, "$ ls src")]


def test_a_sub_agents_rollout_belongs_to_the_session_that_started_it(tmp_path: Path) -> None:
    meta = record("session_meta", id="child", parent_thread_id="s1", cwd="/home/dev/orderly")
    done = record("event_msg", type="task_complete", turn_id="t9", last_agent_message="found it")
    path = write(tmp_path / "rollout-2.jsonl", [meta, message("user", "look"), done])
    assert [(one.session, one.parent, one.text) for one in drafts("codex", path)] == [("s1", "child", "found it")]


def test_a_grown_rollout_is_told_from_its_open_turn_on_with_who_and_where(tmp_path: Path) -> None:
    start = record("event_msg", type="task_started", turn_id="t1")
    path, tally = write(tmp_path / "rollout-1.jsonl", [META, start, message("user", "go")]), Tally()
    assert told(step.draft for step in steps("codex", path, 0, tally)) == [(Kind.PROMPT, "go")]
    done = record("event_msg", type="task_complete", turn_id="t1", last_agent_message="done")
    write(path, [META, start, message("user", "go"), done])
    again = [step.draft for step in steps("codex", path, tally.resume)]
    assert told(again) == [(Kind.PROMPT, "go"), (Kind.RESPONSE, "done")]
    assert {(draft.session, draft.cwd, draft.branch) for draft in again} == {("s1", "/home/dev/orderly", "main")}
