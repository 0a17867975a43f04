"""What OpenCode's events become, as our plugin hands them over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.capture.payloads import draft, maybe, payload, recorded
from tui_memory.model import Kind

AGENT = "opencode"


def prompt(text: str) -> str:
    """What is kept of a prompt's text."""
    value = payload(AGENT, "chat.message")
    value["output"]["parts"][0]["text"] = text
    return draft(AGENT, value).text


def test_a_recorded_session_is_told_in_kinds() -> None:
    made = recorded(AGENT)
    assert [str(one.kind) for one in made] == ["prompt", "read", "edit", "error"]
    assert made[0].text == "Add an order store" and made[3].detail["exit_code"] == 4
    assert made[1].text == "Read orderly/models.py (14 lines)"
    assert made[2].text.startswith("orderly/store.py +8 −0\n") and made[2].detail["created"] is True


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('"Add a \\"store\\""', 'Add a "store"'),
        ('"one" and "two"', '"one" and "two"'),
        ('"', '"'),
        ("Say “hello”", "Say “hello”"),
    ],
)
def test_a_prompt_from_the_command_line_comes_without_its_quotes(text: str, kept: str) -> None:
    assert prompt(text) == kept


def test_what_the_program_added_to_a_prompt_is_not_the_prompt() -> None:
    made = draft(AGENT, "chat.message.unicode_with_synthetic")
    assert made.text == "在庫がマイナスになる 📉" and made.starts_turn and made.wants_context == "prompt"


def test_a_prompt_that_is_only_a_picture_is_told_by_its_name() -> None:
    value = payload(AGENT, "chat.message.unicode_with_synthetic")
    del value["output"]["parts"][0]
    assert draft(AGENT, value).text == "[graph.png]"


def test_a_failing_command_is_known_by_its_metadata() -> None:
    made = draft(AGENT, "tool.execute.after.bash_exit1")
    assert made.kind == Kind.ERROR and made.detail["exit_code"] == 1 and made.detail["error"] == "1 failed"
    value = payload(AGENT, "tool.execute.after.bash")
    value["output"]["metadata"]["exit"] = None
    assert "exit_code" not in draft(AGENT, value).detail


def test_a_tool_that_threw_is_told_by_its_part() -> None:
    made = draft(AGENT, "event.message.part.updated.tool_error")
    assert made.kind == Kind.ERROR and made.files == ["nope.py"]


def test_both_ways_of_telling_a_call_are_one_event() -> None:
    after = draft(AGENT, "tool.execute.after.edit")
    part = draft(AGENT, "event.message.part.updated.tool_completed")
    assert after.key and after.key == part.key and after.kind == part.kind == Kind.EDIT


def patched(files: dict[str, Any]) -> dict[str, Any]:
    """A call of the patch tool."""
    value = payload(AGENT, "tool.execute.after.edit")
    value["input"] |= {"tool": "apply_patch", "args": files}
    return value


def test_a_patch_is_an_edit_of_its_files() -> None:
    text = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Delete File: src/b.py\n*** End Patch\n"
    made = draft(AGENT, patched({"patchText": text}))
    assert made.kind == Kind.EDIT and made.files == ["src/a.py", "src/b.py"] and made.detail["deleted"] == ["src/b.py"]


def test_a_sessions_rest_ends_the_turn_with_what_was_said() -> None:
    silent = draft(AGENT, "event.session.idle")
    assert silent.ends_turn and silent.light
    made = draft(AGENT, "event.session.idle", text="Done.", prompt="msg_1")
    assert (made.kind, made.text, made.ends_turn) == (Kind.RESPONSE, "Done.", True)
    assert made.key != draft(AGENT, "event.session.idle", text="Done.", prompt="msg_2").key


def test_a_sub_agents_session_is_part_of_the_one_that_started_it() -> None:
    made = draft(AGENT, "tool.execute.after.bash", parent="ses_above")
    assert (made.session, made.parent) == ("ses_above", "ses_4f1c9a2b7ffeOrderly01")
    asked, rest = (draft(AGENT, name, parent="ses_above") for name in ("chat.message", "event.session.idle"))
    assert not asked.starts_turn and asked.wants_context == "" and not rest.ends_turn


def test_a_session_starts_takes_context_and_ends() -> None:
    start = draft(AGENT, "event.session.created")
    assert start.starts_session and start.wants_context == "start" and start.key
    end = draft(AGENT, {"v": 1, "agent": AGENT, "hook": "dispose", "input": {"sessionID": "ses_1"}})
    assert end.ends_session and end.session == "ses_1"


def test_a_turn_that_broke_off_is_an_error_and_one_that_was_stopped_is_none() -> None:
    broken = draft(AGENT, "event.session.error")
    assert broken.kind == Kind.ERROR and broken.ends_turn and broken.detail["error"] == "429 Too Many Requests"
    value = payload(AGENT, "event.session.error")
    value["event"]["properties"]["error"] = {"name": "MessageAbortedError", "data": {"message": "x"}}
    assert draft(AGENT, value).kind == Kind.LIFECYCLE


@pytest.mark.parametrize(
    "name",
    [
        "tool.execute.before", "permission.ask", "experimental.chat.system.transform", "event.session.updated",
        "event.session.status", "event.file.edited", "event.todo.updated", "event.message.updated.user",
    ],
)  # fmt: skip
def test_what_other_events_tell_is_not_kept(name: str) -> None:
    assert maybe(AGENT, payload(AGENT, name)) is None


def test_outside_of_a_repository_the_root_is_no_project() -> None:
    assert draft(AGENT, "event.session.idle", worktree="/").project_dir == ""
