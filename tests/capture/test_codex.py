"""What Codex's events become: recorded shapes, where a failing command is plain text."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tui_memory import capture
from tui_memory.capture import failures
from tui_memory.model import Draft, Kind

FIXTURES = Path(__file__).parent.parent / "fixtures"


def ran(command: str, output: str) -> Draft:
    """The draft of a command and what it printed."""
    value: dict[str, Any] = json.loads((FIXTURES / "codex" / "PostToolUse.Bash.json").read_text())
    made = capture.normalise("codex", value | {"tool_input": {"command": command}, "tool_response": output}, 7)
    assert made is not None
    return made


def test_a_recorded_session_is_told_in_kinds() -> None:
    lines = (FIXTURES / "recorded" / "codex.hooks.jsonl").read_text().splitlines()
    made = [capture.normalise("codex", json.loads(line), 7) for line in lines]
    kinds = [str(draft.kind) for draft in made if draft]
    assert kinds == ["lifecycle", "prompt", "command", "command", "error", "response", "lifecycle"]
    assert [draft.detail.get("error") for draft in made if draft and draft.kind == Kind.ERROR] == [
        "/usr/bin/python3: No module named pytest_not_there"
    ]


@pytest.mark.parametrize(
    ("command", "output", "line"),
    [
        (
            "pytest -q",
            "..F\nFAILED tests/t.py::test_x - assert 1 == 2\n1 failed",
            "FAILED tests/t.py::test_x - assert 1 == 2",
        ),
        ("cargo build", "error[E0499]: cannot borrow", "error[E0499]: cannot borrow"),
        ("uv run x", "bash: uv: command not found", "bash: uv: command not found"),
        ("make", "cc a.c\nProcess exited with code 2", "cc a.c"),
        ("git push", "To example\nfatal: could not read Username\n", ""),
        ("git switch x", "fatal: invalid reference: x\n", "fatal: invalid reference: x"),
        ("cat missing", "cat: missing: No such file or directory", "cat: missing: No such file or directory"),
    ],
)
def test_a_failure_is_recognised_in_plain_text(command: str, output: str, line: str) -> None:
    made = ran(command, output)
    assert made.detail.get("error", "") == line
    assert (made.kind == Kind.ERROR) == bool(line)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat app.log", "ValueError: from last week\nall fine"),
        ("cd x && rg -n Error src | head", "src/a.py:3:class Error(Exception):\nValueError: x"),
        ("pytest -q", "12 passed in 0.3s"),
        ("make", "Process exited with code 0\nwarning: 0 errors"),
    ],
)
def test_what_is_only_shown_is_no_failure(command: str, output: str) -> None:
    made = ran(command, output)
    assert made.kind == Kind.COMMAND and "error" not in made.detail


def test_success_is_not_claimed_where_nothing_says_so() -> None:
    assert "exit_code" not in ran("ls", "a\nb").detail


def test_a_patch_is_an_edit_of_its_files() -> None:
    made = capture.normalise("codex", json.loads((FIXTURES / "codex/PostToolUse.apply_patch.json").read_text()), 7)
    assert made is not None and made.kind == Kind.EDIT
    assert made.files == ["src/orderly/export.py", "tests/test_export.py"]
    assert made.text.startswith("src/orderly/export.py +1 −1\n@@\n-def export(path):")
    assert made.detail["added"] == 5 and made.detail["removed"] == 1


def test_a_sub_agents_prompt_starts_no_turn() -> None:
    made = capture.normalise("codex", json.loads((FIXTURES / "codex/UserPromptSubmit.subagent.json").read_text()), 7)
    assert made is not None and made.parent and not made.starts_turn and made.wants_context == ""


def test_scaffolding_is_no_prompt() -> None:
    value = json.loads((FIXTURES / "codex/UserPromptSubmit.json").read_text())
    made = capture.normalise(
        "codex", value | {"prompt": "<environment_context>\n <cwd>/x</cwd></environment_context>"}, 7
    )
    assert made is not None and made.kind == Kind.LIFECYCLE and not made.starts_turn


@pytest.mark.parametrize(
    "piece", ["\n", "x", ":", "a:b\n", " ", "1 ", "a.", "1) ", "make: *** ", "E   ", "make: *** x\n"]
)
def test_no_output_is_slow_to_judge(piece: str) -> None:
    began = time.process_time()
    failures.seems_failed("run", piece * (200_000 // len(piece)))
    assert time.process_time() - began < 0.5


def test_a_huge_output_is_judged_by_its_ends() -> None:
    padding = "ok\n" * 2_000_000
    assert failures.error_line(f"{padding}ValueError: at the end") == "ValueError: at the end"
