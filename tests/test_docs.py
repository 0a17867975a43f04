"""What the documents say is what the program is."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import types
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from tests import documents
from tests.cli.test_help import COMMANDS
from tui_memory import capture, config, places
from tui_memory.model import Kind
from tui_memory.retrieve.profile import Profile
from tui_memory.surfaces.cli.main import cli
from tui_memory.tui import bindings, themes

ROOT, DOCS = documents.ROOT, documents.ROOT / "docs"
EVERY = pytest.mark.parametrize("document", documents.DOCUMENTS, ids=lambda path: path.name)


@pytest.fixture(scope="module")
def make() -> types.ModuleType:
    """docs/make.py, which writes the tables and draws the pictures."""
    spec = importlib.util.spec_from_file_location("docs_make", DOCS / "make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@EVERY
def test_its_tables_are_what_the_program_is(make: types.ModuleType, document: Path) -> None:
    text = document.read_text("utf-8")
    assert make.with_tables(text) == text, "run: python docs/make.py --tables"


def test_a_table_that_is_out_of_date_is_found(make: types.ModuleType) -> None:
    stale = "# Keys\n\n<!-- made: keys -->\nnothing\n<!-- /made -->\n"
    assert "`memories.delete`" in make.with_tables(stale)


@EVERY
def test_every_link_and_path_leads_somewhere(document: Path) -> None:
    for link in documents.links(document):
        path, _, anchor = link.partition("#")
        target = (document.parent / path) if path else document
        assert target.exists(), link
        assert not anchor or anchor in documents.anchors(target), link
    assert [path for path in sorted(documents.paths(document)) if not (ROOT / path).exists()] == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached = set(documents.links(ROOT / "README.md"))
    assert {f"docs/{page.name}" for page in DOCS.glob("*.md")} <= reached


@EVERY
def test_every_command_in_it_is_one_that_the_program_understands(document: Path) -> None:
    assert [wrong for words in documents.commands(document) if (wrong := misunderstood(words))] == []


def misunderstood(words: list[str]) -> str:
    """Why the parser does not take a command with its arguments; empty where it does."""
    command: click.Command = cli
    rest = list(words)
    while isinstance(command, click.Group) and rest and rest[0] in command.commands:
        command = command.commands[rest.pop(0)]
    unknown = isinstance(command, click.Group) and rest and not rest[0].startswith("-")
    if unknown:
        return f"tui-memory {' '.join(words)}: there is no such command"
    if rest:
        try:
            with CliRunner().isolation(input="a text"):  # --text - reads it
                command.make_context(" ".join(words), rest)
        except click.exceptions.Exit:
            return ""  # --help
        except click.UsageError as error:
            return f"tui-memory {' '.join(words)}: {error.format_message()}"
    return ""


@pytest.mark.parametrize("wrong", ["searhc x", "project shw", "list --kinds bugfix", "delete x", "undo --entry"])
def test_a_command_that_is_none_is_found(wrong: str) -> None:
    assert misunderstood(wrong.split())


def test_every_command_and_option_is_documented() -> None:
    text = (DOCS / "COMMANDS.md").read_text("utf-8")
    for name, command in COMMANDS.items():
        (part,) = re.findall(rf"^### tui-memory {re.escape(name)}$(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
        for option in (one for parameter in command.params for one in parameter.opts if one.startswith("--")):
            assert option in part or ("[filters](#filters)" in part and f"`{option}" in text), (name, option)
    overview = (ROOT / "README.md").read_text("utf-8")
    assert not [name for name in cli.commands if f"[`{name}`]" not in overview]


def test_every_key_is_documented() -> None:
    text = (DOCS / "KEYS.md").read_text("utf-8")
    assert not [identity for identity in bindings.table() if f"| `{identity}` |" not in text]


def test_every_setting_is_documented_with_what_it_does() -> None:
    text = (DOCS / "SETTINGS.md").read_text("utf-8")
    for section in fields(config.Settings):
        for item in fields(type(section.default)):  # type: ignore[arg-type]
            if not item.metadata.get("derived"):
                assert re.search(rf"^\| `{section.name}\.{item.name}` \| .+ \| .+ \|$", text, re.MULTILINE), item.name


def test_every_setting_of_a_profile_and_every_colour_is_documented() -> None:
    tuning, looks = (DOCS / "TUNING.md").read_text("utf-8"), (DOCS / "THEMES.md").read_text("utf-8")
    assert not [item.name for item in fields(Profile) if f"| `{item.name}`" not in tuning]
    assert not [name for name in (*themes.COLOURS, *themes.VARIABLES) if f"| `{name}` |" not in looks]
    assert not [path.stem for path in (ROOT / "themes").glob("*.yaml") if f"`{path.stem}`" not in looks]


@EVERY
def test_every_settings_file_in_it_is_one(document: Path, tmp_path: Path) -> None:
    for number, text in enumerate(documents.blocks(document, "yaml")):
        if "colours:" in text:
            continue  # a theme
        file = tmp_path / f"{number}.yaml"
        file.write_text(text, "utf-8")
        settings = config.load(file)
        assert set(settings.ui.keys) <= set(bindings.table())
        for values in settings.retrieve.profiles.values():
            Profile.from_dict(values)


def test_the_theme_to_begin_with_is_one(tmp_path: Path) -> None:
    (text,) = [block for block in documents.blocks(DOCS / "THEMES.md", "yaml") if "colours:" in block]
    theme = themes.build(yaml.safe_load(text), tmp_path / "harbour.yaml")
    assert theme.name == "harbour" and theme.variables["score-dense"] == "#5db0ff"


def test_the_adapter_to_begin_with_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = documents.blocks(DOCS / "ADAPTERS.md", "python")
    (event,) = documents.blocks(DOCS / "ADAPTERS.md", "json")
    module = types.ModuleType("tui_memory.capture.acme")
    exec(compile(source, "acme.py", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(capture._ADAPTERS, "acme", "acme")
    payload: dict[str, Any] = json.loads(event)
    made = capture.normalise("acme", payload, 7)
    assert made is not None and (made.kind, made.agent, made.session) == (Kind.COMMAND, "acme", "a1")
    assert made.text == "$ pytest -q\n1 failed, 41 passed" and made.detail["exit_code"] == 1
    odds: list[Any] = [None, 7, "x", [], {}, [None]]
    for name in payload:
        for odd in odds:
            assert capture.normalise("acme", payload | {name: odd}, 7) is not None
    assert capture.normalise("acme", {"event": "thinking"}, 7) is None


def test_everything_that_lies_in_a_store_is_named_on_the_privacy_page(tmp_path: Path) -> None:
    text = (DOCS / "PRIVACY.md").read_text("utf-8")
    inside = [
        function(tmp_path).name
        for function in vars(places).values()
        if inspect.isfunction(function) and list(inspect.signature(function).parameters) == ["store"]
    ]
    assert {"memory.db", "reports", "key"} <= set(inside)
    assert [name for name in inside if f"`{name}`" not in text and f"`{name}/`" not in text] == []


def test_what_ci_runs_is_the_readmes_line() -> None:
    lines = [line.strip() for block in documents.blocks(ROOT / "README.md", "sh") for line in block.splitlines()]
    (test_line,) = [line for line in lines if line.endswith("-m tests")]
    assert test_line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("python3 -m venv") and line.endswith("ui --demo") for line in lines)


@pytest.mark.timeout(600)
def test_the_pictures_are_made_by_the_script(tmp_path: Path) -> None:
    script = (
        "import importlib.util, pathlib, sys\n"
        "spec = importlib.util.spec_from_file_location('make', sys.argv[1])\n"
        "make = importlib.util.module_from_spec(spec); spec.loader.exec_module(make)\n"
        "make.pictures(pathlib.Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", script, str(DOCS / "make.py"), str(tmp_path)]
    subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True)
    made = {path.name: path.read_text("utf-8").replace("&#160;", " ") for path in tmp_path.glob("*.svg")}
    shown = {link for page in documents.DOCUMENTS for link in documents.links(page) if link.endswith(".svg")}
    assert set(made) == {path.name for path in (DOCS / "images").iterdir()} >= {Path(link).name for link in shown}
    for name, word in (
        ("live", "compressed"), ("memories", "charged twice"), ("audit", "hidden instructions"),
        ("playground", "meaning"), ("lab", "extractive"), ("health", "ready"),
    ):  # fmt: skip
        assert word in made[f"{name}.svg"] and "sample project" in made[f"{name}.svg"]
