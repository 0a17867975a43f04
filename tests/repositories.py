"""Throw-away git repositories of a fictional person."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_WHO = (
    "-c", "user.name=Robin", "-c", "user.email=robin@example.com", "-c", "init.defaultBranch=main",
    "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always",
)  # fmt: skip


class Repository:
    """A repository, or a working tree of one, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def make(cls, folder: Path) -> Repository:
        """A new repository without commits."""
        folder.mkdir(parents=True)
        made = cls(folder)
        made.git("init", "--quiet")
        for name, value in (("user.name", "Robin"), ("user.email", "robin@example.com")):
            made.git("config", name, value)
        return made

    def git(self, *arguments: str, given: str | None = None, **environment: str) -> str:
        """Run git here; what it prints."""
        done = subprocess.run(
            ["git", *_WHO, "-C", str(self.folder), *arguments],
            check=True, capture_output=True, text=True, input=given, env=os.environ | environment,
        )  # fmt: skip
        return done.stdout

    def commit(self, message: str, files: dict[str, str] | None = None, *, author: str = "") -> str:
        """Write files and commit them: the commit's name."""
        for name, text in (files if files is not None else {"notes.txt": message}).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message, *([f"--author={author}"] if author else []))
        return self.head

    @property
    def head(self) -> str:
        """The name of the commit that is checked out."""
        return self.git("rev-parse", "HEAD").strip()
