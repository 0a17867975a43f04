"""Installing into an agent's settings: what is there stays, byte for byte, and can be had back."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tui_memory.errors import ConfigError, UsageError
from tui_memory.surfaces.install import install, uninstall
from tui_memory.surfaces.install.claude_code import EVENTS, with_hooks, without_hooks

CONFIGS = Path(__file__).parent.parent / "fixtures" / "_configs"
ANY = Path("settings.json")

EXISTING = {
    "absent hooks": '{\n  "model": "opus"\n}\n',
    "tabs": '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}',
    "four spaces": '{\n    "permissions": {\n        "allow": ["Bash(npm test)"]\n    }\n}\n',
    "one line": '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    "odd spacing": '{ "a" :1 ,\n     "hooks":{"PostToolUse" :[ {"matcher":"Edit","hooks":[]} ] , "Stop":[]}  }  \n\n',
    "windows line ends": '{\r\n  "model": "opus",\r\n  "hooks": {}\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "model": "opus"\n}',
    "braces in strings": '{\n  "env": {"A": "}]{\\"hooks\\": [", "é": "\\u00e9"}\n}\n',
    "empty object": "{}",
    "nothing but space": " \n",
    "other people's hooks": (CONFIGS / "claude-code.settings_preexisting_user_hooks.json").read_text(),
}


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scratch home for the agent and for the store."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))


def settings(tmp_path: Path, content: str | None = None) -> Path:
    """The user's settings file, with content where given."""
    path = tmp_path / "claude" / "settings.json"
    if content is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    return path


def test_a_fresh_installation_runs_the_hook_without_a_shell(tmp_path: Path) -> None:
    plan = install("claude-code")
    value = json.loads(settings(tmp_path).read_text())
    assert plan.files[0].before is None and plan.path == settings(tmp_path) and "+" in plan.diff
    assert set(value["hooks"]) == set(EVENTS)
    one = value["hooks"]["Stop"][0]["hooks"][0]
    assert one["command"] == sys.executable and one["args"][:2] == ["-I", "-S"] and one["args"][3] == "claude-code"
    assert Path(one["args"][2]).is_file() and one["timeout"] <= 60 and "async" not in one


@pytest.mark.parametrize("content", EXISTING.values(), ids=EXISTING.keys())
def test_what_was_there_is_still_there_and_comes_back_to_the_byte(tmp_path: Path, content: str) -> None:
    path = settings(tmp_path, content)
    before = json.loads(content.removeprefix("\ufeff").strip() or "{}")
    install("claude-code")
    after = json.loads(path.read_bytes().decode().removeprefix("\ufeff"))
    assert {name: value for name, value in after.items() if name != "hooks"} == {
        name: value for name, value in before.items() if name != "hooks"
    }
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    assert all(after["hooks"][event][-1]["hooks"][0]["args"][3] == "claude-code" for event in EVENTS)
    uninstall("claude-code")
    assert path.read_bytes() == content.encode()


@pytest.mark.parametrize("content", EXISTING.values(), ids=EXISTING.keys())
def test_the_untouched_parts_keep_their_bytes(content: str) -> None:
    written = with_hooks(content, ANY)
    at = 0
    for piece in content.split():  # every word of the file, in its order
        at = written.find(piece.rstrip("}],"), at)
        assert at >= 0, piece


CLEAN = set(EXISTING) - {"tabs", "odd spacing", "windows line ends", "nothing but space"}
"""Those without an empty list or object of hooks: that one would go, too."""


@pytest.mark.parametrize("name", sorted(CLEAN))
def test_removal_without_a_back_up_leaves_no_trace_either(name: str) -> None:
    content = EXISTING[name]
    assert without_hooks(with_hooks(content, ANY), ANY) == content


def test_it_can_be_repeated(tmp_path: Path) -> None:
    settings(tmp_path, EXISTING["other people's hooks"])
    install("claude-code")
    first = settings(tmp_path).read_bytes()
    assert not install("claude-code").changed and settings(tmp_path).read_bytes() == first
    uninstall("claude-code")
    assert not uninstall("claude-code").changed


def test_an_older_installation_is_replaced_and_the_first_back_up_kept(tmp_path: Path) -> None:
    original = EXISTING["other people's hooks"]
    path = settings(tmp_path, original)
    install("claude-code")
    moved = path.read_text().replace(json.dumps(sys.executable), '"/old/python"')
    path.write_text(moved)
    assert install("claude-code").changed
    assert "/old/python" not in path.read_text() and path.read_text().count("hook.py") == len(EVENTS)
    uninstall("claude-code")
    assert path.read_text() == original


def test_a_change_made_since_survives_the_removal(tmp_path: Path) -> None:
    path = settings(tmp_path, EXISTING["absent hooks"])
    install("claude-code")
    path.write_text(path.read_text().replace('"opus"', '"sonnet"'))
    uninstall("claude-code")
    assert path.read_text() == EXISTING["absent hooks"].replace("opus", "sonnet")


def test_a_file_we_made_goes_away_again(tmp_path: Path) -> None:
    install("claude-code")
    plan = uninstall("claude-code")
    assert [one.after for one in plan.files] == [None, None] and not settings(tmp_path).exists()


def test_a_hook_of_somebody_else_in_our_group_stays(tmp_path: Path) -> None:
    path = settings(tmp_path)
    install("claude-code")
    value = json.loads(path.read_text())
    value["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "theirs"})
    path.write_text(json.dumps(value, indent=2))
    uninstall("claude-code")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{\n  // a comment\n  "a": 1\n}', "line 2"),
        ('{"a": 1,\n}', "line 2"),
        ('{"hooks": []}', "hooks"),
        ('{"hooks": {"Stop": {}}}', "hooks"),
        ("[]", "hooks"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(tmp_path: Path, content: str, said: str) -> None:
    path = settings(tmp_path, content)
    for change in (install, uninstall):
        with pytest.raises(ConfigError, match=said):
            change("claude-code")
    assert path.read_text() == content


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = settings(tmp_path, "{}")
    path.write_bytes(b'{\n"a": "\xff"}')
    with pytest.raises(ConfigError, match="line 2"):
        install("claude-code")


def test_a_dry_run_only_tells(tmp_path: Path) -> None:
    path = settings(tmp_path, EXISTING["absent hooks"])
    plan = install("claude-code", dry_run=True)
    assert plan.changed and plan.diff.startswith("---") and path.read_text() == EXISTING["absent hooks"]
    assert not (tmp_path / "store").exists()


def test_the_projects_scope_is_its_own_file(tmp_path: Path) -> None:
    plan = install("claude-code", scope="project", project=tmp_path / "orderly")
    assert plan.path == tmp_path / "orderly" / ".claude" / "settings.json" and plan.path.exists()
    assert not settings(tmp_path).exists()


def test_mode_and_symbolic_link_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    settings(tmp_path, "").unlink()
    settings(tmp_path).symlink_to(real)
    install("claude-code")
    assert settings(tmp_path).is_symlink() and "hooks" in real.read_text() and os.stat(real).st_mode & 0o777 == 0o640


def test_the_hook_knows_the_settings_from_then_on(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("capture:\n  max_body: 1000\n")
    install("claude-code")
    assert json.loads((tmp_path / "store" / "settings.json").read_text())["capture"]["max_body"] == 1000


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="claude-code"):
        install("hal")
    with pytest.raises(UsageError, match="user"):
        install("claude-code", scope="galaxy")
