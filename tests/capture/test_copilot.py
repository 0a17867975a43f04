"""What Copilot CLI's events become, in both of its dialects."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.capture.payloads import draft, maybe, payload, recorded
from tui_memory.clock import now_ms
from tui_memory.model import Draft, Kind

AGENT = "copilot"


def ran(said: str, **changes: Any) -> Draft:
    """The draft of a command with a result that Copilot calls a success."""
    return draft(AGENT, "postToolUse.bash", toolResult={"resultType": "success", "textResultForLlm": said}, **changes)


def test_a_recorded_session_is_told_in_kinds() -> None:
    made = recorded(AGENT)
    assert [str(one.kind) for one in made] == [
        "lifecycle", "prompt", "command", "edit", "error", "lifecycle", "lifecycle",
    ]  # fmt: skip
    assert made[4].detail["error"] == "ValueError: could not convert string to float: 'abc'"
    assert made[5].ends_turn and made[6].ends_session


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("<shellId: 1 completed with exit code 3>", 3),
        ("<shellId: a b 7 completed with exit code 127>\n", 127),
        ("<exited with exit code 2>", 2),
    ],
)
def test_a_failing_command_is_known_by_its_last_line(end: str, code: int) -> None:
    made = ran(f"tsc: cannot find name 'Paid'\n{end}")
    assert made.kind == Kind.ERROR and made.detail["exit_code"] == code
    assert made.detail["error"] == "tsc: cannot find name 'Paid'" and "shellId" not in made.text


def test_a_command_that_worked_does_not_keep_the_line_either() -> None:
    made = ran("12 passing\n<shellId: 0 completed with exit code 0>")
    assert (made.kind, made.text, made.detail["exit_code"]) == (Kind.COMMAND, "$ npm test\n12 passing", 0)


def test_success_is_not_claimed_where_nothing_says_so() -> None:
    assert "exit_code" not in ran("still running in the background").detail


def test_a_tool_that_failed_or_was_refused() -> None:
    failed, denied = draft(AGENT, "postToolUseFailure"), draft(AGENT, "postToolUse.denied")
    assert failed.kind == Kind.ERROR and "cannot find name" in failed.detail["error"]
    assert denied.kind == Kind.COMMAND and denied.detail["interrupted"] is True


def test_arguments_may_be_a_string() -> None:
    assert draft(AGENT, "postToolUse.args_string").files == ["src/webhooks.ts"]


def test_a_session_takes_context_and_a_prompt_takes_none() -> None:
    assert draft(AGENT, "sessionStart").wants_context == "start"
    prompt = draft(AGENT, "userPromptSubmitted")
    assert prompt.starts_turn and prompt.wants_context == ""


def test_both_dialects_tell_one_event() -> None:
    ours = draft(AGENT, "postToolUse.bash", timestamp=1796030412000)
    value = {
        "hook_event_name": "PostToolUse",
        "session_id": ours.session,
        "timestamp": "2026-11-30T09:20:12.000Z",
        "cwd": "/home/dev/orderly",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test", "description": "Run tests"},
        "tool_result": {
            "result_type": "success",
            "text_result_for_llm": "12 passing (1s)\n<exited with exit code 0>",
        },
    }
    for agent in (AGENT, "claude-code"):  # Copilot also runs what stands in Claude Code's settings
        theirs = draft(agent, value)
        assert theirs.agent == AGENT and theirs.key == ours.key and theirs.text == ours.text


def test_events_that_say_the_same_are_two() -> None:
    assert draft(AGENT, "postToolUse.bash").key != draft(AGENT, "postToolUse.bash", timestamp=1796030412001).key


def session_file(tmp_path: Path, *records: dict[str, Any]) -> str:
    """A session's events, as Copilot writes them."""
    file = tmp_path / "session-state" / payload(AGENT, "agentStop")["sessionId"] / "events.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(file)


def said(content: str, kind: str = "assistant.message", **more: Any) -> dict[str, Any]:
    """One record of a message."""
    return {"type": kind, "data": {"content": content}, **more}


def test_the_closing_message_is_read_from_the_sessions_file(tmp_path: Path) -> None:
    path = session_file(
        tmp_path,
        said("Do it", "user.message"),
        said("Looking."),
        said("Done."),
        said("of a sub-agent", agentId="a"),
        {"type": "hook.start", "data": {"content": "no"}},
    )
    made = draft(AGENT, "agentStop", transcriptPath=path)
    assert (made.kind, made.text, made.ends_turn) == (Kind.RESPONSE, "Done.", True)


@pytest.mark.parametrize("begun", [True, False], ids=["behind", "not yet there"])
def test_a_file_that_is_a_moment_behind_is_waited_for(tmp_path: Path, begun: bool) -> None:
    path, stamp = session_file(tmp_path, said("Do it", "user.message")), now_ms()
    if not begun:
        os.unlink(path)

    def flush() -> None:
        with open(path, "a") as file:
            file.write(
                json.dumps(said("Done.")) + f'\n{{"type":"hook.start","data":{{"input":{{"timestamp":{stamp}}}}}}}\n'
            )

    late = threading.Timer(0.05, flush)
    late.start()
    assert draft(AGENT, "agentStop", transcriptPath=path, timestamp=stamp).text == "Done."
    late.join()


def test_a_turn_without_words_does_not_take_those_of_the_turn_before(tmp_path: Path) -> None:
    path = session_file(tmp_path, said("Done."), said("And now?", "user.message"), said(""))
    made = draft(AGENT, "agentStop", transcriptPath=path)
    assert made.kind == Kind.LIFECYCLE and made.ends_turn


def test_no_other_file_is_read(tmp_path: Path) -> None:
    path = Path(session_file(tmp_path, said("Done.")))
    elsewhere = tmp_path / "events.jsonl"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    for name in (str(path), str(elsewhere), "/etc/passwd", "\0", f"\0{path}", str(path) + "x"):
        assert draft(AGENT, "agentStop", transcriptPath=name).kind == Kind.LIFECYCLE


def test_a_sub_agents_end_does_not_end_the_turn() -> None:
    made = draft(AGENT, "subagentStop")
    assert made.parent == "agent-7" and not made.ends_turn and made.text == "Webhooks live in src/webhooks.ts"


@pytest.mark.parametrize("name", ["preToolUse.edit", "preMcpToolCall", "subagentStart"])
def test_what_other_events_tell_is_not_kept(name: str) -> None:
    assert maybe(AGENT, payload(AGENT, name)) is None


def test_an_error_of_the_agents_own_is_kept() -> None:
    assert draft(AGENT, "errorOccurred").detail["error"] == "model call timed out"
