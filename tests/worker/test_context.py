"""What the worker gives a session at its start knows where the session stands: its branch, its changed files."""

from __future__ import annotations

import json
import secrets
import subprocess
from pathlib import Path

import pytest

from tests.hook.running import rows, until
from tui_memory.capture import git_run
from tui_memory.engine import worker_client
from tui_memory.model import Body, NewMemory
from tui_memory.store import projects
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store


def git(top: Path, *arguments: str) -> None:
    command = git_run.command(str(top), "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments)
    subprocess.run(command, env=git_run.environment(), check=True, capture_output=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with one commit on main."""
    made = tmp_path / "shop"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    (made / "pay.py").write_text("1\n")
    git(made, "add", ".")
    git(made, "commit", "-qm", "first")
    return made


def told(home: Path, top: Path) -> list[str]:
    """The titles that a new session is given, in their order; asked again where the machine was too busy to answer."""
    given = b""
    while not given:  # the event is stored each time; what took too long is there the next time
        given = _answered(home, top)
    lines = json.loads(given)["hookSpecificOutput"]["additionalContext"].splitlines()
    return [line.split(" ", 3)[3].rsplit(" (", 1)[0] for line in lines if line.startswith("#")]


def _answered(home: Path, top: Path) -> bytes:
    event = {
        "hook_event_name": "SessionStart", "source": "startup", "session_id": secrets.token_hex(4), "cwd": str(top),
    }  # fmt: skip
    fields = ("claude-code", secrets.token_hex(16), str(top), "")
    return worker_client.ask(home, "event", fields, json.dumps(event).encode())


def test_a_start_puts_first_what_the_working_tree_is_about(worker: Path, top: Path) -> None:
    with Store(worker) as store:
        project = projects.resolve(store, str(top))
        assert project is not None
        news = [
            NewMemory(Body("On refunds"), project_id=project.id, branch="refunds", created=1_700_000_000_000),
            NewMemory(Body("On payment", files=["pay.py"]), project_id=project.id, created=1_600_000_000_000),
            NewMemory(Body("Newest"), project_id=project.id),
        ]
        Changes(store).add(news)
    assert told(worker, top) == ["Newest", "On refunds", "On payment"]
    git(top, "checkout", "-qb", "refunds")
    assert told(worker, top)[-1] == "On payment"
    assert rows(worker, "SELECT count(*) FROM start_index WHERE body LIKE '%On refunds%'") == [(1,)]


def test_files_that_are_changed_when_the_first_session_starts_count_at_once(worker: Path, top: Path) -> None:
    with Store(worker) as store:
        project = projects.resolve(store, str(top))
        assert project is not None
        old = NewMemory(Body("On payment", files=["pay.py"]), project_id=project.id, created=1_600_000_000_000)
        Changes(store).add([old, NewMemory(Body("Newest"), project_id=project.id)])
    (top / "pay.py").write_text("2\n")
    assert until(lambda: told(worker, top) == ["On payment", "Newest"])  # git has a tenth of a second, each time
