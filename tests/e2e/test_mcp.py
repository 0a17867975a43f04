"""The real Claude Code saves, searches and fetches over MCP, and the store knows which session it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.session import Machine, agents
from tests.hook.running import ROOT, storing, until
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory
from tui_memory.surfaces.install import install

pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.skipif(agents() is None, reason="TUI_MEMORY_AGENTS names no folder with the agents' npm packages"),
]

TITLE = "Charges are retried with the same idempotency key"
TEXT = "The provider bills every new key, so a retry keeps the key of the first try."


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A prepared machine with the hooks installed and the server registered for its project."""
    made = Machine(tmp_path)
    made.prepare()
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made.home / ".claude"))
    install("claude-code")
    settings = made.home / ".claude" / "settings.json"
    allowed = {"enableAllProjectMcpServers": True, "permissions": {"allow": ["mcp__tui-memory"]}}
    settings.write_text(json.dumps(json.loads(settings.read_text()) | allowed))
    server = {"command": sys.executable, "args": ["-m", "tui_memory", "mcp"], "env": {"PYTHONPATH": str(ROOT)}}
    (made.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"tui-memory": server | {"alwaysLoad": True}}}))
    yield made
    until(lambda: not storing(made.store))
    worker_client.stop(made.store)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A turn of the model: one call of one of our tools."""
    return {"tools": [{"name": f"mcp__tui-memory__{tool}", "input": arguments}]}


def results(log: str) -> list[str]:
    """What came back to the model, one text a call, in order."""
    last = [
        json.loads(line)["request"] for line in log.splitlines() if "/v1/messages" in line and "tool_result" in line
    ]
    blocks = [block for message in last[-1]["messages"] for block in message["content"] if isinstance(block, dict)]
    contents = [block["content"] for block in blocks if block.get("type") == "tool_result"]
    return [one if isinstance(one, str) else "".join(part["text"] for part in one) for one in contents]


def test_claude_code_saves_searches_and_fetches(machine: Machine) -> None:
    where = agents()
    assert where is not None
    script = [
        call("memory_save", title=TITLE, text=TEXT, kind="decision"),
        call("memory_search", query="what happens to the key when a charge fails"),
        call("memory_get", ids=[1]),
        call("memory_get", ids=[404]),
        {"text": "Done."},
    ]
    log = machine.run("claude-code", where, script, "Remember what we decided about retries", "mcp")
    saved, index, whole, missing = results(log)
    assert saved.startswith("Saved as #1 (decision, in orderly")
    assert f"#1 now decision {TITLE}" in index and TEXT not in index
    assert whole.startswith("<tui-memory note=") and TEXT in whole
    assert "There is no memory 404" in missing

    offered = next(json.loads(line)["request"] for line in log.splitlines() if "mcp__tui-memory__memory_search" in line)
    assert "what earlier sessions in this project decided" in json.dumps(offered["tools"])
    assert "Search first (memory_search) when you plan or change" in json.dumps(offered)

    with Memory(machine.store, embedding="none") as memory:
        assert memory.get(1)[0].project == "orderly" and memory.get(1)[0].uses == 1
        assert memory.history(1)[0].actor == "agent:claude-code"
        shown = memory.store.rows(
            "SELECT s.agent, d.phase FROM disclosures d JOIN sessions s ON s.id = d.session_id"
            " WHERE d.phase IN ('search', 'fetch') ORDER BY d.id"
        )
        assert [tuple(row) for row in shown] == [("claude-code", "search"), ("claude-code", "fetch")]
        assert not memory.store.rows("SELECT 1 FROM observations WHERE text LIKE '%<tui-memory note=%'")
