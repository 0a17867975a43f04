"""What Cursor's events become."""

from __future__ import annotations

import pytest

from tests.capture.payloads import draft, maybe, names, payload
from tui_memory.model import Kind

AGENT = "cursor"


def test_a_prompt_starts_a_turn_and_takes_no_context() -> None:
    made = draft(AGENT, "beforeSubmitPrompt.null_email_no_transcript")
    assert made.kind == Kind.PROMPT and made.starts_turn and made.wants_context == "" and made.text == "hi"
    assert draft(AGENT, "sessionStart").wants_context == "start"


def test_an_attached_file_is_named_but_does_not_decide_whether_the_prompt_is_ignored() -> None:
    made = draft(AGENT, "beforeSubmitPrompt.attachments_older_camel")
    assert made.files == [] and made.detail["attached"] == ["/home/dev/orderly/src/orderly/invoice.py"]


def test_the_answer_and_the_end_of_the_turn_are_two_events() -> None:
    answer, stop = draft(AGENT, "afterAgentResponse"), draft(AGENT, "stop")
    assert answer.kind == Kind.RESPONSE and not answer.ends_turn
    assert stop.ends_turn and stop.light and stop.text == "Turn ended (completed)"


def test_a_result_is_json_in_a_string() -> None:
    made = draft(AGENT, "postToolUse.Shell")
    assert (made.kind, made.text, made.detail["exit_code"], made.detail["ms"]) == (
        Kind.COMMAND, "$ npm test\n12 passing", 0, 5432,
    )  # fmt: skip
    assert draft(AGENT, "postToolUse.output_not_json").kind == Kind.SEARCH


def test_a_failing_command_is_known_by_its_exit_code() -> None:
    made = draft(AGENT, "postToolUse.Shell", tool_output='{"exitCode":2,"stdout":"","stderr":"sh: x: not found"}')
    assert made.kind == Kind.ERROR and made.detail["exit_code"] == 2 and made.detail["error"] == "sh: x: not found"
    assert draft(AGENT, "postToolUseFailure").detail["error"] == "Command timed out after 30s"


def test_edits_are_small_diffs() -> None:
    assert draft(AGENT, "postToolUse.Write").text == "src/orderly/vat.py +1 −0\n+RATE = 0.2"
    made = draft(AGENT, "afterFileEdit")
    assert made.text == "src/orderly/invoice.py +2 −1\n-vat = 0\n+vat = line.vat\n+# VAT per line"


def test_the_folder_is_the_workspaces_not_the_processs() -> None:
    made = maybe(AGENT, payload(AGENT, "stop"), cwd="/home/dev/.cursor")
    assert made is not None and made.cwd == made.project_dir == "/home/dev/orderly"
    assert draft(AGENT, "afterFileEdit.windows").files == ["src/invoice.ts"]


def test_a_version_without_the_general_events_is_told_by_its_own() -> None:
    made = draft(AGENT, "cli_minimal")
    assert (made.kind, made.text) == (Kind.COMMAND, "$ ls\nsrc") and "exit_code" not in made.detail
    assert draft(AGENT, "afterMCPExecution").tool == "mcp__mcp__create_issue"


@pytest.mark.parametrize("name", [name for name in names(AGENT) if name.startswith(("before", "pre"))])
def test_what_comes_before_an_action_is_not_kept(name: str) -> None:
    if not name.startswith(("beforeSubmitPrompt", "preCompact")):
        assert maybe(AGENT, payload(AGENT, name)) is None


def test_the_persons_address_is_nowhere() -> None:
    made = [maybe(AGENT, payload(AGENT, name)) for name in names(AGENT)]
    assert not any("dev@example.com" in str(one) for one in made)


def test_an_event_through_claude_codes_settings_is_the_same_event() -> None:
    for name in ("postToolUse.Shell", "beforeSubmitPrompt.null_email_no_transcript", "stop", "sessionStart"):
        ours, theirs = draft(AGENT, name), draft("claude-code", payload(AGENT, name))
        assert theirs.agent == AGENT and ours.key == theirs.key != ""


def test_it_is_the_same_event_under_claude_codes_names_for_it() -> None:
    ours = draft(AGENT, "postToolUse.Shell")
    theirs = draft("claude-code", payload(AGENT, "postToolUse.Shell", hook_event_name="PostToolUse", tool_name="Bash"))
    assert (theirs.agent, theirs.key, theirs.text) == (AGENT, ours.key, ours.text)


def test_one_prompt_in_two_turns_is_two_events() -> None:
    name = "beforeSubmitPrompt.null_email_no_transcript"
    assert draft(AGENT, name).key != draft(AGENT, name, generation_id="another").key
