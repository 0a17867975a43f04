"""What a hook may print: each agent's own protocol, and nothing more."""

from __future__ import annotations

import json

from tui_memory.capture import fence

# Claude Code spills a string over 10,000 characters to a file, Codex over 2,500 tokens: stay well below both.
LIMIT = 8_000

_CONTEXT_EVENTS = {
    "claude-code": frozenset({"SessionStart", "UserPromptSubmit"}),
    "codex": frozenset({"SessionStart", "UserPromptSubmit"}),
}


def answer(agent: str, event: str, context: str) -> bytes:
    """The bytes an agent takes as `context` for an event; empty where it takes none, or there is none.

    On Stop any context would make the agent go on, so only the events that hand it to the model answer.
    """
    if not context or event not in _CONTEXT_EVENTS.get(agent, ()):
        return b""
    specific = {"hookEventName": event, "additionalContext": fence.fit(context, LIMIT)}
    return json.dumps({"hookSpecificOutput": specific}, ensure_ascii=True).encode("ascii")
