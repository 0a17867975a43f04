"""The command as a process of its own: streams, exit codes, what it loads, a reader that leaves, a real terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import finish, on_terminal, start
from tui_memory.engine.memory import Memory

HEAVY = ("torch", "faiss", "numpy", "textual", "sentence_transformers", "onnxruntime", "sqlite_utils", "yaml")
ROOT = Path(__file__).parents[2]


def test_data_is_on_stdout_and_narration_on_stderr(memory: Memory) -> None:
    memory.add_many([{"title": "One"}, {"title": "Two"}])
    code, out, err = finish(start("list", "--limit", "1", "--json"))
    assert code == 0 and [one["title"] for one in json.loads(out)["memories"]] == ["Two"] and err == ""
    code, out, err = finish(start("list", "--limit", "1"))
    assert code == 0 and "Two" in out and "of" not in out and err == "1 of 2 · --limit shows more\n"


@pytest.mark.parametrize(("args", "code"), [(["show", "99"], 3), (["show", "x"], 2), (["nonsense"], 2), (["undo"], 0)])
def test_the_exit_code_is_the_contracts(args: list[str], code: int) -> None:
    got, out, err = finish(start(*args))
    assert (got, out) == (code, "") and err and "Traceback" not in err


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["search", "--help"], ["ui", "--help"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    script = (
        "import sys; from tui_memory.__main__ import main; code = main(sys.argv[1:]);"
        f"print(code, sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *args], capture_output=True, text=True, cwd=ROOT, check=True, timeout=60
    )
    assert done.stderr == "0 []\n" and done.stdout


def test_a_list_loads_neither_model_nor_application(memory: Memory) -> None:
    memory.add(title="One")
    script = (
        "import sys; from tui_memory.__main__ import main; main(['list', '--json']);"
        f"print(sorted(set({HEAVY[:6]!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True, timeout=60
    )
    assert done.stderr == "[]\n"


def test_a_hook_does_not_load_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tui_memory", "hook", "claude-code"],
        input="", capture_output=True, text=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert "tui_memory.hook" in done.stderr
    assert not {"click", "tui_memory.engine.memory", "tui_memory.surfaces.cli.main"} & {
        line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()
    }


def test_a_hook_of_nobody_known_says_nothing_and_exits_0() -> None:
    for args in (["hook"], ["hook", "nobody"]):
        assert finish(start(*args)) == (0, "", "")


def test_a_reader_that_leaves_early_is_met_with_silence(memory: Memory) -> None:
    memory.add_many([{"title": f"Memory {n}"} for n in range(50)])
    read, write = os.pipe()
    os.close(read)
    process = start("list", stdout=write)
    os.close(write)
    assert finish(process) == (141, "", "")


def test_a_full_disk_behind_stdout_is_one_sentence(memory: Memory) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    memory.add(title="One")
    with open("/dev/full", "w") as full:
        code, _, err = finish(start("list", stdout=full))
    assert code == 1 and err.count("\n") == 1 and "No space left" in err


def test_a_closed_stdout_is_no_defect(memory: Memory) -> None:
    memory.add(title="One")
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -m tui_memory list >&-', sys.executable],
        capture_output=True, text=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert "defect" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_gets_colour_unless_it_is_declined_and_lines_that_fit(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool
) -> None:
    memory.add(title="A title that is rather longer than a terminal of fifty columns is wide, 日本語 and all")
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm-256color")
    code, shown = on_terminal("list", columns=50)
    assert code == 0
    assert ("\x1b[" in shown) is coloured
    assert "…" in shown
    if not coloured:
        assert all(len(line) < 50 for line in shown.splitlines())
