"""The MCP server in each agent's own list: beside other people's, whatever the file is like, and out again."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tui_memory.errors import ConfigError, UsageError
from tui_memory.surfaces.install import AGENTS, MCP, SCOPES, install, parts, running, uninstall

JSON_AGENTS = [agent for agent in AGENTS if agent != "codex"]
COMMENTS, COMMAS = ("gemini-cli", "cursor", "opencode"), ("cursor", "opencode")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch home for the agents and for the store; the project is the working directory."""
    for name in ("CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    for folder in ("person", "orderly"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "orderly")
    return tmp_path / "person"


def files(agent: str, scope: str) -> tuple[Path, Path]:
    """(the hooks' file, the server's)."""
    _, hooks, _, server = parts(agent, scope, None)
    return hooks, server


def put(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


def key(agent: str) -> str:
    return "mcp" if agent == "opencode" else "mcpServers"


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below a folder."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def every(of: list[str]) -> Iterator[tuple[str, str]]:
    return ((agent, scope) for agent in of for scope in SCOPES)


@pytest.mark.parametrize(("agent", "scope"), every(list(AGENTS)))
def test_what_install_made_is_gone_again_files_and_folders(agent: str, scope: str, tmp_path: Path) -> None:
    before = tree(tmp_path / "person"), tree(tmp_path / "orderly")
    setup = install(agent, scope)
    assert {one.path for one in setup.files} == set(files(agent, scope)) and "tui_memory" in setup.diff
    assert str(running.server())[1:-1].replace("'", '"').split(", ")[2] in files(agent, scope)[1].read_text()
    assert not install(agent, scope).changed
    uninstall(agent, scope)
    assert (tree(tmp_path / "person"), tree(tmp_path / "orderly")) == before
    assert not uninstall(agent, scope).changed


@pytest.mark.parametrize(("agent", "scope"), every(list(AGENTS)))
def test_an_empty_file_is_empty_again_and_a_folder_that_was_there_stays(agent: str, scope: str, tmp_path: Path) -> None:
    for path in files(agent, scope):
        put(path, "")
    before = tree(tmp_path / "person"), tree(tmp_path / "orderly")
    install(agent, scope)
    uninstall(agent, scope)
    assert (tree(tmp_path / "person"), tree(tmp_path / "orderly")) == before


THEIRS: dict[str, str] = {
    "another's": '{\n  "KEY": {\n    "db": {"command": "db-mcp", "args": ["-v"]}\n  },\n  "b": 2\n}\n',
    "an empty list": '{"KEY": {}}',
    "none": '{\n\t"a": [1, 2]\n}',
    "windows line ends": '{\r\n  "KEY": {\r\n    "db": {"command": "x"}\r\n  }\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "a": 1\n}\n',
    "one line": '{"KEY":{"db":{"command":"x"}},"a":1}',
}
WITH_COMMENTS = '{\n  // servers\n  "KEY": {\n    /* mine */ "db": {"command": "x"} // here\n  } // end\n}\n'
WITH_COMMAS = '{\n  // servers\n  "KEY": {\n    "db": {"command": "x",}, // last\n  },\n}\n'


def contents(agent: str) -> list[str]:
    """What such a file may be like, as the agent takes it."""
    found = [*THEIRS.values(), *([WITH_COMMENTS] if agent in COMMENTS else []), *([WITH_COMMAS] * (agent in COMMAS))]
    return [content.replace("KEY", key(agent)) for content in found]


def read(content: str) -> Any:
    from tui_memory.surfaces.install import jsontext

    return json.loads(jsontext.loose(content).removeprefix("\ufeff"))


@pytest.mark.parametrize(
    ("agent", "scope", "content"),
    [(agent, scope, content) for agent, scope in every(JSON_AGENTS) for content in contents(agent)],
)
def test_other_peoples_servers_and_comments_stay_and_come_back(agent: str, scope: str, content: str) -> None:
    path = files(agent, scope)[1]
    put(path, content)
    install(agent, scope)
    written = path.read_bytes().decode()
    ours = read(written)[key(agent)].pop("tui-memory")
    assert "tui_memory" in json.dumps(ours) and set(read(content)) <= set(read(written))
    assert read(written)[key(agent)].get("db") == read(content).get(key(agent), {}).get("db")
    assert not install(agent, scope).changed
    path.write_bytes(written.replace("db", "db2").encode())  # changed since: only ours is taken out
    uninstall(agent, scope)
    left = path.read_bytes().decode()
    assert "tui" not in left and {**read(content), key(agent): 0} == {**read(left.replace("db2", "db")), key(agent): 0}
    path.write_bytes(content.encode())
    install(agent, scope)
    uninstall(agent, scope)
    assert path.read_bytes() == content.encode()


BAD = {
    "no JSON": ('{\n "a": 1,\n "b"\n}', "line 4|line 3"),
    "no object": ("[]", "is not what|event → list"),
    "no list of servers": ('{"KEY": []}', "is not what"),
    "another's of our name": ('{"KEY": {"tui-memory": {"command": "other"}}}', "not ours"),
}


@pytest.mark.parametrize(("agent", "scope"), every(JSON_AGENTS))
@pytest.mark.parametrize("name", BAD)
def test_what_is_not_understood_is_refused_and_nothing_is_written(
    agent: str, scope: str, name: str, tmp_path: Path
) -> None:
    content, said = BAD[name]
    put(files(agent, scope)[1], content.replace("KEY", key(agent)))
    before = tree(tmp_path / "person"), tree(tmp_path / "orderly")
    with pytest.raises(ConfigError, match=said):
        install(agent, scope)
    assert (tree(tmp_path / "person"), tree(tmp_path / "orderly")) == before


@pytest.mark.parametrize("agent", [agent for agent in JSON_AGENTS if agent not in COMMAS])
def test_a_comma_too_many_is_refused_where_the_agent_does(agent: str) -> None:
    put(files(agent, "user")[1], '{\n  "a": 1,\n}\n')
    with pytest.raises(ConfigError, match=r"line 3|line 2"):
        install(agent)


@pytest.mark.parametrize(("agent", "scope"), every(list(AGENTS)))
def test_a_read_only_file_is_left_alone_with_its_neighbour(agent: str, scope: str, tmp_path: Path) -> None:
    path = files(agent, scope)[1]
    put(path, "" if agent == "codex" else "{}")
    path.chmod(0o444)
    before = tree(tmp_path / "person"), tree(tmp_path / "orderly")
    with pytest.raises(ConfigError, match="read-only"):
        install(agent, scope)
    assert (tree(tmp_path / "person"), tree(tmp_path / "orderly")) == before


@pytest.mark.parametrize(("agent", "scope"), every(list(AGENTS)))
def test_links_stay_links_also_those_that_lead_nowhere_yet(agent: str, scope: str, tmp_path: Path) -> None:
    for number, path in enumerate(dict.fromkeys(files(agent, scope))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(tmp_path / f"dotfile{number}{path.suffix}")
    install(agent, scope)
    assert all(path.is_symlink() and path.exists() for path in files(agent, scope))
    uninstall(agent, scope)
    assert all(path.is_symlink() and not path.exists() for path in files(agent, scope))


# Codex: TOML, which Codex itself rewrites


def test_what_codex_writes_behind_ours_stays(home: Path) -> None:
    path = files("codex", "user")[1]
    put(path, '# mine\nmodel = "x"\n')
    install("codex")
    later = '\n[mcp_servers.other]\ncommand = "echo"\nargs = ["hi"]\n# <- mine, too\n'
    own = '\n[mcp_servers.tui-memory.tools.memory_save]\napproval_mode = "approve"\n'
    path.write_text(path.read_text() + own + later)
    assert not install("codex").changed
    uninstall("codex")
    assert path.read_text() == '# mine\nmodel = "x"\n' + later


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a = 1\nb = \n", "line 2"),
        ("\ufeffa = 1\n", "byte order mark"),
        ('mcp_servers = {a = {command = "x"}}\n', "as one value"),
        ('[mcp_servers.tui-memory]\ncommand = "other"\n', "not ours"),
    ],
)
def test_settings_of_codex_that_cannot_take_ours_are_refused(content: str, said: str, tmp_path: Path) -> None:
    put(files("codex", "user")[1], content)
    before = tree(tmp_path / "person")
    with pytest.raises(ConfigError, match=said):
        install("codex")
    assert tree(tmp_path / "person") == before


def test_codex_hands_the_places_of_the_store_on() -> None:
    install("codex")
    listed = tomllib.loads(files("codex", "user")[1].read_text())["mcp_servers"]["tui-memory"]
    assert {"TUI_MEMORY_HOME", "TUI_MEMORY_CONFIG"} <= set(listed["env_vars"])


# install mcp: the server alone


def test_mcp_is_the_server_alone_of_every_agent_that_is_used(home: Path) -> None:
    with pytest.raises(UsageError, match="tui_memory mcp"):
        install(MCP)
    for folder in (".gemini", ".cursor"):
        (home / folder).mkdir()
    assert {one.path for one in install(MCP).files} == {files("gemini-cli", "user")[1], files("cursor", "user")[1]}
    assert "hook.py" not in files("gemini-cli", "user")[0].read_text() and not files("cursor", "user")[0].exists()
    install("gemini-cli")
    uninstall(MCP)
    left = files("gemini-cli", "user")[0].read_text()
    assert "hook.py" in left and "mcpServers" not in left and not files("cursor", "user")[1].exists()
    uninstall("gemini-cli")
    assert not files("gemini-cli", "user")[0].exists() and (home / ".gemini").is_dir()
