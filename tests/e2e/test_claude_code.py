"""Two sessions of the real Claude Code: what the first one did is in the second one's context."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.session import Machine, agents
from tests.hook.running import storing, until
from tui_memory.engine import worker_client
from tui_memory.surfaces.install import install

pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.skipif(agents() is None, reason="TUI_MEMORY_AGENTS names no folder with the agents' npm packages"),
]

PROMPT = "The model tests fail since we upgraded pydantic, please fix them"
CLOSING = "Done: models.py uses pydantic v2's field_validator with @classmethod now; NOTES.md records the convention."


def secret() -> str:
    """A value that looks like a secret, built at run time."""
    return "ghp_" + "".join(("R4nd", "0mX9", "kQ2v", "T7bL", "m3Zs", "Y8wC", "d5Hf", "J6pN", "a1Gu"))


def script(project: Path) -> list[dict[str, object]]:
    """What the model does: read, fail, edit, write, commit, close."""
    models, notes = str(project / "orderly" / "models.py"), str(project / "NOTES.md")
    failing = f"echo token={secret()}; python3 -c \"raise ImportError('PydanticImportError: validator is gone in v2')\""
    old, new = "from pydantic import BaseModel, validator", "from pydantic import BaseModel, field_validator"
    content = "# Notes\n\n- We are on pydantic v2: use field_validator, never validator.\n"
    commit = "git add -A && git commit -qm 'Move validators to pydantic v2' && git log --oneline | head -2"
    return [
        {"tools": [{"name": "Read", "input": {"file_path": models}}]},
        {"tools": [{"name": "Bash", "input": {"command": failing, "description": "Reproduce the failure"}}]},
        {"tools": [{"name": "Edit", "input": {"file_path": models, "old_string": old, "new_string": new}}]},
        {"tools": [{"name": "Write", "input": {"file_path": notes, "content": content}}]},
        {"tools": [{"name": "Bash", "input": {"command": commit, "description": "Commit"}}]},
        {"text": CLOSING},
    ]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A prepared machine with the hooks installed; its worker is stopped at the end."""
    made = Machine(tmp_path)
    made.prepare()
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made.home / ".claude"))
    install("claude-code")
    yield made
    until(lambda: not storing(made.store))
    worker_client.stop(made.store)


def rows(machine: Machine, sql: str) -> list[tuple[Any, ...]]:
    """A query on the store."""
    connection = sqlite3.connect(machine.store / "memory.db")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def wait_for(machine: Machine, sql: str, seconds: float) -> list[tuple[Any, ...]]:
    """The rows of a query once there are any; empty where none came in time."""
    until = time.monotonic() + seconds
    while not (found := rows(machine, sql)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def test_a_session_is_captured_remembered_and_handed_to_the_next(machine: Machine) -> None:
    where = agents()
    assert where is not None
    machine.run("claude-code", where, script(machine.project), PROMPT, "first")
    ended = time.monotonic()
    assert wait_for(machine, "SELECT 1 FROM observations WHERE text LIKE 'Session ended%'", 1.0)
    assert time.monotonic() - ended < 1.5

    seen = rows(machine, "SELECT kind, tool FROM observations ORDER BY id")
    assert seen == [
        ("lifecycle", ""),
        ("prompt", ""),
        ("read", "Read"),
        ("error", "Bash"),
        ("edit", "Edit"),
        ("edit", "Write"),
        ("command", "Bash"),
        ("response", ""),
        ("lifecycle", ""),
    ]
    texts = [str(row[0]) for row in rows(machine, "SELECT text FROM observations ORDER BY id")]
    assert texts[1] == PROMPT and texts[7] == CLOSING
    detail = json.loads(str(rows(machine, "SELECT detail FROM observations WHERE kind = 'error'")[0][0]))
    assert detail["error"] == "ImportError: PydanticImportError: validator is gone in v2"
    assert secret() not in "".join(texts) and "[redacted:" in texts[3]
    assert secret().encode() not in b"".join(path.read_bytes() for path in machine.store.iterdir() if path.is_file())
    counts: dict[str, int] = dict(rows(machine, "SELECT name, value FROM counters WHERE name NOT LIKE 'redacted%'"))
    assert counts["captured"] == counts["stored"] == 9

    assert wait_for(machine, "SELECT 1 FROM memories WHERE state = 'active'", 20)
    worker_client.drain(machine.store)
    title = str(rows(machine, "SELECT title FROM memories WHERE state = 'active' ORDER BY id LIMIT 1")[0][0])

    asked = machine.run("claude-code", where, [{"text": "Fine."}], "What did we decide about validators?", "second")
    told = json.dumps(title)[1:-1]
    first = next(line for line in asked.splitlines() if "What did we decide about validators?" in line)
    assert told in first and "<tui-memory note=" in first
    assert not rows(machine, "SELECT 1 FROM observations WHERE text LIKE '%<tui-memory note=%'")
