"""Whatever goes wrong: a sentence on stderr, the contract's exit code, stdout untouched, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory
from tui_memory.errors import ConfigError, ConflictError, ModelError, NotFoundError, RefusedError, StoreError


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["show"], "at least an ID, without #: `tui-memory list` shows them"),
        (["delete"], "at least an ID"),
        (["show", "twelve"], "'twelve' is neither a number nor a uid"),
        (["show", "9" * 30], "neither a number nor a uid"),
        (["show", "²"], "neither a number nor a uid"),
        (["add", "--title", " ", "--text", "\n"], "needs a title or a text"),
        (["list", "--since", "soon"], "'soon' is not a time"),
        (["list", "--limit", "0"], "--limit"),
        (["list", "--kind", "bug"], "--kind"),
        (["list", "--project", "a", "--all-projects"], "exclude each other"),
        (["list", "--project", " "], "a project has a name or a path"),
        (["search", "  "], "The query is empty"),
        (["search"], "QUERY"),
        (["undo", "-1"], "-1"),
        (["nonsense"], "No such command"),
    ],
)
def test_wrong_usage_is_two_and_says_how_to_get_help(shell: Shell, args: list[str], said: str) -> None:
    answer = shell(*args)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("tui-memory: ") and said in answer.err and "--help`" in answer.err


@pytest.mark.parametrize(
    "args",
    [
        ["show", "99"],
        ["delete", "99"],
        ["show", "01936f5e-0000-7000-8000-000000000000"],
        ["timeline", "99"],
        ["edit", "99", "--title", "x"],
    ],
)
def test_what_does_not_exist_is_three_and_named(shell: Shell, args: list[str]) -> None:
    answer = shell(*args)
    assert (answer.code, answer.out) == (3, "")
    assert args[1] in answer.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFoundError("gone"), 3), (RefusedError("no"), 4), (ConflictError("changed"), 4), (StoreError("busy"), 5),
        (ConfigError("key"), 2), (ModelError("model"), 1),
    ],
)  # fmt: skip
def test_every_error_has_the_code_of_its_kind(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    monkeypatch.setattr(Memory, "stats", _raising(error))
    assert shell("stats") == type(shell("stats"))(code, "", f"tui-memory: {error}\n")


def test_a_message_cannot_obey_itself_onto_the_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "stats", _raising(NotFoundError("no \x1b]52;c;eA==\x07\u202eproject")))
    assert shell("stats").err == "tui-memory: no \ufffdproject\n"


def test_a_defect_is_one_line_and_its_trace_holds_no_text(
    shell: Shell, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Memory, "stats", _raising(ValueError("private words")))
    answer = shell("stats")
    log = machine / "store" / "log" / "defects.log"
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("tui-memory: this is a defect: ValueError: private words (test_failures.py:")
    assert answer.err.count("\n") == 1 and str(log) in answer.err
    trace = log.read_text("utf-8")
    assert "ValueError" in trace and "test_failures.py" in trace and "private words" not in trace
    assert log.stat().st_mode & 0o777 == 0o600 and log.parent.stat().st_mode & 0o777 == 0o700


def test_a_defect_whose_trace_cannot_be_kept_says_so(
    shell: Shell, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine / "file").write_text("")
    monkeypatch.setenv("TUI_MEMORY_HOME", str(machine / "file" / "store"))
    monkeypatch.setattr(Memory, "stats", _raising(ValueError("x")))
    answer = shell("stats")
    assert answer.code == 1 and "could not be written" in answer.err


def test_ctrl_c_is_130(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "stats", _raising(KeyboardInterrupt()))
    answer = shell("stats")
    assert (answer.code, answer.out) == (130, "") and answer.err.strip() == "Interrupted."


def test_a_database_that_is_none_is_five(shell: Shell, machine: Path) -> None:
    (machine / "store").mkdir()
    (machine / "store" / "memory.db").write_bytes(b"not a database, but long enough to look at" * 50)
    answer = shell("list")
    assert (answer.code, answer.out) == (5, "") and "Nothing was changed" in answer.err


def test_a_mistake_in_the_settings_names_file_and_key(shell: Shell, machine: Path) -> None:
    (machine / "config.yaml").write_text("compresz:\n  routes: []\n")
    answer = shell("list")
    assert answer.code == 2 and "config.yaml" in answer.err and "compress" in answer.err


def test_a_working_directory_that_is_gone_belongs_to_no_project(
    shell: Shell, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine / "gone").mkdir()
    monkeypatch.chdir(machine / "gone")
    (machine / "gone").rmdir()
    assert shell("add", "--title", "x").code == 0
    assert shell("list", "--json").json["memories"][0]["project"] is None


def test_the_application_needs_a_terminal(shell: Shell) -> None:
    for args in ([], ["ui"], ["ui", "--demo"]):
        answer = shell(*args)
        assert (answer.code, answer.out) == (2, "") and "needs a terminal" in answer.err


def _raising(error: BaseException):  # type: ignore[no-untyped-def]
    def fail(*_args: object, **_kwargs: object) -> None:
        raise error

    return fail
