"""What holds for the adapters of all agents: they take whatever comes, and answer only in the agent's own form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.capture.payloads import FIXTURES, maybe, names, payload
from tui_memory import capture
from tui_memory.capture import fence
from tui_memory.model import Draft

AGENTS = ("claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode")
EVERY = [(agent, name) for agent in AGENTS for name in names(agent)]


@pytest.mark.parametrize(("agent", "name"), EVERY)
def test_every_documented_payload_becomes_a_draft_that_can_be_stored_or_nothing(agent: str, name: str) -> None:
    value = payload(agent, name)
    made = maybe(agent, value)
    if made is not None:
        assert made.agent == agent and json.dumps(made.detail)
        assert made.text.strip() or made.light or "prompt" not in value


def broken(value: Any, instead: Any) -> list[Any]:
    """The payload with each of its fields, at every depth, replaced in turn."""
    found = []
    if isinstance(value, dict):
        for key in value:
            found += [value | {key: instead}, *(value | {key: part} for part in broken(value[key], instead))]
    return found


@pytest.mark.parametrize("agent", ["gemini-cli", "cursor", "copilot", "opencode"])
@pytest.mark.parametrize("instead", [None, 7, "x", [], {}, [None], {"a": None}, True], ids=repr)
def test_no_odd_field_is_too_much_for_it(agent: str, instead: Any) -> None:
    for name in names(agent):
        for value in broken(payload(agent, name), instead):
            made = maybe(agent, value)
            assert made is None or isinstance(made, Draft)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_empty_or_unknown_event_is_a_light_one(agent: str) -> None:
    for value in ({}, {"hook_event_name": "BrandNew", "hook": "brand.new"}):
        made = maybe(agent, value)
        assert made is None or made.light


FORMS = {
    ("claude-code", "SessionStart"), ("claude-code", "UserPromptSubmit"),
    ("codex", "SessionStart"), ("codex", "UserPromptSubmit"),
    ("gemini-cli", "SessionStart"), ("gemini-cli", "BeforeAgent"),
    ("cursor", "sessionStart"), ("copilot", "sessionStart"),
    ("opencode", "session.created"), ("opencode", "chat.message"),
}  # fmt: skip


@pytest.mark.parametrize(("agent", "event"), sorted(FORMS))
def test_context_is_given_in_the_agents_own_form(agent: str, event: str) -> None:
    given = json.loads(capture.answer(agent, event, fence.wrap("é‘ notes")))
    file = FIXTURES / "_outputs" / f"{agent}.{event}.context.json"
    documented = json.loads(file.read_text()) if file.exists() else {"system": []}
    assert set(given) <= set(documented)
    inside = given.get("hookSpecificOutput", given)
    assert "notes" in json.dumps(inside) and set(inside) <= set(documented.get("hookSpecificOutput", documented))


def test_copilot_takes_a_prompts_context_as_a_part_of_the_prompt() -> None:
    value = payload("copilot", "userPromptTransformed")
    sent = json.dumps(value).encode()
    given = json.loads(capture.answer("copilot", "userPromptTransformed", fence.wrap("notes"), sent))
    assert set(given) == {"modifiedTransformedPrompt"}
    assert given["modifiedTransformedPrompt"] == f"{value['transformedPrompt']}\n\n{fence.wrap('notes')}"
    for odd in (b"", b"[]", b"{}", b"{", b'{"transformedPrompt": 7}'):  # the prompt itself must never be lost
        assert capture.answer("copilot", "userPromptTransformed", "notes", odd) == b""


@pytest.mark.parametrize("agent", AGENTS)
def test_no_other_event_is_answered(agent: str) -> None:
    for name in names(agent):
        value = payload(agent, name)
        event = str(value.get("hook_event_name") or value.get("event", {}).get("type") or value.get("hook"))
        if (agent, event) not in FORMS and event != "SessionStart":
            assert capture.answer(agent, event, "notes") == b""
        assert capture.answer(agent, event, "") == b""


@pytest.mark.parametrize("agent", AGENTS)
def test_a_start_can_be_answered_by_one_name(agent: str) -> None:
    assert b"notes" in capture.answer(agent, "SessionStart", "notes")
