"""Turns for tests, said briefly: what was asked, run, changed, committed and answered."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from tui_memory.compress.turns import Turn
from tui_memory.config import CaptureSettings, CompressSettings, Settings
from tui_memory.model import Kind, Observation
from tui_memory.store.db import Store
from tui_memory.store.ingest import Delivery, receive

_ids = itertools.count(1)
NOW = 1_795_000_000_000


def observation(kind: Kind, text: str, *, files: tuple[str, ...] = (), turn: int = 1, **detail: Any) -> Observation:
    """One observation of the session `s` in the project orderly."""
    n = next(_ids)
    return Observation(
        n, f"uid-{n}", "s", "claude-code", "orderly", "main", turn, str(kind), "", NOW + n, text, list(files),
        len(text), {}, "captured", "", detail,
    )  # fmt: skip


def prompt(text: str) -> Observation:
    """What a person asked."""
    return observation(Kind.PROMPT, text)


def said(text: str) -> Observation:
    """The agent's closing message."""
    return observation(Kind.RESPONSE, text)


def ran(line: str, printed: str = "") -> Observation:
    """A command that went well."""
    return observation(Kind.COMMAND, f"$ {line}\n{printed}".rstrip(), command=line, exit_code=0)


def broke(line: str, printed: str, error: str = "") -> Observation:
    """A command that failed."""
    return observation(Kind.ERROR, f"$ {line}\n{printed}", command=line, exit_code=1, error=error)


def edited(path: str, removed: str = "", added: str = "") -> Observation:
    """A file's changed lines."""
    lines = [f"-{line}" for line in removed.splitlines()] + [f"+{line}" for line in added.splitlines()]
    head = f"{path} +{len(added.splitlines())} −{len(removed.splitlines())}"
    return observation(Kind.EDIT, "\n".join([head, *lines]), files=(path,))


def read(path: str) -> Observation:
    """A file that was looked at."""
    return observation(Kind.READ, f"Read {path} (20 lines)", files=(path,))


def commit(message: str, *files: str, diff: str = "", sha: str = "1a2b3c4d5e6f", **detail: Any) -> Observation:
    """A commit as git's hook tells it."""
    stats = [f"{path} +2 −1" for path in files]
    text = "\n".join(filter(None, (f"commit {sha}", message, *stats, diff)))
    return observation(Kind.COMMIT, text, files=files, sha=sha, subject=message.split("\n")[0], **detail)


def turn(*observations: Observation, number: int = 1, earlier: tuple[Observation, ...] = ()) -> Turn:
    """A turn of these observations."""
    return Turn(1, number, 1, "main", "claude-code", list(observations), NOW, NOW + 60_000, list(earlier))


def settings(*routes: str, **compress: Any) -> Settings:
    """Settings with these routes."""
    return Settings(compress=CompressSettings(routes=routes or ("extractive",), **compress))


class Agent:
    """A Claude Code session whose events arrive in a store, one after the other."""

    def __init__(self, home: Path, session: str = "s-1", cwd: str = "/home/dev/orderly") -> None:
        self.store = Store(home)
        self.session, self.cwd = session, cwd
        self._n = 0

    def event(self, event: str, agent: str = "claude-code", **fields: Any) -> int | None:
        """Deliver one event; the observation's id."""
        self._n += 1
        payload = {"session_id": self.session, "cwd": self.cwd, "hook_event_name": event} | fields
        delivery = Delivery(f"{self.session}-{self._n}", agent, NOW + self._n * 1000, self.cwd)
        return receive(self.store.connection, delivery, payload, CaptureSettings(), b"k" * 32).observation

    def turn(self, asked: str, answer: str, *edits: tuple[str, str, str]) -> None:
        """A whole turn: a prompt, edits (path, old, new), a closing message."""
        self.event("UserPromptSubmit", prompt=asked, prompt_id=f"p{self._n}")
        for path, old, new in edits:
            given = {"file_path": f"{self.cwd}/{path}", "old_string": old, "new_string": new}
            self.event("PostToolUse", tool_name="Edit", tool_input=given, tool_response={}, tool_use_id=f"t{self._n}")
        self.event("Stop", last_assistant_message=answer)

    def committed(self, message: str, sha: str, *files: str, **fields: Any) -> None:
        """A commit outside of any session."""
        self._n += 1
        payload = {
            "hook": "post-commit", "cwd": "/home/dev/elsewhere", "branch": "main", "sha": sha, "parents": ["0" * 40],
            "message": message, "files": [{"path": path, "added": 1, "removed": 1} for path in files], "diff": "",
        } | fields  # fmt: skip
        delivery = Delivery(f"git-{sha}", "git", NOW + self._n * 1000, self.cwd)
        receive(self.store.connection, delivery, payload, CaptureSettings(), b"k" * 32)

    def end(self) -> None:
        """The session ends."""
        self.event("SessionEnd", reason="other")


FIXED = (
    "Orders were charged twice because `PaymentService.charge` made a fresh key for every attempt.",
    ("src/payments.py", "key = uuid4().hex", "key = f'order-{order.id}'"),
)
"""A closing message and an edit that teach something."""
