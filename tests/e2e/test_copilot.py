"""Two sessions of the real Copilot CLI: what the first one did is in the second one's context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import story
from tests.e2e.session import Machine, without
from tui_memory.surfaces.install import install

AGENT = "copilot"
MISSING = without("@github/copilot")
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
    return [
        {"tools": [{"name": "view", "input": {"path": models}}]},
        {"tools": [{"name": "bash", "input": {"command": story.failing(), "description": "Reproduce"}}]},
        {"tools": [{"name": "edit", "input": {"path": models, "old_str": story.OLD, "new_str": story.NEW}}]},
        {"tools": [{"name": "create", "input": {"path": notes, "file_text": story.NOTES}}]},
        {"text": story.CLOSING},
    ]


def test_a_session_is_captured_remembered_and_handed_to_the_next(machine: Machine) -> None:
    assert story.tell(machine, AGENT, script(machine.project)) == [
        ("lifecycle", ""),
        ("prompt", ""),
        ("read", "Read"),
        ("error", "Bash"),
        ("edit", "Edit"),
        ("edit", "Write"),
        ("response", ""),
        ("lifecycle", ""),
    ]
    story.recall(machine, AGENT)


def test_an_event_that_comes_through_claude_codes_settings_too_is_one(machine: Machine) -> None:
    # It takes the command there, not its `args`; and only in a folder that it trusts.
    install("claude-code", "project", machine.project)
    trusted = {"trustedFolders": [str(machine.project)]}
    (machine.home / ".copilot" / "config.json").write_text(json.dumps(trusted))
    captured = story.tell(machine, AGENT, script(machine.project))
    kinds = ["lifecycle", "prompt", "read", "error", "edit", "edit", "response", "lifecycle"]
    assert sorted(kind for kind, _ in captured) == sorted(kinds)
    assert story.rows(machine, "SELECT DISTINCT agent FROM observations") == [(AGENT,)]
    told = story.rows(machine, "SELECT value FROM counters WHERE name = 'dropped:duplicate'")
    assert told[0][0] >= len(kinds)  # a machine at work may deliver one again, too
