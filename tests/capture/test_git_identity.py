"""Whose addresses git writes into commits, in a folder and everywhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tui_memory import Memory
from tui_memory.capture import git_identity

EVERYWHERE, HERE = "teal@globex.co.uk", "teal.work@initech.co.uk"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an address of its own, and a person with another."""
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[user]\n\temail = {EVERYWHERE}\n\tname = Teal\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    settings.rename(tmp_path / ".gitconfig")
    made = tmp_path / "shop"
    made.mkdir()
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    subprocess.run(["git", "-C", str(made), "config", "user.email", HERE], check=True)
    git_identity._found.clear()
    return made


def test_the_folders_and_the_global_address_are_the_persons(folder: Path, tmp_path: Path) -> None:
    assert git_identity.addresses(str(folder)) == tuple(sorted((EVERYWHERE, HERE)))
    assert git_identity.addresses(str(tmp_path / "gone")) == (EVERYWHERE,)
    assert git_identity.addresses_of([str(folder)]) == tuple(sorted((EVERYWHERE, HERE)))


def test_git_is_asked_once_for_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git_identity.addresses(str(folder))
    monkeypatch.setenv("PATH", "")
    assert HERE in git_identity.addresses(str(folder))
    git_identity._found.clear()
    assert git_identity.addresses(str(folder)) == ()


def test_an_event_keeps_the_persons_own_addresses_and_no_other(folder: Path, tmp_path: Path) -> None:
    other = "amber@globex.co.uk"
    with Memory(tmp_path / "store", embedding="none") as memory:
        found = memory.capture(
            "claude-code",
            {
                "hook_event_name": "UserPromptSubmit",
                "session_id": "1",
                "cwd": str(folder),
                "prompt": f"mail {EVERYWHERE}, {HERE} and {other}",
            },
        )
        assert found is not None
        text = memory.observation([found])[0].text
    assert text == f"mail {EVERYWHERE}, {HERE} and [redacted:email]"
