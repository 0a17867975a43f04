"""The command as a process of its own, with pipes or at a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]


def start(
    *args: str, stdin: int = subprocess.DEVNULL, stdout: int | IO[str] = subprocess.PIPE
) -> subprocess.Popen[str]:
    """Start a command of this checkout, wherever we stand."""
    return subprocess.Popen(
        [sys.executable, "-m", "tui_memory", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait: the exit code, stdout, stderr."""
    out, err = process.communicate(timeout=60)
    return process.returncode, out or "", err or ""


def on_terminal(*args: str, columns: int = 100, typed: str = "") -> tuple[int, str]:
    """Run a command at a terminal where somebody types: the exit code, and what stdout showed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start(*args, stdin=theirs, stdout=theirs)
    os.write(ours, typed.encode())
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
    return finish(process)[0], b"".join(parts).decode().replace("\r\n", "\n")
