"""What Claude Code's events become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_memory import capture
from tui_memory.errors import UsageError
from tui_memory.model import Draft, Kind

FIXTURES = Path(__file__).parent.parent / "fixtures"
FOLDER = "/home/dev/orderly"


def payload(name: str, **changes: Any) -> dict[str, Any]:
    """A documented payload by its file's name, with some fields changed."""
    value: dict[str, Any] = json.loads((FIXTURES / "claude-code" / f"{name}.json").read_text())
    return value | changes


def draft(name: str, **changes: Any) -> Draft:
    """The draft of a documented payload."""
    made = capture.normalise("claude-code", payload(name, **changes), 7)
    assert made is not None
    return made


def test_a_prompt_starts_a_turn_and_takes_context() -> None:
    made = draft("UserPromptSubmit.missing_optional")
    assert (made.kind, made.text) == (Kind.PROMPT, "why is the test red?")
    assert made.starts_turn and made.wants_context == "prompt" and made.time == 7


def test_a_session_starts_and_ends() -> None:
    start, end = draft("SessionStart.startup"), draft("SessionEnd.clear")
    assert start.starts_session and start.wants_context == "start"
    assert end.ends_session and end.ends_turn and end.text == "Session ended (clear)"


def test_a_read_and_a_search_are_light_with_path_and_counts() -> None:
    read, search = draft("PostToolUse.Read.partial"), draft("PostToolUse.Grep.files")
    assert (read.kind, read.text, read.files, read.light) == (
        Kind.READ,
        "Read CHANGELOG.md (3 of 410 lines)",
        ["CHANGELOG.md"],
        True,
    )
    assert "Totals use Decimal" not in str(read)
    assert (search.kind, search.text, search.light) == (Kind.SEARCH, "Grep Decimal in *.py (2 files)", True)
    assert search.files == ["src/orderly/models.py", "tests/test_totals.py"]


def test_a_command_keeps_what_was_run_what_it_said_and_that_it_worked() -> None:
    made = draft("PostToolUse.Bash")
    assert made.kind == Kind.COMMAND
    assert made.text.startswith("$ uv run pytest -q tests/test_totals.py\n.") and made.text.endswith(
        "1 passed in 0.21s"
    )
    assert made.detail["exit_code"] == 0 and made.detail["description"] == "Run totals tests"


def test_a_background_command_has_not_worked_yet() -> None:
    assert "exit_code" not in draft("PostToolUse.Bash.background").detail


def test_a_commit_made_by_a_command_brings_sha_and_branch() -> None:
    made = draft("PostToolUse.Bash.git_commit")
    assert made.detail["sha"] == "4be1f20" and made.branch == "main"


def test_an_edit_is_a_small_diff_with_counts_and_without_the_whole_file() -> None:
    recorded = (FIXTURES / "recorded" / "claude-code.hooks.jsonl").read_text().splitlines()
    edits = [
        value
        for line in recorded
        if (value := json.loads(line)).get("tool_name") == "Edit" and "tool_response" in value
    ]
    made = capture.normalise("claude-code", edits[1], 7)
    assert made is not None and made.kind == Kind.EDIT and made.files == ["orderly/models.py"]
    assert made.text.splitlines()[0] == "orderly/models.py +2 −1"
    assert '+    @field_validator("total_cents")' in made.text and "raise ValueError" in made.text
    assert "from pydantic import BaseModel" not in str(made)


def test_an_edit_without_a_patch_is_told_from_old_and_new() -> None:
    value = payload("PostToolUse.windows_path", tool_response={"filePath": "x", "success": True})
    value["tool_input"] |= {"old_string": "a\nb\nc", "new_string": "a\nB\nB2\nc"}
    made = capture.normalise("claude-code", value, 7)
    assert made is not None
    assert made.text == "src/orderly/models.py +2 −1\n-b\n+B\n+B2" and made.files == ["src/orderly/models.py"]


@pytest.mark.parametrize(
    ("error", "line", "code"),
    [
        (
            "Exit code 1\nTraceback (most recent call last):\nImportError: PydanticImportError: x",
            "ImportError: PydanticImportError: x",
            1,
        ),
        (
            "Exit code 1\n...\nFAILED tests/test_a.py::test_b - KeyError: 'x'\n1 failed",
            "FAILED tests/test_a.py::test_b - KeyError: 'x'",
            1,
        ),
        (
            "Exit code 101\nerror[E0308]: mismatched types\n --> src/lib.rs:3:5\nerror: aborting",
            "error[E0308]: mismatched types",
            101,
        ),
        ("Exit code 2\nsrc/app.ts(3,7): error TS2322: Type 'a'\n", "src/app.ts(3,7): error TS2322: Type 'a'", 2),
        ("Exit code 127\nbash: uv: command not found", "bash: uv: command not found", 127),
        ("Exit code 3\nnothing that stands out", "nothing that stands out", 3),
        ("Exit code 1\nsrc/a.py:3:1: F401 `os` unused\nFound 1 error.", "src/a.py:3:1: F401 `os` unused", 1),
        ("Exit code 1\n  1) toast.spec.ts:9 › slides in\n  1 failed", "1) toast.spec.ts:9 › slides in", 1),
        ("Exit code 2\nsync: at 0042, needs 0043\nmake: *** [Makefile:6: x] Error 1", "sync: at 0042, needs 0043", 2),
        ("Exit code 1", "exit code 1", 1),
    ],
)
def test_a_failure_keeps_the_errors_own_line(error: str, line: str, code: int) -> None:
    made = draft("PostToolUseFailure.Bash", error=error)
    assert made.kind == Kind.ERROR and made.detail["error"] == line and made.detail["exit_code"] == code
    assert made.text.startswith("$ uv run pytest") and error in made.text


def test_what_a_person_stopped_is_no_error() -> None:
    made = draft("PostToolUseFailure.interrupted")
    assert made.kind == Kind.COMMAND and made.detail["interrupted"] is True


def test_the_closing_message_ends_the_turn() -> None:
    made = draft("Stop")
    assert made.kind == Kind.RESPONSE and made.ends_turn and made.text.startswith("I fixed `Order.total()`")
    assert made.wants_context == ""


def test_two_stops_of_one_prompt_are_two_events_and_a_repeated_one_is_one() -> None:
    first, again, other = draft("Stop"), draft("Stop"), draft("Stop", last_assistant_message="And more.")
    assert first.key == again.key != other.key


def test_a_sub_agent_neither_starts_nor_ends_a_turn() -> None:
    inside = draft("PostToolUse.subagent")
    end = draft("Stop", hook_event_name="SubagentStop", agent_id="a3f9")
    assert inside.parent and end.parent == "a3f9" and end.kind == Kind.RESPONSE and not end.ends_turn


@pytest.mark.parametrize("name", ["PreToolUse.Bash", "Notification.idle_prompt", "MessageDisplay", "PostToolBatch"])
def test_events_that_tell_nothing_new_are_left_out(name: str) -> None:
    assert capture.normalise("claude-code", payload(name), 7) is None


def test_an_unknown_event_is_a_light_trace() -> None:
    made = draft("Stop", hook_event_name="QuantumLeap", where="2031")
    assert (
        made.kind == Kind.LIFECYCLE and made.light and made.text.startswith("QuantumLeap") and "where=2031" in made.text
    )


def test_a_slash_command_is_what_was_asked() -> None:
    parts = ("message>review", "name>/review", "args>src")
    markup = "\n".join(f"<command-{part}</command-{part.split('>')[0]}>" for part in parts)
    made = draft("UserPromptSubmit", prompt=markup)
    assert made.text == "/review src" and made.detail["command"] == "/review" and made.kind == Kind.PROMPT


def test_a_local_commands_output_is_no_prompt() -> None:
    value = payload("UserPromptSubmit", prompt="<local-command-stdout>ok</local-command-stdout>")
    assert capture.normalise("claude-code", value, 7) is None


@pytest.mark.parametrize("source", ["system", "schedule_wakeup"])
def test_a_prompt_by_a_program_starts_no_turn(source: str) -> None:
    made = draft("UserPromptSubmit", prompt="wake up", source=source)
    assert made.kind == Kind.LIFECYCLE and made.light and not made.starts_turn and made.wants_context == ""


def test_our_own_answers_are_not_kept_again() -> None:
    tool = draft(
        "PostToolUse.mcp_string_response", tool_name="mcp__tui-memory__memory_get", tool_response="SECOND HAND"
    )
    shell = draft(
        "PostToolUse.Bash", tool_input={"command": "tui-memory show 12"}, tool_response={"stdout": "SECOND HAND"}
    )
    assert "SECOND HAND" not in str(tool) + str(shell) and tool.light


def test_pictures_and_whole_files_are_dropped_with_a_note() -> None:
    made = draft("PostToolUse.mcp_plugin_server")
    assert "[image dropped]" in made.text and "iVBOR" not in str(made)
    notebook = draft("PostToolUse.unknown_tool", tool_response={"base64": "QUJD" * 1000, "n": 1})
    assert "QUJDQUJD" not in notebook.text and "characters dropped" in notebook.text


def test_a_questions_answer_is_kept() -> None:
    asked = {"questions": [{"question": "Which database?", "header": "db"}]}
    said = {"answers": {"Which database?": "SQLite"}}
    made = draft("PostToolUse.unknown_tool", tool_name="AskUserQuestion", tool_input=asked, tool_response=said)
    assert "Which database?\n→ SQLite" in made.text


def test_the_project_folder_shortens_paths_before_the_working_directory_does() -> None:
    value = payload("PostToolUse.Read.partial", cwd=f"{FOLDER}/src")
    made = capture.normalise("claude-code", value, 7, project_dir=FOLDER)
    assert made is not None and made.files == ["CHANGELOG.md"] and made.project_dir == FOLDER


def test_a_hook_run_by_another_agent_says_whose_event_it_is() -> None:
    made = draft("PostToolUse.Bash", cursor_version="2.1", conversation_id="c-1")
    assert made.agent == "cursor" and made.kind == Kind.COMMAND


@pytest.mark.parametrize("wrong", [None, 3, [], "x", {"a": None}, [None, {"type": "image"}], True, float("inf")])
@pytest.mark.parametrize("field", ["tool_input", "tool_response", "tool_name", "cwd", "session_id", "prompt", "error"])
def test_no_odd_type_ever_stops_it(field: str, wrong: object) -> None:
    for name in ("PostToolUse.Bash", "PostToolUse.Read.partial", "PostToolUse.windows_path", "PostToolUseFailure.Bash"):
        made = draft(name, **{field: wrong})
        assert made.text.encode() is not None
    for name in (
        "UserPromptSubmit",
        "Stop",
        "PostToolUse.TodoWrite",
        "PostToolUse.WebSearch",
        "PostToolUse.Grep.count",
    ):
        made_of_it = capture.normalise("claude-code", payload(name, **{field: wrong}), 7)
        assert made_of_it is None or made_of_it.agent == "claude-code"


def test_lone_surrogates_and_nuls_become_storable() -> None:
    made = draft("UserPromptSubmit", prompt="a\ud83db \x00 \ud83d\ude00")
    assert made.text.encode() and "\x00" not in made.text and "😀" in made.text


def test_an_unknown_agent_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="claude-code"):
        capture.normalise("hal", {}, 7)
