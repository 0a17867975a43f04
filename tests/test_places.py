"""Where things are: given, by environment, by the platform's rules."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import platformdirs
import pytest

from tui_memory import places


def test_the_environment_names_the_store_and_the_settings(tmp_path: Path) -> None:
    assert places.home() == tmp_path / "store"
    assert places.config_file() == tmp_path / "config.yaml"
    assert places.home("~/mine") == Path.home() / "mine"
    assert places.home("relative").is_absolute()


@pytest.mark.parametrize(
    "given", [{}, {"XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/etc/mine"}, {"XDG_DATA_HOME": "relative"}]
)
def test_without_it_they_are_where_the_platform_keeps_such_things(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str]
) -> None:
    for name in ("TUI_MEMORY_HOME", "TUI_MEMORY_CONFIG"):
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    if given.get("XDG_DATA_HOME") == "relative":  # to be ignored, says the specification of these variables
        assert places.home() == Path.home() / ".local" / "share" / "tui-memory"
        return
    assert places.home() == platformdirs.user_data_path("tui-memory")
    assert places.config_file() == platformdirs.user_config_path("tui-memory") / "config.yaml"


def test_macos_keeps_them_in_application_support(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TUI_MEMORY_HOME")
    monkeypatch.delenv("TUI_MEMORY_CONFIG")
    monkeypatch.setattr(sys, "platform", "darwin")
    support = Path.home() / "Library" / "Application Support" / "tui-memory"
    assert places.home() == support
    assert places.config_file() == support / "config.yaml"


def test_everything_of_a_store_is_inside_it(tmp_path: Path) -> None:
    inside = (
        places.database,
        places.worker_file,
        places.settings_file,
        places.key_file,
        places.vectors_dir,
        places.log_dir,
    )
    assert {place(tmp_path).parent for place in inside} == {tmp_path}
    assert len({place(tmp_path) for place in inside}) == len(inside)


def test_a_socket_is_beside_the_store_unless_its_path_is_too_long() -> None:
    assert places.hook_socket(Path("/s")) == Path("/s/hook.sock")
    assert places.hook_socket(Path("/" + "s" * 100)) is None
    assert places.hook_socket(Path("/" + "é" * 50)) is None


def test_the_runtime_directory_is_this_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert places.runtime_dir() == tmp_path
    assert stat.S_ISDIR(tmp_path.stat().st_mode)
    for value in ("", "relative", str(tmp_path / "missing")):
        monkeypatch.setenv("XDG_RUNTIME_DIR", value)
        assert places.runtime_dir().name.startswith("tui-memory-")


def test_the_program_is_called_by_its_path_where_the_shell_would_not_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "an environment" / "bin" / places.APP
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(script.with_name("python")))
    monkeypatch.setenv("PATH", "/nowhere")
    assert places.program() == f"'{script}'"
    monkeypatch.setenv("PATH", str(script.parent))
    assert places.program() == places.APP
