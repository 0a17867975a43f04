"""Each real agent is offered the MCP server that `install` registered, and saves a memory through it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import story
from tests.e2e.session import agents, without

TITLE = "Charges are retried with the same idempotency key"
PACKAGES = {
    "claude-code": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini-cli": "@google/gemini-cli",
    "copilot": "@github/copilot",
    "opencode": "opencode-ai",
}
TOOLS = {
    "claude-code": "mcp__tui-memory__memory_save",
    "codex": "memory_save",
    "gemini-cli": "mcp_tui-memory_memory_save",
    "copilot": "tui-memory-memory_save",
    "opencode": "tui-memory_memory_save",
}
"""What each agent calls the tool."""
WAITS: dict[str, dict[str, Any]] = {
    "claude-code": {"name": "WaitForMcpServers", "input": {}},
    "codex": {"name": "exec_command", "input": {"cmd": "sleep 3"}},
}
"""What the model of an agent that begins without its servers does first."""
EXTRA = {"gemini-cli": ("--skip-trust",)}
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


@pytest.mark.parametrize("agent", PACKAGES)
def test_it_saves_through_the_registered_server(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing := without(PACKAGES[agent]):
        pytest.skip(missing)
    where = agents()
    assert where is not None
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    with story.installed(agent, tmp_path, monkeypatch) as machine:
        if agent == "claude-code":  # its model may use a server's tools only where a person allows it
            settings = machine.home / ".claude" / "settings.json"
            allowed = {"permissions": {"allow": ["mcp__tui-memory"]}}
            settings.write_text(json.dumps(json.loads(settings.read_text()) | allowed))
        save = {"title": TITLE, "text": "The provider bills every new key.", "kind": "decision"}
        call = {"name": TOOLS[agent], "input": save} | ({"namespace": "mcp__tui_memory"} if agent == "codex" else {})
        wait = [{"tools": [WAITS[agent]]}] * 3 if agent in WAITS else []
        script: list[dict[str, Any]] = [*wait, {"tools": [call]}, {"text": "Saved."}]
        log = machine.run(agent, where, script, "Remember how charges are retried", "mcp", *EXTRA.get(agent, ()))
        assert "memory_save" in log
        found = story.wait_for(machine, "SELECT title, project_id IS NULL FROM memories WHERE state = 'active'", 10)
        assert (TITLE, 0) in found
