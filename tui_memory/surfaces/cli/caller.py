"""Who runs a command: a person, or an agent in a shell of its own."""

from __future__ import annotations

import os

_MARKS = {
    "CLAUDECODE": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_CLI": "gemini-cli",
    "CURSOR_AGENT": "cursor",
    "OPENCODE": "opencode",
    "COPILOT_CLI": "copilot",
}
"""Variables that agents set for the commands they run."""


def calling_agent() -> str:
    """The agent that runs this command, as far as its shell says so; empty: a person."""
    return next((agent for name, agent in _MARKS.items() if os.environ.get(name)), "")
