"""Where an agent works and which of its sessions is asking: the environment it gives its servers, else the folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tui_memory import capture
from tui_memory.clock import now_ms
from tui_memory.model import Filters
from tui_memory.safetext import one_line

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory

PROJECT_DIRS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "DEVIN_PROJECT_DIR")
SESSIONS = ("CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID", "GEMINI_SESSION_ID")
_ALIVE_MS = 3_600_000  # a session silent for longer is hardly the one that asks


def folder() -> str | None:
    """The folder the agent works in; None where it is gone."""
    for name in PROJECT_DIRS:
        value = os.environ.get(name, "")
        if os.path.isabs(value):
            return value
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def actor(client: str) -> str:
    """`agent:NAME` for the journal, of the name the client gives itself."""
    return f"agent:{one_line(client, 40).replace(' ', '-') or 'unknown'}"


def filtered(memory: Memory) -> str | None:
    """What to filter by: the project's uid, the folder where the store knows no project of it yet.

    None where it can belong to no project (the home directory).
    """
    from tui_memory.store import projects

    here = folder()
    if here is None:
        return None
    found = memory.project_of(here)
    if found is not None:
        return found.uid
    return None if projects.is_no_project(here) else here


def session(memory: Memory, client: str) -> str:
    """The agent's own id of the session that asks: as it says, else the one last heard of here; empty: unknown."""
    said = tuple(os.environ[name] for name in SESSIONS if os.environ.get(name))
    if said:
        known = memory.sessions(Filters(session=said), limit=1)
        return known[0].session if known else ""
    agent = next((name for name in capture.AGENTS if name.split("-")[0] in client.lower()), "")
    project = filtered(memory)
    if not agent or not project:
        return ""
    found = memory.sessions(Filters(project=project, agent=(agent,)), limit=1)
    alive = found and found[0].ended is None and now_ms() - found[0].last_seen < _ALIVE_MS
    return found[0].session if alive else ""
