"""Two sessions of the real Codex: what the first one did is in the second one's context."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import story
from tests.e2e.session import Machine, without

AGENT = "codex"
MISSING = without("@openai/codex")
MODEL = ("-c", 'model="gpt-5.5"')
"""One that Codex knows: it is given the patch tool."""
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
    del project
    edit = f"*** Begin Patch\n*** Update File: orderly/models.py\n@@\n-{story.OLD}\n+{story.NEW}\n*** End Patch\n"
    added = "".join(f"+{line}\n" for line in story.NOTES.splitlines())
    return [
        {"tools": [{"name": "exec_command", "input": {"cmd": "cat orderly/models.py"}}]},
        {"tools": [{"name": "exec_command", "input": {"cmd": story.failing()}}]},
        {"tools": [{"name": "apply_patch", "input": edit}]},
        {
            "tools": [
                {"name": "apply_patch", "input": f"*** Begin Patch\n*** Add File: NOTES.md\n{added}*** End Patch\n"}
            ]
        },
        {"text": story.CLOSING},
    ]


def test_a_session_is_captured_remembered_and_handed_to_the_next(machine: Machine) -> None:
    assert story.tell(machine, AGENT, script(machine.project), *MODEL) == [
        ("lifecycle", ""),
        ("prompt", ""),
        ("command", "Bash"),
        ("error", "Bash"),
        ("edit", "apply_patch"),
        ("edit", "apply_patch"),
        ("response", ""),
        ("lifecycle", ""),
    ]
    story.recall(machine, AGENT, *MODEL)
