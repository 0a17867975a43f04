"""What the documents say is what the program is."""

from __future__ import annotations

import importlib.util
import re
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def make() -> types.ModuleType:
    """docs/make.py, which writes those parts of the README."""
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs" / "make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_has_every_command_with_its_own_words(make: types.ModuleType) -> None:
    text = make.README.read_text(encoding="utf-8")
    assert make.with_table(text) == text, "run: python docs/make.py"
    assert "| `tui-memory search` |" in text


@pytest.mark.parametrize("document", ["README.md", "docs/ARCHITECTURE.md", "docs/PRIVACY.md"])
def test_what_a_document_points_to_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = set(re.findall(r"\]\((?!https?:)([^)#]+)\)", text)) | set(re.findall(r"`(docs/[\w./-]+)`", text))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_readmes_settings_are_settings(tmp_path: Path) -> None:
    from tui_memory import config

    (example,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "config.yaml"
    file.write_text(example, encoding="utf-8")
    settings = config.load(file)
    assert settings.ui.keys == {"memories.delete": "x"}
    assert settings.retrieve.budget == config.Settings().retrieve.budget


def test_what_ci_runs_is_the_readmes_line() -> None:
    lines = re.findall(r"```sh\n(python3 -m venv .*?)\n```", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(lines) == 2
    assert lines[1] in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
