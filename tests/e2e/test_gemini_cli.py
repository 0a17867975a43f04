"""Two sessions of the real Gemini CLI: what the first one did is in the second one's context."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import story
from tests.e2e.session import Machine, without

AGENT = "gemini-cli"
MISSING = without("@google/gemini-cli")
pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=MISSING),
]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A machine with the hooks installed."""
    with story.installed(AGENT, tmp_path, monkeypatch) as made:
        yield made


def script(project: Path) -> list[dict[str, Any]]:
    """What the model does: read, fail, edit, write, close."""
    models, notes = str(project / "orderly" / "models.py"), str(project / "NOTES.md")
    edit = {"file_path": models, "instruction": "v2", "old_string": story.OLD, "new_string": story.NEW}
    return [
        {"tools": [{"name": "read_file", "input": {"file_path": models}}]},
        {"tools": [{"name": "run_shell_command", "input": {"command": story.failing(), "description": "Reproduce"}}]},
        {"tools": [{"name": "replace", "input": edit}]},
        {"tools": [{"name": "write_file", "input": {"file_path": notes, "content": story.NOTES}}]},
        {"text": story.CLOSING},
    ]


def test_a_session_is_captured_remembered_and_handed_to_the_next(machine: Machine) -> None:
    assert story.tell(machine, AGENT, script(machine.project), "--skip-trust") == [
        ("lifecycle", ""),
        ("prompt", ""),
        ("read", "Read"),
        ("error", "Bash"),
        ("edit", "Edit"),
        ("edit", "Write"),
        ("response", ""),
        ("lifecycle", ""),
    ]
    story.recall(machine, AGENT, "--skip-trust")
