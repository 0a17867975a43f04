"""Prompts are files of the package, and the user's own come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_memory.compress import prompts
from tui_memory.errors import ConfigError


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file of this test alone; the folder for its prompts."""
    monkeypatch.setenv("TUI_MEMORY_CONFIG", str(tmp_path / "config.yaml"))
    (tmp_path / "prompts").mkdir()
    return tmp_path / "prompts"


@pytest.mark.parametrize("name", prompts.NAMES)
def test_the_package_brings_each_with_a_version(name: str) -> None:
    prompt = prompts.load(name)
    assert prompt.version >= 1
    assert not prompt.text.startswith("version")


def test_the_users_own_is_taken_with_its_version(config: Path) -> None:
    (config / "turn.md").write_text("version: 12\nMine: {schema} and {other}\n")
    prompt = prompts.load("turn")
    assert (prompt.version, prompt.fill(schema="{}")) == (12, "Mine: {} and {other}")


def test_one_without_a_version_is_version_0(config: Path) -> None:
    (config / "turn.md").write_text("Mine.\nMore.")
    assert (prompts.load("turn").version, prompts.load("turn").text) == (0, "Mine.\nMore.")


def test_one_that_cannot_be_read_is_named(config: Path) -> None:
    (config / "turn.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"turn\.md"):
        prompts.load("turn")
