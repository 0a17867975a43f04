"""Settings: what may stand in the file, what is said where it is wrong, what the hook's fallback gets of it."""

from __future__ import annotations

import ast
import inspect
import itertools
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tui_memory import config, places
from tui_memory.config import CaptureSettings, ExtraRule, ProjectRules, Settings
from tui_memory.errors import ConfigError

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def file() -> Path:
    return places.config_file()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


def test_a_missing_or_empty_file_is_the_defaults(file: Path) -> None:
    assert config.load() == Settings()
    for content in ("", "# nothing\n", "capture:\n  # nothing\n", "{}"):
        file.write_text(content)
        assert config.load() == Settings()


def test_every_kind_of_value(file: Path) -> None:
    file.write_text("""
capture:
  ignore: ["*.secret", "data/"]
  max_body: 1000
  projects: {orderly: {off: true}}
redact:
  extra: [{kind: ticket, pattern: "T-[0-9]+"}]
  emails: false
compress:
  routes: ["extractive"]
retrieve:
  profiles: {mine: {dense: 0.5}}
upkeep:
  half_life: {decision: 365, bugfix: 45.5}
ui:
  keys: {delete: x}
remote:
  allowed_hosts: [models.example.com]
""")
    found = config.load()
    assert found.capture.ignore == ("*.secret", "data/")
    assert (found.capture.max_body, found.capture.projects) == (1000, {"orderly": ProjectRules(off=True)})
    assert found.redact.extra == (ExtraRule("ticket", "T-[0-9]+"),)
    assert found.capture.kinds_off == found.redact.kinds_off == {"email"}
    assert (found.compress.routes, found.compress.num_ctx) == (("extractive",), 8192)
    assert found.retrieve.profiles == {"mine": {"dense": 0.5}}
    assert found.upkeep.half_life == {"decision": 365.0, "bugfix": 45.5}
    assert (found.ui.keys, found.remote.allowed_hosts) == ({"delete": "x"}, ("models.example.com",))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("captur: {}", "captur is not a setting; the nearest is capture"),
        ("capture: {max_bdy: 1}", "capture.max_bdy is not a setting; the nearest is capture.max_body"),
        ("max_body: 1", "max_body is not a setting; the nearest is capture.max_body"),
        ("ui: {routes: []}", "ui.routes is not a setting; the nearest is compress.routes"),
        ("zzz: 1", "zzz is not a setting; the nearest is "),
        ("1: 2", "1 is not a setting"),
        ("capture: {kinds_off: [email]}", "capture.kinds_off is not a setting"),
        (
            "capture: {projects: {orderly: {of: true}}}",
            "capture.projects.orderly.of is not a setting; the nearest is capture.projects.orderly.off",
        ),
        ("capture: [1]", "capture must be a mapping of keys to values, not [1]"),
        ("- a", "the file must be a mapping of keys to values"),
        ("just text", "the file must be a mapping"),
        ("capture: {max_body: '1'}", "capture.max_body must be a whole number, 0 or more, not '1'"),
        ("capture: {max_body: 1.5}", "capture.max_body must be a whole number"),
        ("capture: {max_body: -1}", "capture.max_body must be a whole number, 0 or more, not -1"),
        ("capture: {max_body: true}", "capture.max_body must be a whole number"),
        ("upkeep: {duplicates: 7}", "upkeep.duplicates must be a number from 0 to 1, not 7"),
        ("upkeep: {merge_duplicates: 1.01}", "upkeep.merge_duplicates must be a number from 0 to 1, not 1.01"),
        ("upkeep: {duplicates: .inf}", "upkeep.duplicates must be a number, 0 or more, not inf"),
        ("upkeep: {duplicates: .nan}", "upkeep.duplicates must be a number, 0 or more, not nan"),
        ("compress: {num_ctx: 0}", "compress.num_ctx must be a number, 1 or more, not 0"),
        ("compress: {timeout_s: 0}", "compress.timeout_s must be a number, 1 or more, not 0"),
        ("capture: {off: yes}", "capture.off must be true or false, not 'yes'"),
        ("capture: {off: 1}", "capture.off must be true or false, not 1"),
        ("capture: {ignore: '*.pem'}", "capture.ignore must be a list, not '*.pem'"),
        ("capture: {ignore: [1]}", "capture.ignore[0] must be a text, not 1"),
        ("redact: {extra: [x]}", "redact.extra[0] must be a mapping"),
        ("ui: {keys: [a]}", "ui.keys must be a mapping of names to values"),
        ("ui: {theme: null}", "ui.theme must be a text, not None"),
        ("upkeep: {half_life: {decision: long}}", "upkeep.half_life.decision must be a number"),
        ("compress: {granularity: word}", "compress.granularity must be one of turn"),
        ("capture: {off: [}", "cannot be read as YAML"),
        ("a: !!python/object/apply:os.system ['true']", "cannot be read as YAML"),
        ("ui: {theme: 2026-99-99}", "cannot be read as YAML"),
        ("ui: {theme: !!int many}", "cannot be read as YAML"),
        pytest.param("ui: " + "[" * 20_000, "cannot be read as YAML", id="a thousand brackets"),
    ],
)
def test_a_mistake_is_named_with_file_and_key(file: Path, content: str, said: str) -> None:
    file.write_text(content)
    with pytest.raises(ConfigError) as raised:
        config.load()
    assert said in raised.value.message
    assert str(file) in raised.value.message
    assert "Nothing was changed" in raised.value.message


def test_a_range_that_is_documented_is_checked(file: Path) -> None:
    """Each number whose own words name a range: the ends are good, what is beyond is not."""
    ranged = []
    sections = [part for part in ast.parse(inspect.getsource(config)).body if isinstance(part, ast.ClassDef)]
    for section in sections:
        for setting, said in itertools.pairwise(section.body):
            words = said.value.value if isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant) else ""
            if isinstance(setting, ast.AnnAssign) and (found := re.search(r"\((\d+) to (\d+)\)", str(words))):
                name = ast.unparse(setting.target)
                ranged.append(name)
                place = section.name.removesuffix("Settings").lower()
                for end in found.groups():
                    file.write_text(f"{place}: {{{name}: {end}}}")
                    config.load()
                file.write_text(f"{place}: {{{name}: {int(found[2]) + 1}}}")
                with pytest.raises(ConfigError, match=f"{place}.{name} must be a number from {found[1]} to {found[2]}"):
                    config.load()
    assert ranged == ["duplicates", "merge_duplicates"]


def test_bytes_that_are_no_text_are_a_mistake(file: Path) -> None:
    file.write_bytes(b"capture: \xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load()


def test_the_environment_is_over_the_file(file: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("capture: {off: false}")
    config.compile_settings(config.load(), home)
    monkeypatch.setenv("TUI_MEMORY_OFF", "1")
    assert config.load().capture.off
    found = config.compiled(home)
    assert found and found.off


class TestCompiled:
    def test_the_fallback_reads_what_was_compiled(self, file: Path, home: Path) -> None:
        file.write_text("capture: {ignore: [a, b], projects: {x: {off: true}}}\nredact: {phones: false}")
        config.compile_settings(config.load(), home)
        assert config.compiled(home) == config.load().capture
        assert stat.S_IMODE(places.settings_file(home).stat().st_mode) == 0o600

    def test_without_a_file_the_defaults_are_compiled(self, home: Path) -> None:
        config.compile_settings(config.load(), home)
        assert config.compiled(home) == CaptureSettings()

    def test_it_is_stale_when_the_file_has_changed_or_appeared(self, file: Path, home: Path) -> None:
        config.compile_settings(config.load(), home)
        file.write_text("capture: {off: true}")
        assert config.compiled(home) is None
        config.compile_settings(config.load(), home)
        assert config.compiled(home) == CaptureSettings(off=True)
        os.utime(file, ns=(1, 1))
        assert config.compiled(home) is None

    def test_rules_of_the_users_own_are_the_workers_alone(self, file: Path, home: Path) -> None:
        for section in ("extra: [{kind: acme-id, pattern: 'ACME-[0-9]+'}]", "allow: [ACME-0]"):
            file.write_text(f"redact: {{{section}}}")
            config.compile_settings(config.load(), home)
            assert config.compiled(home) is None

    @pytest.mark.parametrize(
        "content", ["", "{", "[]", "null", "{}", '{"own_rules": false, "source": 1, "capture": {}}']
    )
    def test_what_cannot_be_read_is_none(self, home: Path, content: str) -> None:
        places.settings_file(home).write_text(content)
        assert config.compiled(home) is None

    def test_it_is_written_whole_and_only_when_it_differs(self, home: Path) -> None:
        config.compile_settings(Settings(), home)
        first = places.settings_file(home).stat().st_ino
        config.compile_settings(Settings(), home)
        assert places.settings_file(home).stat().st_ino == first
        assert [path.name for path in home.iterdir()] == ["settings.json"]


def test_the_fallback_needs_no_yaml(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tui_memory import config; print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
