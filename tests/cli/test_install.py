"""install and uninstall: the change is shown, asked for, made, and taken back to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.processes import on_terminal
from tests.cli.shell import Shell

KEPT = '{\n  "model": "opus",   "hooks": {}\n}\n'


@pytest.fixture
def settings(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The agent's settings, with something of the person's own in it."""
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    path = machine / "user" / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(KEPT)
    return path


def test_a_dry_run_shows_the_change_and_makes_none(shell: Shell, settings: Path) -> None:
    answer = shell("install", "claude-code", "--dry-run")
    assert answer.code == 0 and answer.out.startswith(f"--- {settings}")
    assert "+" in answer.out and "SessionStart" in answer.out
    assert "Nothing was changed" in answer.err and settings.read_text() == KEPT


def test_without_anybody_to_ask_it_is_refused(shell: Shell, settings: Path) -> None:
    answer = shell("install", "claude-code", stdin="y\n")
    assert answer.code == 4 and "--yes" in answer.err and settings.read_text() == KEPT


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 4), ("\n", 4)])
def test_it_shows_the_change_and_asks_and_no_is_the_default(settings: Path, typed: str, code: int) -> None:
    left, shown = on_terminal("install", "claude-code", typed=typed)
    assert left == code and "SessionStart" in shown
    assert ("SessionStart" in settings.read_text()) is (code == 0)


def test_yes_makes_it_and_uninstall_gives_back_the_bytes(shell: Shell, settings: Path) -> None:
    servers = settings.parent.parent / ".claude.json"
    answer = shell("install", "claude-code", "--yes")
    assert answer.out.splitlines()[-1] == (
        f"Wrote {settings}, {servers} · tui-memory uninstall claude-code gives the exact bytes back"
    )
    assert json.loads(settings.read_text())["model"] == "opus"
    assert shell("install", "claude-code", "--yes").out == (
        f"Nothing to do: {settings}, {servers} are as they should be\n"
    )
    assert shell("uninstall", "claude-code", "--yes").code == 0
    assert settings.read_text() == KEPT and not servers.exists()
    assert shell("uninstall", "claude-code", "--yes").out.startswith("Nothing to do")


def test_a_program_is_told_what_was_done(shell: Shell, settings: Path) -> None:
    assert shell("install", "claude-code", "--json").code == 4
    shown = shell("install", "claude-code", "--json", "--dry-run").json
    assert (shown["path"], shown["changed"], shown["written"]) == (str(settings), True, False)
    assert "SessionStart" in shown["diff"]
    assert shell("install", "claude-code", "--json", "--yes").json["written"]


def test_a_projects_scope_is_its_own_file(shell: Shell, machine: Path, settings: Path) -> None:
    shell("install", "claude-code", "--scope", "project", "--yes")
    assert (machine / "elsewhere" / ".claude" / "settings.json").exists() and settings.read_text() == KEPT
    assert shell("uninstall", "claude-code", "--scope", "project", "--yes").out.splitlines()[-1].startswith("Removed ")
    assert not (machine / "elsewhere" / ".claude" / "settings.json").exists()


def test_an_agent_that_is_not_known_is_wrong_usage(shell: Shell, settings: Path) -> None:
    for args in (["install", "hal"], ["uninstall", "hal"]):
        answer = shell(*args)
        assert (answer.code, answer.out) == (2, "") and "'hal'" in answer.err and "claude-code" in answer.err


def test_settings_that_cannot_be_read_are_left_alone(shell: Shell, settings: Path) -> None:
    settings.write_text('{"hooks": ')
    answer = shell("install", "claude-code", "--yes")
    assert answer.code == 2 and "settings.json" in answer.err and settings.read_text() == '{"hooks": '


def test_what_a_person_must_do_next_is_said_beside_the_data(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    answer = shell("install", "codex", "--yes")
    assert answer.code == 0 and "/hooks" in answer.err and "/hooks, and" not in answer.out
