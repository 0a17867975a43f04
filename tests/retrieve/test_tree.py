"""What a working tree says of what is being worked on: real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tui_memory.capture import git_run
from tui_memory.retrieve import tree


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository of one commit with two files."""
    for name in ("kept.py", "döc with space.md"):
        (tmp_path / name).write_text("1\n")
    for arguments in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first"),
    ):
        subprocess.run(git_run.command(str(tmp_path), *arguments), env=git_run.environment(), check=True)
    return tmp_path


def test_changed_and_new_files_are_named_as_they_are(top: Path) -> None:
    assert tree.changed(str(top)) == ()
    (top / "döc with space.md").write_text("2\n")
    (top / "new.py").write_text("")
    assert set(tree.changed(str(top)) or ()) == {"döc with space.md", "new.py"}
    (top / "kept.py").unlink()
    assert "kept.py" in (tree.changed(str(top)) or ())


def test_a_tree_that_changed_everywhere_says_nothing(top: Path) -> None:
    for number in range(300):
        (top / f"made{number}.py").write_text("")
    assert tree.changed(str(top)) == ()


@pytest.mark.parametrize("folder", ["", "/nowhere/at/all"])
def test_no_tree_no_files(folder: str) -> None:
    assert tree.changed(folder) is None
