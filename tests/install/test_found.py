"""What doctor knows of each agent's hooks and of git's: installed, chained, gone, switched off."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hook.running import run, until
from tests.repositories import Repository
from tui_memory.engine import status
from tui_memory.engine.memory import Memory
from tui_memory.errors import StoreError
from tui_memory.surfaces import install
from tui_memory.surfaces.install import found, git

HOOKED = ("codex", "gemini-cli", "cursor", "copilot", "opencode", "claude-code")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch home for the agents and for the store, and a project's folder to work in."""
    for name in ("CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "person").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "person"


def checks(tmp_path: Path, folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """The doctor's checks by their names."""
    with Memory(tmp_path / "store", embedding="none") as memory:
        return {check["id"]: check for check in memory.doctor(installed=found.installed(folder))["checks"]}


@pytest.mark.parametrize("scope", install.SCOPES)
@pytest.mark.parametrize("agent", HOOKED)
def test_a_hook_whose_python_is_gone_is_told_with_what_mends_it(agent: str, scope: str, tmp_path: Path) -> None:
    path = install.install(agent, scope).path
    text = path.read_text()
    path.write_text(re.sub(rf"{re.escape(sys.prefix)}/bin/python3?", "/old/venv/bin/python3", text))
    found_check = checks(tmp_path)[f"agent:{agent}"]
    assert not found_check["ok"] and found_check["fix"] == f"tui-memory install {agent}"
    assert "is gone (/old/venv/bin/python3)" in found_check["what"]


OFF: dict[str, tuple[str, str]] = {
    "claude-code": (".claude/settings.local.json", '{"disableAllHooks": true}'),
    "codex": ("person/.codex/config.toml", "[features]\nhooks = false\n"),
    "gemini-cli": ("person/.gemini/settings.json", '{"hooksConfig": {"disabled": ["tui-memory"]}, // mine\n"a": 1}'),
    "copilot": ("person/.copilot/settings.json", '{"disableAllHooks": true}'),
}


@pytest.mark.parametrize("agent", OFF)
def test_hooks_that_are_switched_off_are_warned_of_by_install_and_doctor(agent: str, tmp_path: Path) -> None:
    name, content = OFF[agent]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(content)
    setup = install.install(agent, "project" if agent == "claude-code" else "user")
    for said in (install.advice(agent, setup), install.switched_off(agent, setup.path)):
        assert "switched off" in said and str(tmp_path / name) in said
    assert "switched off" in checks(tmp_path)[f"agent:{agent}"]["what"]


def test_the_mcp_server_is_told_of(tmp_path: Path) -> None:
    install.install("cursor")
    assert "MCP server is listed in" in checks(tmp_path)["agent:cursor"]["what"]


def test_gits_hooks_are_told_of_installed_chained_outdated_and_gone(tmp_path: Path) -> None:
    repository = Repository.make(tmp_path / "orderly")
    assert not [one for one in found.installed(repository.folder) if one.agent == "git"]
    hook = repository.folder / ".git" / "hooks" / "post-merge"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntrue\n")
    hook.chmod(0o755)
    git.install(repository.folder)
    well = checks(tmp_path, repository.folder)["agent:git"]
    assert well["ok"] and "post-commit" in well["what"] and "with what else is there" in well["what"]
    commit = repository.folder / ".git" / "hooks" / "post-commit"
    text = commit.read_text()
    commit.write_text(text.replace(sys.executable, "/old/venv/bin/python"))
    gone = checks(tmp_path, repository.folder)["agent:git"]
    assert not gone["ok"] and "/old/venv/bin/python" in gone["what"] and gone["fix"] == "tui-memory install git"
    commit.unlink()
    assert not checks(tmp_path, repository.folder)["agent:git"]["ok"]
    commit.write_text(text)  # git runs no hook that is not executable
    commit.chmod(0o644)
    assert not checks(tmp_path, repository.folder)["agent:git"]["ok"]


def test_a_name_that_is_no_agents_is_nowhere_shown_as_one(tmp_path: Path) -> None:
    Memory(tmp_path / "store", embedding="none").close()
    run(tmp_path / "store", {"hook_event_name": "Stop", "session_id": "s"}, agent="../../etc")
    with Memory(tmp_path / "store", embedding="none") as memory:
        assert until(lambda: memory.stats()["captured"] == 1, 20)
        told = json.dumps(memory.doctor(installed=[]))
        assert "../../etc" not in told and "names no known agent" in told
        assert memory.stats()["dropped"] == {"error": 1}
        memory.stop_worker()


def test_events_that_a_newer_store_refused_are_counted_and_shown(tmp_path: Path) -> None:
    with Memory(tmp_path / "store", embedding="none") as memory:
        memory.store.connection.execute("PRAGMA user_version = 9999")
    for _ in range(2):
        run(tmp_path / "store", {"hook_event_name": "Stop", "session_id": "s"}, agent="claude-code")
    log = tmp_path / "store" / "log" / "hook.log"
    assert until(lambda: log.exists() and log.read_text().count("\n") == 2, 20)
    answer = status.unusable(tmp_path / "store", StoreError("made by a newer version"))
    told = next(check for check in answer["checks"] if check["id"] == "refused")
    assert not told["ok"] and "2 events" in told["what"] and "claude-code 2" in told["what"]
