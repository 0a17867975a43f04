"""The command as a process of its own: streams, exit codes, what it loads, a reader that leaves, a real terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import IO

import pytest

from tui_memory.engine.memory import Memory

HEAVY = ("torch", "faiss", "numpy", "textual", "sentence_transformers", "onnxruntime", "sqlite_utils", "yaml")
ROOT = Path(__file__).parents[2]


def start(
    *args: str, stdin: int = subprocess.DEVNULL, stdout: int | IO[str] = subprocess.PIPE
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tui_memory", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out or "", err or ""


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
    shown = on_terminal("list", columns=50)
    assert ("\x1b[" in shown) is coloured
    assert "…" in shown
    if not coloured:
        assert all(len(line) < 50 for line in shown.splitlines())


def on_terminal(*args: str, columns: int) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start(*args, stdin=theirs, stdout=theirs)
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says EIO where the other side has closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert finish(process)[0] == 0
    return b"".join(parts).decode().replace("\r\n", "\n")
