"""pip as a process: it fetches wheels from the index that it is set up for, and proves that a kit installs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tui_memory.errors import TuiMemoryError

_LINE = re.compile(r"^(?:Collecting|Processing) .*\(line (\d+)\)\)?$")
_UNREACHED = re.compile(
    r"NewConnectionError|Max retries exceeded|establish a new connection|name resolution|unreachable|[Tt]imed out"
)
_KEPT = 200
"""Lines of pip's that are looked at where it fails."""
_JUST_BEFORE = 12
"""Of these the last, that tell an index which does not answer from one that had to be asked twice before."""


def build(source: Path, wheels: Path) -> None:
    """Build the wheel of a folder with a program into another. TuiMemoryError says what kept pip from it."""
    _run(["wheel", "--no-deps", "--progress-bar", "off", "--wheel-dir", str(wheels), str(source)])


def fetch(requirements: Path, wheels: Path, on_line: Callable[[int], object] = lambda line: None) -> None:
    """Bring a wheel for each line of a requirements file into a folder; built where the index has none.

    `on_line`: is told the line that pip is at, from 1. TuiMemoryError says what kept pip from it.
    """
    _run(["wheel", "--no-deps", "--progress-bar", "off", "--wheel-dir", str(wheels), "-r", str(requirements)], on_line)


def prove(kit: Path, report: Path) -> None:
    """Have pip plan an installation from the kit's own files: TuiMemoryError where it lacks something.

    The settings that a person has for pip play no part, as on the machine that the kit is for.
    """
    _run(["--isolated", "install", "--dry-run", "--quiet", "--ignore-installed", "--report", str(report), "--no-index",
          "--find-links", str(kit / "wheels"), "-r", str(kit / "requirements.txt")])  # fmt: skip


def _run(arguments: list[str], on_line: Callable[[int], object] = lambda line: None) -> None:
    command = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments]
    said: list[str] = []
    # Of itself pip asks five times, and each of its own processes again: a minute until it says that nobody answers.
    environment = {"PIP_RETRIES": "2"} | os.environ
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            for line in process.stdout:
                said = [*said[1 - _KEPT :], line.rstrip()]
                if at := _LINE.match(said[-1]):
                    on_line(int(at[1]))
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise TuiMemoryError(_why(said))


def _why(said: list[str]) -> str:
    """What kept pip from it, in a sentence that says what to do."""
    text = "\n".join(said)
    if "No module named pip" in text:
        return (
            "pip is not in this environment, and it is what fetches the packages. No kit was written;"
            f" `{sys.executable} -m ensurepip` brings it."
        )
    if "No space left on device" in text:
        return (
            "There is no room left, in the kit's file system or in that of temporary files (TMPDIR names another)."
            " No kit was written, and what was begun is removed."
        )
    if _UNREACHED.search("\n".join(said[-_JUST_BEFORE:])):
        return (
            "The package index cannot be reached: a kit is made on a machine that has a network, and carried from"
            " there. No kit was written; `pip config list` says which index is asked."
        )
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR:")] or said
    return f"pip could not bring every package: {' '.join(errors[-3:])[:600]}\nNo kit was written."
