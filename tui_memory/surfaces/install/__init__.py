"""Writing agents' configurations so that they run the hook and the MCP server, and taking that back to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tui_memory import config, places
from tui_memory.errors import TuiMemoryError, UsageError
from tui_memory.surfaces.install import (
    claude_code,
    codex,
    codex_toml,
    copilot,
    cursor,
    gemini_cli,
    opencode,
    plan,
    running,
)  # fmt: skip
from tui_memory.surfaces.install.plan import Edit, Plan


class Part(NamedTuple):
    """One thing of ours in an agent's configuration: the file of (scope, project), how it comes in, and out."""

    path: Callable[[str, Path], Path]
    into: Edit
    out: Edit


class _Agent(NamedTuple):
    hooks: Part
    server: Part
    home: Callable[[], Path]
    """A folder that is there where the agent is used."""
    advice: Callable[..., str]
    off: Callable[[Path], str] = lambda _: ""
    """Where the hooks of a file are switched off, as a sentence."""


_AGENTS = {
    "claude-code": _Agent(
        Part(claude_code.settings_path, claude_code.with_hooks, claude_code.without_hooks),
        Part(claude_code.server_path, claude_code.SERVERS.with_server, claude_code.SERVERS.without_server),
        lambda: claude_code.settings_path("user", Path()).parent, claude_code.advice, claude_code.off,
    ),
    "codex": _Agent(
        Part(codex.path, codex.with_hooks, codex.without_hooks),
        Part(codex.server_path, codex_toml.with_server, codex_toml.without_server),
        codex.home, codex.advice, codex.off,
    ),
    "gemini-cli": _Agent(
        Part(gemini_cli.path, gemini_cli.with_hooks, gemini_cli.without_hooks),
        Part(gemini_cli.path, gemini_cli.SERVERS.with_server, gemini_cli.SERVERS.without_server),
        lambda: Path.home() / ".gemini", gemini_cli.advice, gemini_cli.off,
    ),
    "cursor": _Agent(
        Part(cursor.path, cursor.with_hooks, cursor.without_hooks),
        Part(cursor.server_path, cursor.SERVERS.with_server, cursor.SERVERS.without_server),
        lambda: Path.home() / ".cursor", cursor.advice,
    ),
    "copilot": _Agent(
        Part(copilot.path, copilot.with_hooks, copilot.without_hooks),
        Part(copilot.server_path, copilot.SERVERS.with_server, copilot.SERVERS.without_server),
        copilot.home, copilot.advice, copilot.off,
    ),
    "opencode": _Agent(
        Part(opencode.path, opencode.with_hooks, opencode.without_hooks),
        Part(opencode.server_path, opencode.SERVERS.with_server, opencode.SERVERS.without_server),
        opencode.home, opencode.advice,
    ),
}  # fmt: skip
AGENTS = tuple(_AGENTS)
SCOPES = ("user", "project")
MCP = "mcp"
"""In an agent's place: the MCP server alone, of every agent that is used here."""

__all__ = [
    "AGENTS",
    "MCP",
    "SCOPES",
    "Part",
    "Plan",
    "Setup",
    "advice",
    "install",
    "parts",
    "switched_off",
    "uninstall",
    "used",
]


@dataclass(frozen=True, slots=True)
class Setup:
    """All that an installation or a removal changes: a plan for each file, the hooks' first."""

    files: tuple[Plan, ...]

    @property
    def path(self) -> Path:
        """The first file."""
        return self.files[0].path

    @property
    def changes(self) -> tuple[Plan, ...]:
        """The files that are changed."""
        return tuple(one for one in self.files if one.changed)

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.changes)

    @property
    def diff(self) -> str:
        """The changes as unified diffs, '' where there is none."""
        return "\n".join(one.diff for one in self.changes)


def install(agent: str, scope: str = "user", project: Path | None = None, dry_run: bool = False) -> Setup:
    """Add our hooks and our MCP server to the agent's configuration; what changes. `dry_run`: nothing is written.

    Idempotent. ConfigError where a file that is there is not valid (with its line): then none is changed; UsageError
    for an agent or scope that is unknown.
    """
    setup = Setup(
        tuple(
            Plan.of(path, _one_after_the_other(part.into for part in chosen), whole)
            for path, chosen, whole in _places(agent, scope, project)
        )
    )
    if not dry_run and setup.changed:
        _write(setup)
        # So that the hook knows the settings before any worker has run.
        config.compile_settings(config.load(), places.home(), places.config_file())
    return setup


def uninstall(agent: str, scope: str = "user", project: Path | None = None, dry_run: bool = False) -> Setup:
    """Take all that out again: the very bytes from before where nothing else was changed since, else only ours."""
    setup = Setup(
        tuple(
            Plan.of_removal(path, _one_after_the_other(part.out for part in chosen), whole)
            for path, chosen, whole in _places(agent, scope, project)
        )
    )
    if not dry_run:
        for one in setup.files:
            plan.check_writable(one)
        plan.remove_folders([folder for one in setup.files for folder in plan.apply_removal(one)])
    return setup


def advice(agent: str, setup: Setup) -> str:
    """What a person must know or do after an installation; '' where it is nothing."""
    if agent == MCP:
        return f"Any other MCP client takes the command: {running.shell(running.server())}"
    return _AGENTS[agent].advice(setup.path, changed=setup.files[0].changed) if agent in _AGENTS else ""


def switched_off(agent: str, path: Path) -> str:
    """Where an agent's hooks are switched off, as a sentence; '' where they are not. `path`: the file of ours."""
    return _AGENTS[agent].off(path) if agent in _AGENTS else ""


def used() -> list[str]:
    """The agents that are used here: those whose folder is there."""
    return [name for name, known in _AGENTS.items() if known.home().is_dir()]


def parts(agent: str, scope: str, project: Path | None) -> tuple[Part, Path, Part, Path]:
    """(the hooks, their file, the MCP server, its file) of one agent in a scope."""
    known, where = _AGENTS[agent], project or Path.cwd()
    return known.hooks, known.hooks.path(scope, where), known.server, known.server.path(scope, where)


def _write(setup: Setup) -> None:
    """Write all files, or none."""
    for one in setup.changes:
        plan.check_writable(one)
    done: list[Plan] = []
    for one in setup.changes:
        try:
            plan.apply(one)
        except TuiMemoryError:
            for other in reversed(done):
                plan.take_back(other)
            raise
        done.append(one)


def _places(agent: str, scope: str, project: Path | None) -> Iterator[tuple[Path, list[Part], Edit]]:
    """Each file, what of ours goes into it, and what takes everything of ours out of it."""
    if agent not in (*_AGENTS, MCP):
        known = f"{', '.join(AGENTS)}, git, {MCP}"
        raise UsageError(f"{agent!r} cannot be installed; known: {known}. Nothing was changed.")
    if scope not in SCOPES:
        raise UsageError(f"A scope is one of {', '.join(SCOPES)}, not {scope!r}. Nothing was changed.")
    for name in _some_used() if agent == MCP else (agent,):
        hooks, hooks_path, server, server_path = parts(name, scope, project)
        both = hooks_path == server_path
        whole = _one_after_the_other([hooks.out, server.out])
        if agent != MCP:
            yield hooks_path, [hooks, server] if both else [hooks], whole if both else hooks.out
        if agent == MCP or not both:
            yield server_path, [server], whole if both else server.out


def _some_used() -> list[str]:
    """The agents that are used here. UsageError where there is none."""
    found = used()
    if not found:
        raise UsageError(
            f"None of the agents is used here ({', '.join(AGENTS)}: their folders are not there). Nothing was changed;"
            f" any MCP client takes the command: {running.shell(running.server())}"
        )
    return found


def _one_after_the_other(edits: Iterable[Edit]) -> Edit:
    """Several edits as one."""
    listed = list(edits)

    def edit(text: str, path: Path) -> str:
        for one in listed:
            text = one(text, path)
        return text

    return edit
