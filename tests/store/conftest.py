"""A store in a temporary directory, and short ways to fill it."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tui_memory.config import CaptureSettings
from tui_memory.model import Body, NewMemory
from tui_memory.store import ingest
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

KEY = bytes(range(32))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def changes(store: Store) -> Changes:
    return Changes(store)


@pytest.fixture
def add(changes: Changes) -> Callable[..., int]:
    """Add one memory: title, then any field of Body or NewMemory."""

    def build(title: str, **given: Any) -> int:
        own = {name: given.pop(name) for name in list(given) if name in NewMemory.__dataclass_fields__}
        return changes.add([NewMemory(Body(title, **given), **own)])[0]

    return build


class Agent:
    """An agent that sends its events: Claude Code's payloads, one second apart."""

    def __init__(self, store: Store, cwd: Path) -> None:
        self.store, self.cwd, self.settings = store, cwd, CaptureSettings()
        self._ids = itertools.count(1)
        self.now = 1_700_000_000_000

    def send(self, event: str, *, delivery: str = "", agent: str = "claude-code", **payload: Any) -> ingest.Outcome:
        whole = {"session_id": "s1", "cwd": str(self.cwd), "hook_event_name": event} | payload
        return self.receive(whole, delivery=delivery, agent=agent)

    def receive(self, payload: Any, *, delivery: str = "", agent: str = "claude-code", **how: Any) -> ingest.Outcome:
        self.now += 1_000
        sent = ingest.Delivery(delivery or f"d{next(self._ids)}", agent, self.now, str(self.cwd))
        settings = how.pop("settings", self.settings)
        return ingest.receive(self.store.connection, sent, payload, settings, KEY, **how)

    def prompt(self, text: str, **payload: Any) -> ingest.Outcome:
        return self.send("UserPromptSubmit", prompt=text, **payload)

    def run(self, command: str, output: str = "ok", **payload: Any) -> ingest.Outcome:
        answer = {"stdout": output, "stderr": "", "interrupted": False}
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": answer}
        return self.send("PostToolUse", **{"tool_use_id": f"t{next(self._ids)}"} | given | payload)

    def stop(self, **payload: Any) -> ingest.Outcome:
        return self.send("Stop", **{"last_assistant_message": "Done."} | payload)

    def end(self, **payload: Any) -> ingest.Outcome:
        return self.send("SessionEnd", reason="exit", **payload)

    def commit(self, sha: str = "0123456789abcdef") -> ingest.Outcome:
        """What the git hook sends after a commit."""
        payload = {
            "hook": "post-commit",
            "cwd": str(self.cwd),
            "branch": "main",
            "sha": sha,
            "message": "Fix the retry",
        }
        return self.receive(payload, agent="git")


@pytest.fixture
def agent(store: Store, tmp_path: Path) -> Agent:
    folder = tmp_path / "orderly"
    folder.mkdir()
    return Agent(store, folder)


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder, as a fictional person."""

    def run(folder: Path, *arguments: str) -> str:
        who = ("-c", "user.name=Robin", "-c", "user.email=robin@example.com", "-c", "init.defaultBranch=main")
        done = subprocess.run(["git", *who, "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
        return done.stdout

    return run


@pytest.fixture
def repository(git: Callable[..., str]) -> Callable[[Path], Path]:
    """Make a repository with one commit of its own."""

    def make(folder: Path) -> Path:
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet")
        (folder / "README").write_text(f"made at {folder}\n")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", "Begin")
        return folder

    return make
