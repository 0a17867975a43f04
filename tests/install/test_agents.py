"""Installing into the other agents' configurations: what is there stays, byte for byte, and can be had back."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tui_memory.errors import ConfigError
from tui_memory.surfaces.install import advice, codex, copilot, cursor, gemini_cli, install, uninstall

AGENTS = ("codex", "gemini-cli", "cursor", "copilot", "opencode")
USER_FILES = {
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".copilot/hooks/tui-memory.json",
    "opencode": ".config/opencode/plugins/tui-memory.js",
}
SERVER_FILES = {
    "codex": ".codex/config.toml",
    "gemini-cli": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
    "copilot": ".copilot/mcp-config.json",
    "opencode": ".config/opencode/opencode.json",
}
PROJECT_FILES = {
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".github/hooks/tui-memory.json",
    "opencode": ".opencode/plugins/tui-memory.js",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch home for the agents and for the store."""
    for name in ("CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    return tmp_path / "person"


def put(path: Path, content: str) -> Path:
    """A file with content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize("agent", AGENTS)
def test_each_scope_is_its_own_file_and_goes_away_again(agent: str, home: Path, tmp_path: Path) -> None:
    for scope, file in (("user", home / USER_FILES[agent]), ("project", tmp_path / "orderly" / PROJECT_FILES[agent])):
        plan = install(agent, scope, tmp_path / "orderly")
        assert plan.path == file and file.exists() and plan.diff
        assert not install(agent, scope, tmp_path / "orderly").changed
        uninstall(agent, scope, tmp_path / "orderly")
        assert not file.exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_dry_run_only_tells(agent: str, home: Path) -> None:
    assert install(agent, dry_run=True).changed and not (home / USER_FILES[agent]).exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_an_older_installation_is_replaced(agent: str, home: Path) -> None:
    install(agent)
    file = home / USER_FILES[agent]
    fresh = file.read_text()
    file.write_text(fresh.replace(f"{sys.prefix}/bin/python3", "/old/bin/python3").replace(sys.executable, "/old/x"))
    assert install(agent).changed and file.read_text() == fresh


def commands(value: Any) -> list[str]:
    """Every command line in a configuration."""
    if isinstance(value, dict):
        if "mcp" in (value.get("args") or []):
            return []  # the MCP server
        if "exec" in value:
            return [shlex.join([value["exec"], *value["args"]])]
        own = [value[name] for name in ("command", "bash") if isinstance(value.get(name), str)]
        return own + [line for part in value.values() for line in commands(part)]
    return [line for part in value for line in commands(part)] if isinstance(value, list) else []


@pytest.mark.parametrize("agent", ["codex", "gemini-cli", "cursor", "copilot"])
@pytest.mark.parametrize("scope", ["user", "project"])
def test_what_is_written_runs_the_hook(agent: str, scope: str, tmp_path: Path) -> None:
    plan = install(agent, scope, tmp_path / "or 'derly")
    lines = commands(json.loads(plan.path.read_text()))
    assert lines and all(f"hook.py {agent}" in line for line in lines)
    done = subprocess.run(["sh", "-c", lines[0]], input=b"", capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def timeouts(value: Any, name: str) -> set[int]:
    """Every time-out in a configuration."""
    if isinstance(value, dict):
        return {value[name]} if name in value else {n for part in value.values() for n in timeouts(part, name)}
    return {n for part in value for n in timeouts(part, name)} if isinstance(value, list) else set()


def test_each_agent_is_told_its_time_outs_in_its_own_unit(home: Path) -> None:
    for agent, name, wanted in (
        ("codex", "timeout", {10, 3}),  # seconds; a session's end has three at most
        ("gemini-cli", "timeout", {10_000}),  # milliseconds
        ("cursor", "timeout", {10}),
        ("copilot", "timeoutSec", {10}),
    ):
        install(agent)
        assert timeouts(json.loads((home / USER_FILES[agent]).read_text()), name) == wanted


COMMENTED = """\
{
  // how I like it
  "theme": "GitHub", /* dark */
  "hooks": {
    "AfterTool": [ // mine
      {"matcher": "write_file", "hooks": [{"type": "command", "command": "format //"}]} // keep
    ], // end
    // nothing here yet
    "BeforeAgent": [
      // one day
    ]
  } // of hooks
  // the end
}
"""
EXISTING = {
    "comments everywhere": COMMENTED,
    "comment before the only member": '{\n  // a note\n  "hooks": {}\n}\n',
    "comment after the last member": '{\n  "a": "x" // note\n}\n',
    "only a comment": "{\n  // nothing yet\n}\n",
    "comment on one line": '{"a": 1 /* , "b": 2 */}',
    "what looks like one in a string": '{\n  "a": "http://example.com/*",\n  "b": "*/ // \\" //"\n}',
    "windows line ends": '{\r\n  "a": 1, // x\r\n  "b": 2 // y\r\n}\r\n',
}


@pytest.mark.parametrize("agent", ["gemini-cli", "cursor"])
@pytest.mark.parametrize("content", EXISTING.values(), ids=EXISTING.keys())
def test_comments_and_other_peoples_hooks_are_kept_and_come_back_to_the_byte(
    agent: str, content: str, home: Path
) -> None:
    file = put(home / USER_FILES[agent], content)
    install(agent)
    written = file.read_bytes().decode()
    assert all(word in written for word in content.replace(",", " ").split() if word.strip("[]{}"))
    assert not install(agent).changed
    uninstall(agent)
    assert file.read_bytes() == content.encode()


@pytest.mark.parametrize("name", EXISTING)
def test_what_changed_since_survives_the_removal_with_its_comments(name: str, home: Path) -> None:
    content = EXISTING[name]
    file = put(home / USER_FILES["gemini-cli"], content)
    install("gemini-cli")
    file.write_bytes(file.read_bytes() + b"// added later\n")
    uninstall("gemini-cli")
    left = file.read_bytes().decode()
    assert "hook.py" not in left and left.endswith("// added later\n")
    comments = [line.split("//", 1)[1] for line in content.splitlines() if "//" in line and '"' not in line]
    assert all(comment in left for comment in comments)
    install("gemini-cli")  # and what is left is still a file that can be read
    assert "hook.py" in file.read_text()


@pytest.mark.parametrize(
    ("agent", "content", "said"),
    [
        ("codex", '{\n "hooks": {,}\n}', "line 2"),
        ("codex", '{\n // no comments here\n "hooks": {}\n}', "line 2"),
        ("gemini-cli", '{\n // fine\n "a": 1,\n}', "line 4"),
        ("gemini-cli", '{"hooks": {"AfterTool": {}}}', "event → list"),
        ("cursor", '{"version": 1, "hooks": []}', "event → list"),
        ("copilot", "[]", "event → list"),
        ("opencode", "export const Mine = 1\n", "line 1"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(agent: str, content: str, said: str, home: Path) -> None:
    file = put(home / USER_FILES[agent], content)
    for change in (install, uninstall):
        with pytest.raises(ConfigError, match=said):
            change(agent)
    assert file.read_text() == content


def test_the_version_is_there_and_a_hook_of_somebody_else_stays(home: Path) -> None:
    theirs = {"hooks": {"stop": [{"command": "theirs"}], "preToolUse": [{"command": "guard", "failClosed": True}]}}
    file = put(home / USER_FILES["cursor"], json.dumps(theirs, indent=4))
    install("cursor")
    value = json.loads(file.read_text())
    assert value["version"] == 1 and set(value["hooks"]) == set(cursor.EVENTS) | {"preToolUse"}
    assert value["hooks"]["stop"][0] == {"command": "theirs"} and len(value["hooks"]["stop"]) == 2
    file.write_text(file.read_text() + "\n")
    uninstall("cursor")
    assert json.loads(file.read_text()) == {"version": 1} | theirs


def test_gemini_asks_for_no_event_that_comes_with_every_request(home: Path) -> None:
    install("gemini-cli")
    assert set(json.loads((home / USER_FILES["gemini-cli"]).read_text())["hooks"]) == set(gemini_cli.EVENTS)
    assert not {"BeforeModel", "AfterModel", "PreCompress"} & set(gemini_cli.EVENTS)


def test_copilot_needs_no_shell_and_a_repositorys_file_does_nothing_elsewhere(tmp_path: Path, home: Path) -> None:
    install("copilot")
    mine = json.loads((home / USER_FILES["copilot"]).read_text())["hooks"]
    assert set(mine) == set(copilot.EVENTS) and mine["agentStop"][0]["args"][-2:] == ["--event", "agentStop"]
    install("copilot", "project", tmp_path)
    shared = json.loads((tmp_path / PROJECT_FILES["copilot"]).read_text())["hooks"]["agentStop"][0]
    line = shared["bash"].replace(sys.prefix, "/not/on/this/machine").replace(sys.executable, "/not/here")
    done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=60)
    assert "exec" not in shared and (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


# Codex: two possible files, and a gate


TOML = """\
# my settings
model = "gpt-5.5"   # the good one

[[hooks.PostToolUse]]
matcher = "^Bash$"
[[hooks.PostToolUse.hooks]]
type = "command"
command = "audit"

[hooks.state."x:post_tool_use:0:0"]
trusted_hash = "abc"
"""


def test_codexs_hooks_join_those_that_are_in_its_settings(home: Path) -> None:
    file = put(home / ".codex/config.toml", TOML)
    plan = install("codex")
    assert plan.path == file and file.read_text().startswith(TOML)
    value = tomllib.loads(file.read_text())
    assert set(value["hooks"]) == {*codex.EVENTS, "state"} and len(value["hooks"]["PostToolUse"]) == 2
    assert value["hooks"]["PostToolUse"][0]["hooks"][0]["command"] == "audit"
    assert value["hooks"]["Stop"][0]["hooks"][0] == codex.handler("Stop")
    assert not install("codex").changed
    uninstall("codex")
    assert file.read_text() == TOML


@pytest.mark.parametrize("ending", ["\n", "", "\r\n"])
def test_what_codex_writes_into_its_settings_later_stays(ending: str, home: Path) -> None:
    content = TOML.rstrip("\n").replace("\n", ending if ending == "\r\n" else "\n") + ending
    file = put(home / ".codex/config.toml", content)
    install("codex")
    later = '\n[hooks.state."y"]\ntrusted_hash = "def"\n'
    file.write_bytes(file.read_bytes() + later.encode())
    assert not install("codex").changed
    uninstall("codex")
    assert tomllib.loads(file.read_bytes().decode()) == tomllib.loads(content + later)


def test_settings_without_hooks_are_left_alone(home: Path) -> None:
    settings = put(home / ".codex/config.toml", 'model = "x"\n[hooks.state."a"]\ntrusted_hash = "b"\n')
    before = settings.read_text()
    assert install("codex").path == home / ".codex/hooks.json"
    assert settings.read_text().startswith(before) and "hooks.Stop" not in settings.read_text()


def test_hooks_that_cannot_be_added_to_are_refused(home: Path) -> None:
    content = 'hooks.Stop = [{hooks = [{type = "command", command = "x"}]}]\n'
    file = put(home / ".codex/config.toml", content)
    with pytest.raises(ConfigError, match=r"\[\[hooks.EVENT\]\]"):
        install("codex")
    assert file.read_text() == content


def test_codexs_command_is_the_same_whatever_pythons_name_was(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("codex")
    before = (home / ".codex/hooks.json").read_bytes()
    other = Path(sys.prefix) / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(other if other.exists() else sys.executable))
    assert not install("codex").changed and (home / ".codex/hooks.json").read_bytes() == before


def test_codexs_gate_is_explained_and_switched_off_hooks_are_told(home: Path) -> None:
    plan = install("codex")
    assert "/hooks" in advice("codex", plan) and "trust" in advice("codex", plan)
    assert advice("codex", install("codex")) == ""
    put(home / ".codex/config.toml", "[features]\nhooks = false\n")
    assert "switched off" in advice("codex", install("codex"))


def test_the_places_that_agents_can_move_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "cx"))
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "cp"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert install("codex").path == tmp_path / "cx" / "hooks.json"
    assert install("copilot").path == tmp_path / "cp" / "hooks" / "tui-memory.json"
    assert install("opencode").path == tmp_path / "xdg" / "opencode" / "plugins" / "tui-memory.js"
