"""Running git without anything of the repository's: no hook, fsmonitor, prompt or network. Standard library only."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never")


def command(folder: str, *arguments: str) -> list[str]:
    """The command line of git in a folder."""
    return ["git", "--no-pager", *_SAFE, "-C", folder, *arguments]


def environment() -> dict[str, str]:
    """This process's environment without what would point git to another repository, and with no lock of the index."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ATTR_NOSYSTEM": "1",
        "LC_ALL": "C",
    }  # fmt: skip


def output(folder: str, *arguments: str, timeout: float) -> str | None:
    """What git prints; None where it fails, is missing or takes longer than `timeout` seconds."""
    try:
        done = subprocess.run(
            command(folder, *arguments),
            env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def code(folder: str, *arguments: str, timeout: float) -> int | None:
    """The code git ends with; None where it is missing or takes longer than `timeout` seconds."""
    try:
        done = subprocess.run(
            command(folder, *arguments),
            env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=timeout, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return done.returncode


class GitEnded(Exception):
    """Git failed or was ended at its time-out while its output was read."""


@contextmanager
def reading(folder: str, *arguments: str, given: bytes = b"", timeout: float) -> Iterator[IO[bytes]]:
    """What git prints as a stream, `given` on its stdin (less than a pipe holds: 60 KB).

    OSError where git is missing; GitEnded at the end where it failed or was ended after `timeout` seconds.
    """
    process = subprocess.Popen(
        command(folder, *arguments),
        env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    ending = threading.Timer(timeout, process.kill)
    ending.daemon = True
    ending.start()
    read_whole = False
    try:
        process.stdin.write(given)
        process.stdin.close()
        yield process.stdout
        read_whole = not process.stdout.read(1)
    finally:
        ending.cancel()
        process.stdout.close()
        if not read_whole:
            process.kill()
        code = process.wait()
    if read_whole and code != 0:
        raise GitEnded(f"git in {folder} ended with {code}")


def setting(folder: str, name: str, *, timeout: float) -> str:
    """What a setting says in a folder, without those this module gives; '' where it says nothing."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, "config", "--get", "--path", name],
            env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return ""
    return os.fsdecode(done.stdout).strip() if done.returncode == 0 else ""
