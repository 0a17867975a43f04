"""Driving a real agent's own program, offline, in a scratch home with our hooks installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DRIVE = Path(__file__).parent.parent / "agents" / "drive.py"
TIME_LIMIT = 120.0  # seconds for one session; a start of the agent alone takes a few


def agents() -> Path | None:
    """Where the agents' npm packages are (TUI_MEMORY_AGENTS); None where the variable is unset or they are not."""
    given = os.environ.get("TUI_MEMORY_AGENTS", "")
    return Path(given) if given and (Path(given) / "node_modules").is_dir() else None


def without(package: str) -> str:
    """Why an agent's tests are skipped; '' where its npm package is there."""
    where = agents()
    if where is None:
        return "TUI_MEMORY_AGENTS names no folder with the agents' npm packages"
    return "" if (where / "node_modules" / package).is_dir() else f"the npm package {package} is not in {where}"


@dataclass
class Machine:
    """A scratch home with a project in it, and a store."""

    root: Path

    @property
    def home(self) -> Path:
        """The agent's home."""
        return self.root / "person"

    @property
    def project(self) -> Path:
        """The repository the agent works in."""
        return self.root / "orderly"

    @property
    def store(self) -> Path:
        """The store."""
        return self.root / "store"

    def prepare(self) -> None:
        """A small repository, and an empty home."""
        (self.project / "orderly").mkdir(parents=True)
        self.home.mkdir()
        (self.project / "orderly" / "models.py").write_text("from pydantic import BaseModel, validator\n")
        for command in ("init -q -b main", "add -A", "commit -qm start"):
            subprocess.run(["git", *command.split()], cwd=self.project, env=self.environment(), check=True)

    def environment(self) -> dict[str, str]:
        """What agent, hooks and worker run with; nothing of this machine's own settings."""
        dropped = ("CLAUDE", "ANTHROPIC", "TUI_MEMORY", "XDG_", "GIT_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        author = {f"GIT_{who}_{what}": f"dev{'@example.com' if what == 'EMAIL' else ''}"
                  for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
        ours = {"TUI_MEMORY_HOME": str(self.store), "TUI_MEMORY_CONFIG": str(self.root / "config.yaml")}
        return kept | author | ours | {"HOME": str(self.home)}

    def run(self, agent: str, where: Path, script: list[dict[str, Any]], prompt: str, name: str, *extra: str) -> str:
        """One session, tried twice: the requests' log. AssertionError with the agent's output where it fails."""
        file, log = self.root / f"{name}.json", self.root / f"{name}.jsonl"
        file.write_text(json.dumps(script))
        command = [sys.executable, str(DRIVE), agent, "--agents", str(where), "--home", str(self.home)]
        command += [
            "--project",
            str(self.project),
            "--script",
            str(file),
            "--log",
            str(log),
            "--prompt",
            prompt,
            *extra,
        ]
        said = ""
        for _ in range(2):
            log.unlink(missing_ok=True)
            try:
                done = subprocess.run(
                    command, env=self.environment(), capture_output=True, text=True, timeout=TIME_LIMIT, check=False
                )
            except subprocess.TimeoutExpired as error:
                said += f"no end after {TIME_LIMIT:.0f} s: {error.stdout!r} {error.stderr!r}\n"
                continue
            if done.returncode == 0:
                return log.read_text()
            said += f"status {done.returncode}\n{done.stdout}\n{done.stderr}\n"
        raise AssertionError(said)
