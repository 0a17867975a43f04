"""Titles and descriptions of pull and merge requests that an agent's calls show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tui_memory import capture
from tui_memory.capture import pull_requests

VIEWED = (
    "title:\tVAT is rounded per rate\nstate:\tOPEN\nauthor:\trobin\nnumber:\t234\n"
    "url:\thttps://example.com/shop/orderly/pull/234\n--\nThe tax office rounds each rate.\n\nSee ADR 7.\n"
)
URL = "https://example.com/shop/orderly/pull/234"


def seen(tool: str, given: dict[str, Any], result: Any) -> dict[str, Any]:
    """The detail of the observation that a tool call becomes."""
    payload = {
        "hook_event_name": "PostToolUse", "session_id": "s", "tool_name": tool, "tool_input": given,
        "tool_response": result,
    }  # fmt: skip
    made = capture.normalise("claude-code", payload, 1)
    assert made is not None
    return made.detail


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        (
            "gh pr view 234",
            VIEWED,
            {
                "number": "#234",
                "title": "VAT is rounded per rate",
                "description": "The tax office rounds each rate.\n\nSee ADR 7.",
                "url": URL,
            },
        ),
        (
            "gh pr view 234 --json title,body,number",
            '{"title": "VAT", "body": "Why", "number": 234}',
            {"number": "#234", "title": "VAT", "description": "Why"},
        ),
        (
            'gh pr create --title "VAT per rate" --body "Each rate by itself."',
            f"Creating pull request\n{URL}\n",
            {"number": "#234", "title": "VAT per rate", "description": "Each rate by itself.", "url": URL},
        ),
        (
            "gh pr create --title=VAT --body \"$(cat <<'EOF'\nLine one\nLine two\nEOF\n)\"",
            URL,
            {"number": "#234", "title": "VAT", "description": "Line one\nLine two", "url": URL},
        ),
        (
            "gh pr list",
            "234\tVAT per rate\tfix/vat\tOPEN\t2026-11-02\n",
            {"number": "#234", "title": "VAT per rate"},
        ),
        (
            "glab mr list",
            "!77\tshop/orderly!77\tVAT per rate\t(main) ← (vat)\n",
            {"number": "!77", "title": "VAT per rate"},
        ),
        (
            "cd api && glab mr create -t 'VAT per rate' -d Why",
            "https://example.com/shop/orderly/-/merge_requests/77",
            {
                "number": "!77",
                "title": "VAT per rate",
                "description": "Why",
                "url": "https://example.com/shop/orderly/-/merge_requests/77",
            },
        ),
    ],
)
def test_commands_that_show_make_or_list_requests(command: str, output: str, expected: dict[str, str]) -> None:
    detail = seen("Bash", {"command": command}, {"stdout": output, "stderr": ""})
    assert detail["pull_requests"] == [expected] and detail["command"] == command


@pytest.mark.parametrize("command", ["gh pr checkout 3", "git log", "gh pr view 3", "echo 'gh pr view'"])
def test_what_shows_no_title_gives_nothing(command: str) -> None:
    assert "pull_requests" not in seen("Bash", {"command": command}, {"stdout": "no pull requests found", "stderr": ""})


def test_an_mcp_tool_answers_with_json() -> None:
    answer = [{"type": "text", "text": json.dumps({"number": 5, "title": "VAT", "body": "Why", "html_url": URL})}]
    found = seen("mcp__github__get_pull_request", {"pull_number": 5}, {"content": answer})["pull_requests"]
    assert found == [{"number": "#5", "title": "VAT", "description": "Why", "url": URL}]


def test_an_mcp_tool_that_makes_one_is_given_title_and_body() -> None:
    given = {"title": "VAT", "description": "Why"}
    found = seen("mcp__gitlab__create_merge_request", given, "Created.")["pull_requests"]
    assert found == [{"title": "VAT", "description": "Why"}]


def test_other_mcp_tools_give_nothing() -> None:
    assert "pull_requests" not in seen("mcp__tracker__improve_text", {"title": "x"}, '{"title": "y"}')


@pytest.mark.parametrize("output", ["{", "[1, 2]", '{"items": [null]}', "\t\t\t", "[" * 5_000])
def test_broken_answers_give_nothing(output: str) -> None:
    assert pull_requests.of_command("gh pr list --json title", output) == {}
