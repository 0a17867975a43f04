"""What a hook may print: each agent's own protocol, and nothing more."""

from __future__ import annotations

import json

from tui_memory.capture import fence

# Claude Code spills a string over 10,000 characters to a file, Codex over 2,500 tokens, Copilot takes 10 KB: stay
# well below all of them.
LIMIT = 8_000

_STARTS = {"cursor": "sessionStart", "copilot": "sessionStart", "opencode": "session.created"}
"""What the agents that do not say SessionStart call it."""
_SPECIFIC, _SNAKE, _CAMEL, _SYSTEM = "hookSpecificOutput", "additional_context", "additionalContext", "system"
_REWRITTEN = "modifiedTransformedPrompt"
_FORMS = {
    ("claude-code", "SessionStart"): _SPECIFIC,
    ("claude-code", "UserPromptSubmit"): _SPECIFIC,
    ("codex", "SessionStart"): _SPECIFIC,
    ("codex", "UserPromptSubmit"): _SPECIFIC,
    ("gemini-cli", "SessionStart"): _SPECIFIC,
    ("gemini-cli", "BeforeAgent"): _SPECIFIC,
    ("cursor", "sessionStart"): _SNAKE,
    ("copilot", "sessionStart"): _CAMEL,
    ("copilot", "userPromptTransformed"): _REWRITTEN,
    ("opencode", "session.created"): _SYSTEM,
    ("opencode", "chat.message"): _SYSTEM,
}
"""Which events hand context to the model, and the form it takes."""


def answer(agent: str, event: str, context: str, payload: bytes = b"") -> bytes:
    """The bytes an agent takes as `context` for an event; empty where it takes none, or there is none.

    `payload`: the event itself, for an agent that takes context only as a part of what it already has.

    On Stop any context would make the agent go on, so only the events that hand it to the model answer.
    """
    if event == "SessionStart":
        event = _STARTS.get(agent, event)
    form = _FORMS.get((agent, event))
    if not context or form is None:
        return b""
    text = fence.fit(context, LIMIT)
    value: object
    if form == _REWRITTEN:
        prompt = _transformed(payload)
        if not prompt:
            return b""
        value = f"{prompt}\n\n{text}"
    elif form == _SPECIFIC:
        value = {"hookEventName": event, "additionalContext": text}
    else:
        value = [text] if form == _SYSTEM else text
    return json.dumps({form: value}, ensure_ascii=True).encode("ascii")


def _transformed(payload: bytes) -> str:
    """The prompt as Copilot is about to send it; '' where the payload has none."""
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return ""
    found = value.get("transformedPrompt") if isinstance(value, dict) else ""
    return found if isinstance(found, str) else ""
