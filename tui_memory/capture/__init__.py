"""From an agent's payload to a `model.Draft`: one adapter an agent. Standard library only.

An adapter never raises for what an agent may send: missing, null or odd fields make a poorer draft, an
unknown event a light one.
"""

from __future__ import annotations

import json

from tui_memory.capture.answers import answer
from tui_memory.capture.shapes import compact, fingerprint
from tui_memory.errors import UsageError
from tui_memory.light import TYPE_CHECKING
from tui_memory.model import MOMENT, MOMENT_MS, Draft, Kind

if TYPE_CHECKING:
    from typing import Any

_ADAPTERS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini_cli",
    "cursor": "cursor",
    "copilot": "copilot",
    "opencode": "opencode",
    "git": "git",
}
"""The module of each agent's adapter; a hook loads its own alone."""

AGENTS: tuple[str, ...] = tuple(_ADAPTERS)

__all__ = ["AGENTS", "answer", "normalise", "with_event"]


def normalise(
    agent: str, payload: dict[str, Any], received: int, *, cwd: str = "", project_dir: str = ""
) -> Draft | None:
    """The draft of one event; None where the event is known and carries nothing to keep.

    `received` is in milliseconds; `cwd` and `project_dir` are the hook process's own, used where the payload
    says nothing. Raises UsageError for an agent without an adapter.
    """
    if agent not in _ADAPTERS:
        raise UsageError(f"No agent is called {agent!r}. Nothing was stored. Known: {', '.join(AGENTS)}.")
    module = f"{__name__}.{_ADAPTERS[_speaker(agent, payload)]}"
    made: Draft | None = __import__(module, fromlist=["draft"]).draft(payload, cwd, project_dir)
    if made is None:
        return None
    made.time = made.time or received
    if not made.key and made.kind == Kind.LIFECYCLE:
        made.key = _moment(made, payload, received)
    if project_dir and project_dir != made.cwd:
        made.detail["project_dir"] = project_dir
    return made


def _moment(made: Draft, payload: dict[str, Any], received: int) -> str:
    """The identity of what happens once, and has none of its own: what is said of it, in its moment.

    An agent that finds the hook in two configurations (the user's, the project's) runs it twice with the same words.
    """
    said = fingerprint(compact({name: value for name, value in payload.items() if name != "ts"}))
    return f"{made.session}\x1f{said}{MOMENT}{received // MOMENT_MS}"


def _speaker(agent: str, payload: dict[str, Any]) -> str:
    """Whose event it is: Cursor and Copilot also run what stands in Claude Code's settings."""
    if agent != "claude-code":
        return agent
    if "cursor_version" in payload or "conversation_id" in payload:
        return "cursor"
    path = payload.get("transcript_path")
    timed = "timestamp" in payload and (not isinstance(path, str) or "/session-state/" in path)
    return "copilot" if timed or "sessionId" in payload else agent


def with_event(payload: bytes, event: str) -> bytes | dict[str, Any]:
    """The payload with the event's name in it, for agents that only name it in the hook's command line."""
    if not event:
        return payload
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return payload  # ingest counts it as unreadable
    return {"hook_event_name": event} | value if isinstance(value, dict) else payload
