"""Every agent's tools, told in Claude's dialect, so that one set of rules says what a call was and what came of it.

The keys are those of the live hooks (agent, session, event, the call's own id): a transcript's record and the
hook's event of one call are one observation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tui_memory import capture
from tui_memory.capture import claude_code
from tui_memory.capture.dialect import call
from tui_memory.errors import TuiMemoryError
from tui_memory.model import Draft, Kind
from tui_memory.private import cut_everywhere

__all__ = ["Scene", "call"]


@dataclass(slots=True)
class Scene:
    """Where a session stands while its transcript is read."""

    agent: str
    session: str = ""
    cwd: str = ""
    branch: str = ""
    model: str = ""
    parent: str = ""
    """The sub-agent whose own transcript this is; empty for the session itself."""
    common: dict[str, Any] = field(default_factory=dict)
    """What every payload of this transcript carries beside that."""

    def draft(self, event: str, time: int, **fields: Any) -> Draft | None:
        """The draft of a payload in Claude's dialect, as the live adapter makes it; None: nothing to keep."""
        payload: dict[str, Any] = {"hook_event_name": event, "session_id": self.session, "cwd": self.cwd}
        payload |= self.common | fields
        payload, private = cut_everywhere(payload)
        if self.parent:
            payload["agent_id"] = self.parent
        if self.model:
            payload["model"] = self.model
        try:
            made = self._adapted(event, payload, time)
        except (TuiMemoryError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return None  # one odd record is passed over, as a live one is; its reader counts it
        if made is None or not made.text.strip():
            return None
        made.time, made.private = time, private
        made.branch = self.branch or made.branch
        made.detail["transcript"] = True
        made.wants_context = ""
        return made

    def _adapted(self, event: str, payload: dict[str, Any], time: int) -> Draft | None:
        if self.agent in ("claude-code", "codex"):
            return capture.normalise(self.agent, payload, time)
        made = Draft(Kind.LIFECYCLE, self.agent, self.session, event, cwd=self.cwd, parent=self.parent)
        made.detail = {"event": event} | ({"model": self.model} if self.model else {})
        return claude_code.fill(made, event, payload)
