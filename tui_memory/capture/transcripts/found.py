"""Which files are transcripts, whose they are, and which belong to one session. Links are never followed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tui_memory.capture.shapes import mapping, string
from tui_memory.capture.transcripts import aider, claude_code, codex, copilot, cursor, gemini, opencode
from tui_memory.capture.transcripts.records import head, parsed
from tui_memory.capture.transcripts.sqlite_files import MAGIC
from tui_memory.capture.transcripts.steps import Reader

READERS: Mapping[str, Reader] = {
    "claude-code": claude_code.read,
    "codex": codex.read,
    "gemini-cli": gemini.read,
    "copilot": copilot.read,
    "cursor": cursor.read,
    "opencode": opencode.read,
    "aider": aider.read,
}
AGENTS = tuple(READERS)
_SUFFIXES = (".jsonl", ".jsonl.zst", ".json", ".md", ".db")
_DEEPEST = 12
_CODEX = frozenset({"session_meta", "response_item", "event_msg", "turn_context"})
_CLAUDE_KINDS = "user assistant system summary mode queue-operation file-history-snapshot attachment"
_CLAUDE = frozenset(_CLAUDE_KINDS.split())

LINK = "symbolic link"
OTHER = "no transcript"
TORN = "session whose messages lie outside of the folder that was named"


@dataclass(slots=True)
class Session:
    """The files of one session, its own first, and how large they are together."""

    agent: str
    files: list[Path] = field(default_factory=list)
    size: int = 0
    changed: float = 0.0
    """When the newest of them was written (seconds)."""


@dataclass(slots=True)
class Search:
    """What a search for transcripts came to."""

    sessions: list[Session]
    skipped: Counter[str]
    failed: list[str]
    """What could not be read, and why."""


def defaults(agent: str) -> list[Path]:
    """Where an agent keeps its history on this machine; places that do not exist are left out."""
    home, environment = Path.home(), os.environ
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    places = {
        "claude-code": [Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"],
        "codex": [
            Path(environment.get("CODEX_HOME") or home / ".codex") / name for name in ("sessions", "archived_sessions")
        ],
        "gemini-cli": [home / ".gemini" / "tmp"],
        "copilot": [Path(environment.get("COPILOT_HOME") or home / ".copilot") / "session-state"],
        "cursor": sorted((home / ".cursor" / "projects").glob(f"*/{cursor.FOLDER}")),
        "opencode": [Path(environment.get("OPENCODE_DB") or data / "opencode.db"), data / "storage"],
        "aider": [Path.cwd() / ".aider.chat.history.md"],
    }
    return [place for place in places[agent] if place.exists()]


def search(paths: list[Path], agent: str = "") -> Search:
    """The sessions below the paths (files or folders), the oldest first; only of one agent where one is named."""
    found = Search([], Counter(), [])
    groups: dict[tuple[str, str], Session] = {}
    for path in paths:
        root = path.resolve()
        for file in _files(root, found):
            if _is_torn(file, root):
                found.skipped[TORN] += 1
            else:
                _sort_in(file, agent, groups, found)
    for session in groups.values():
        session.files.sort(key=lambda file: (file.parent.name == "subagents", str(file)))
    found.sessions = sorted(groups.values(), key=lambda session: (session.changed, str(session.files[0])))
    return found


def _files(path: Path, found: Search, depth: int = 0) -> Iterator[Path]:
    """The files that may be transcripts; folders in order of name, links and what is too deep counted."""
    if not path.is_dir():
        yield path
        return
    try:
        with os.scandir(path) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        found.failed.append(f"{path}: {error.strerror}")
        return
    names = {entry.name for entry in listed}
    for entry in listed:
        if entry.name in ("message", "part") and "session" in names:
            continue  # OpenCode's messages: read with the session that they belong to
        if entry.is_symlink():
            found.skipped[LINK] += 1
        elif entry.is_dir(follow_symlinks=False):
            if depth == _DEEPEST:
                found.skipped["folder too deep"] += 1
            else:
                yield from _files(Path(entry.path), found, depth + 1)
        elif entry.is_file(follow_symlinks=False) and entry.name.endswith(_SUFFIXES):
            yield Path(entry.path)


def _is_torn(file: Path, root: Path) -> bool:
    """Whether a file of OpenCode's tree was named without the folder that its messages are in."""
    return _is_of_a_tree(file) and not file.parents[2].is_relative_to(root)


def _is_of_a_tree(file: Path) -> bool:
    return file.suffix == ".json" and file.parent.parent.name == "session"


def _sort_in(file: Path, agent: str, groups: dict[tuple[str, str], Session], found: Search) -> None:
    try:
        whose, group = recognised(file)
        stat = file.stat(follow_symlinks=False)
    except OSError as error:
        found.failed.append(f"{file}: {error.strerror or error}")
        return
    if not whose:
        found.skipped[OTHER] += 1
    elif not agent or whose == agent:
        session = groups.setdefault((whose, group), Session(whose))
        if file not in session.files:
            session.files.append(file)
            session.size += stat.st_size
            session.changed = max(session.changed, stat.st_mtime)


def recognised(file: Path) -> tuple[str, str]:
    """(agent, what its session's files have in common) of a file by name and first records; '' for none."""
    if file.name == ".aider.chat.history.md":
        return "aider", str(file)
    if file.suffix == ".md" or file.name in ("logs.json", "sessions-index.json"):
        return "", ""
    data = head(file)
    if data.startswith(MAGIC):
        return ("opencode" if file.name.startswith("opencode") else ""), str(file)
    if file.suffix == ".json":
        return _document(file, data), str(file)
    for line in data.split(b"\n")[:20]:
        value = parsed(line)
        if value is not None and (whose := _by_record(value)):
            return whose, _group(whose, file, value)
    return "", ""


def _document(file: Path, data: bytes) -> str:
    if b'"projectHash"' in data:
        return "gemini-cli"
    exported = b'"info"' in data[:200] and b'"messages"' in data
    return "opencode" if exported or _is_of_a_tree(file) else ""


def _by_record(value: dict[str, object]) -> str:
    kind = string(value, "type")
    if "hook_event_name" in value:
        return ""
    if kind in _CODEX:
        return "codex"
    if "projectHash" in value:
        return "gemini-cli"
    if kind == "session.start" and "data" in value:
        return "copilot"
    if not kind and string(value, "role") in ("user", "assistant") and "message" in value:
        return "cursor"
    return "claude-code" if kind in _CLAUDE else ""


def _group(agent: str, file: Path, first: dict[str, object]) -> str:
    """Sub-agents' files belong to the session that started them."""
    if agent == "cursor":
        return cursor.session_of(file)[0]
    if agent == "claude-code" and file.parent.name == "subagents":
        return f"{file.parent.parent}.jsonl"
    if agent == "codex":
        meta = mapping(first, "payload")
        return codex.parent_of(meta) or string(meta, "id", "session_id") or str(file)
    if agent == "gemini-cli":
        return file.parent.name if string(first, "kind") == "subagent" else string(first, "sessionId") or str(file)
    return str(file)
