"""A store with the packaged model, and repositories that change under it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui_memory import Memory, config

RULES_ONLY = config.Settings(compress=config.CompressSettings(routes=("extractive",)))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty store that works with words alone."""
    with Memory(tmp_path / "store", embedding="none", settings=RULES_ONLY) as made:
        yield made


class Repository:
    """A repository with a project of its own in the store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Robin", "-c", "user.email=robin@example.com", "-c", "init.defaultBranch=main")
        command = ["git", *who, "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def commit(self, **files: str | None) -> str:
        """Write files (`src__app.py` is src/app.py; None: remove) and commit them: the commit."""
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_dot_", ".")
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "Change")
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[str], Repository]:
    def make(name: str) -> Repository:
        return Repository(tmp_path / name)

    return make
