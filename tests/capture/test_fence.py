"""What we hand to an agent is known again in every form it comes back in."""

from __future__ import annotations

import html
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_memory import capture
from tui_memory.capture import fence

INSIDE = "#12 2d decision Money is Decimal (cost 80)"
FENCED = fence.wrap(INSIDE)


@pytest.mark.parametrize(
    "form",
    [
        FENCED,
        html.escape(FENCED),
        html.escape(html.escape(FENCED)),
        json.dumps(FENCED)[1:-1],
        json.dumps(json.dumps(FENCED)[1:-1])[1:-1],
        FENCED.replace("<", "\\u003c").replace(">", "\\u003e"),
        f"<hook_context>{html.escape(FENCED)}</hook_context>",
        f"<system-reminder>\nSessionStart hook additional context: {FENCED}\n</system-reminder>",
        FENCED.upper(),
    ],
)
def test_every_stored_form_is_stripped(form: str) -> None:
    assert fence.strip(f"before {form} after").split() == ["before", "after"]


def test_a_passage_cut_short_goes_to_the_end() -> None:
    assert fence.strip("before\n" + FENCED[:-30]) == "before"


def test_writing_about_it_is_not_stripped() -> None:
    text = "Does <tui-memory> work, or </tui-memory>?"
    assert fence.strip(text) == text


@given(st.text(alphabet="<>/&;ltg tui-memory\n\\u003c", max_size=80))
def test_nothing_inside_can_close_the_fence(text: str) -> None:
    wrapped = fence.wrap(text + fence.CLOSE + fence.CLOSE.upper() + "< / tui-memory >")
    assert fence.strip(f"a{wrapped}b") == "ab"


def test_a_prompt_that_repeats_the_context_is_only_what_was_asked() -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": f"{FENCED}\nfix the total"}
    made = capture.normalise("claude-code", payload, 7)
    assert made is not None and made.text == "fix the total"


def test_a_long_context_is_cut_at_a_line_and_closed() -> None:
    cut = fence.fit(fence.wrap("\n".join(f"#{n} line" for n in range(5000))), 1000)
    assert len(cut) <= 1000 and cut.endswith(fence.CLOSE) and "line\n" + fence.CLOSE in cut


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_only_start_and_prompt_are_answered(agent: str) -> None:
    said = json.loads(capture.answer(agent, "SessionStart", FENCED))
    assert said == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": FENCED}}
    assert capture.answer(agent, "UserPromptSubmit", FENCED)
    for event in ("Stop", "SubagentStop", "PostToolUse", "SessionEnd", "PreCompact"):
        assert capture.answer(agent, event, FENCED) == b""
    assert capture.answer(agent, "SessionStart", "") == b"" == capture.answer("git", "SessionStart", FENCED)
