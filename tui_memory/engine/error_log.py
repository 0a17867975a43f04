"""What went wrong lately, from the logs of the worker, the hooks and the application: ids and counts, never text."""

from __future__ import annotations

from pathlib import Path

from tui_memory import places

LOG_TAIL = 32_000
"""Bytes of each log that are looked at."""
LOG_LINES = 12


def newest(home: Path) -> list[str]:
    """The newest lines about something that went wrong, of all logs, newest first."""
    found: list[str] = []
    for name in ("worker.log", "hook.log", "application.log"):
        for line in _tail(places.log_dir(home) / name):
            if line[:2].isdigit() and (name != "worker.log" or " ERROR " in line or " WARNING " in line):
                found.append(f"{line[:19].replace('T', ' ')} · {name.removesuffix('.log')} · {_rest(name, line)}")
    return sorted(found, reverse=True)[:LOG_LINES]


def _rest(name: str, line: str) -> str:
    """A line without its time; the worker's also without process id."""
    words = line.split()
    return " ".join(words[3:] if name == "worker.log" else words[1:])


def _tail(path: Path) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, 2) - LOG_TAIL))
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
