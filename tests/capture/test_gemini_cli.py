"""What Gemini CLI's events become."""

from __future__ import annotations

from typing import Any

import pytest

from tests.capture.payloads import draft, maybe, names, payload, recorded
from tui_memory.capture import gemini_cli
from tui_memory.model import Kind

AGENT = "gemini-cli"


def test_a_recorded_session_is_told_in_kinds() -> None:
    made = recorded(AGENT)
    assert [str(one.kind) for one in made] == [
        "lifecycle", "prompt", "read", "command", "edit", "response", "lifecycle",
    ]  # fmt: skip
    assert made[1].text == "Write down how to set up the project"
    assert made[4].text.startswith("CONTRIBUTING.md +3 −0\n") and made[4].detail["created"] is True
    assert made[5].ends_turn and made[6].ends_session


def test_a_session_and_a_prompt_take_context() -> None:
    start, prompt = draft(AGENT, "SessionStart.startup"), draft(AGENT, "BeforeAgent")
    assert start.starts_session and start.wants_context == "start"
    assert prompt.kind == Kind.PROMPT and prompt.starts_turn and prompt.wants_context == "prompt"


@pytest.mark.parametrize(
    "prompt",
    [
        "<hook_context>&lt;tui-memory note=&quot;x&quot;&gt;old&lt;/tui-memory&gt;</hook_context>\n\nWhy?",
        "<hook_context>one</hook_context>\n<hook_context>two</hook_context>\n\nWhy?",
        "Why?\n<hook_context>behind it</hook_context>",
        "Why?\n\n<hook_context>cut off",
    ],
)
def test_what_hooks_put_around_a_prompt_is_not_the_prompt(prompt: str) -> None:
    assert draft(AGENT, "BeforeAgent", prompt=prompt).text == "Why?"


def test_a_prompt_that_is_all_context_is_none() -> None:
    assert maybe(AGENT, payload(AGENT, "BeforeAgent", prompt="<hook_context>x</hook_context>\n")) is None


def test_a_person_may_write_about_the_tag() -> None:
    asked = "What does <hook_context> mean in the prompt?"
    assert draft(AGENT, "BeforeAgent", prompt=asked).text == asked


def command(said: str, **more: Any) -> Any:
    """The draft of a shell command with a result."""
    response = {"llmContent": f"<untrusted_context>\n{said}\n</untrusted_context>", "returnDisplay": ""} | more
    return draft(AGENT, "AfterTool.run_shell_command", tool_response=response)


def test_a_failing_command_is_known_by_its_exit_code() -> None:
    made = command(
        "Output: hello\nTraceback (most recent call last):\nImportError: no\nExit Code: 1\nProcess Group PGID: 5"
    )
    assert made.kind == Kind.ERROR and made.detail["exit_code"] == 1 and made.detail["error"] == "ImportError: no"
    assert made.text == "$ uv run pytest -q\nExit code 1\nhello\nTraceback (most recent call last):\nImportError: no"


def test_a_command_that_worked_keeps_only_its_output() -> None:
    made = command("Output: Exit Code: 3 is what the old one said\nfine\nBackground PIDs: 1, 2\nProcess Group PGID: 5")
    assert made.kind == Kind.COMMAND and made.detail["exit_code"] == 0
    assert made.text == "$ uv run pytest -q\nExit Code: 3 is what the old one said\nfine"
    assert command("Output: (empty)\nProcess Group PGID: 5").text == "$ uv run pytest -q"


def test_an_error_of_a_tool_is_an_error() -> None:
    made = draft(AGENT, "AfterTool.shell_failure")
    assert made.kind == Kind.ERROR and made.detail["error"] == "Command exited with code: 1"
    told = {"llmContent": "Could not find it", "error": {"message": "Could not find it", "type": "edit_no_occurrence"}}
    made = draft(AGENT, "AfterTool.replace", tool_response=told)
    assert made.kind == Kind.ERROR and made.files == ["src/orderly/payments.py"]


def test_an_edit_is_a_small_diff_without_the_whole_file() -> None:
    made = draft(AGENT, "AfterTool.replace")
    assert made.text == "src/orderly/payments.py +1 −1\n@@ 1 @@\n-RETRIES = 3\n+RETRIES = 4"
    assert (made.detail["added"], made.detail["removed"]) == (1, 1)


def test_reads_and_searches_are_light() -> None:
    read, search = draft(AGENT, "AfterTool.read_file"), draft(AGENT, "AfterTool.grep_search")
    assert read.light and read.text == "Read src/orderly/payments.py (5 lines)" and "charge" not in str(read)
    assert search.light and search.kind == Kind.SEARCH and search.detail["pattern"] == "RETRIES"


def test_a_tool_of_a_server_is_named_by_its_server() -> None:
    made = draft(AGENT, "AfterTool.mcp")
    assert made.tool == "mcp__github__create_issue" and made.detail["server"] == "github"


def test_two_events_that_say_the_same_are_two_and_one_delivered_again_is_one() -> None:
    first, again = draft(AGENT, "AfterTool.run_shell_command"), draft(AGENT, "AfterTool.run_shell_command")
    later = draft(AGENT, "AfterTool.run_shell_command", timestamp="2026-11-29T09:20:11.483Z")
    assert first.key and first.key == again.key != later.key
    assert draft(AGENT, "AfterTool.run_shell_command", timestamp=None).key == ""


@pytest.mark.parametrize("event", ["BeforeTool", "BeforeModel", "AfterModel", "BeforeToolSelection", "Notification"])
def test_what_other_events_tell_is_not_kept(event: str) -> None:
    assert all(maybe(AGENT, payload(AGENT, name)) is None for name in names(AGENT) if name.split(".")[0] == event)


def test_only_a_compression_that_a_person_asked_for_is_told() -> None:
    assert maybe(AGENT, payload(AGENT, "PreCompress.auto")) is None
    assert draft(AGENT, "PreCompress.manual").text == "PreCompact (manual)"


def test_a_long_output_is_taken_apart_quickly() -> None:
    said = "Output: " + "Exit Code: x\n" * 50_000
    assert gemini_cli.exit_code(said) == 0 and gemini_cli.output_of(said)
