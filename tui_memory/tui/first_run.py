"""What can be done first where nothing is remembered yet: what was found on this machine, in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.errors import TuiMemoryError
from tui_memory.light import dataclass, field
from tui_memory.tui import formats

if TYPE_CHECKING:
    from tui_memory.engine.memory import Memory


@dataclass(frozen=True, slots=True)
class Found:
    """What is on this machine."""

    used: tuple[str, ...] = ()
    """Agents whose folder is there."""
    installed: frozenset[str] = frozenset()
    """Those of them, and git, that run our hook."""
    repository: bool = False
    """Whether this is a folder of a git repository."""
    sessions: Mapping[str, int] = field(default_factory=dict)
    """Past sessions by agent."""
    bytes: int = 0
    oldest: int = 0
    """When the oldest of them was written (ms)."""

    @property
    def agents(self) -> tuple[str, ...]:
        """What hooks can be installed for: the agents that are used here, and git."""
        return (*self.used, *(("git",) if self.repository else ()))


@dataclass(frozen=True, slots=True)
class Way:
    """One thing to do first: the id of its key, its name, what was found for it, what it does."""

    identity: str
    name: str
    found: str
    says: str


def look(memory: Memory) -> Found:
    """What is on this machine. Reads agents' settings and the beginnings of their histories; blocks, for a thread."""
    from tui_memory.surfaces import install
    from tui_memory.surfaces.install import found, git

    try:
        git.state(Path.cwd())
        repository = True
    except TuiMemoryError:
        repository = False
    past = memory.importing.histories()
    installed = frozenset(one.agent for one in found.installed())
    return Found(tuple(install.used()), installed, repository, past.sessions, past.bytes, past.oldest)


def ways(found: Found | None) -> tuple[Way, ...]:
    """The three; None: nobody has looked yet."""
    looking = "looking what is here…"
    return (
        Way(
            "first.install",
            "install hooks…",
            looking if found is None else _agents(found),
            "Each change is shown first; uninstalling gives the exact bytes back.",
        ),
        Way(
            "first.sessions",
            "read past sessions…",
            looking if found is None else _past(found),
            "Counted first, then you are asked. Nothing leaves this machine.",
        ),
        Way(
            "first.sample",
            "look around first…",
            "a sample project in a throw-away store",
            "Made in about 15 seconds, removed when you leave it; your store stays as it is.",
        ),
    )


def _agents(found: Found) -> str:
    if not found.used:
        return "no agent's folder is here; all of them are offered"
    return " · ".join(f"{agent} {'● installed' if agent in found.installed else '○ not yet'}" for agent in found.agents)


def _past(found: Found) -> str:
    if not found.sessions:
        return "no agent has kept any here"
    agents = ", ".join(f"{formats.number(count)} of {agent}" for agent, count in sorted(found.sessions.items()))
    day = datetime.fromtimestamp(found.oldest / 1000)
    since = f"since {day.day} {day:%B}" + (f" {day.year}" if formats.now() - found.oldest > 300 * formats.DAY else "")
    return f"{agents} · {formats.size(found.bytes)} · {since}"
