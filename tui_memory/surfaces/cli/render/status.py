"""The worker, the counts and the checks for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render.paint import bad, bold, dim, good
from tui_memory.surfaces.cli.render.width import TIED, fold, terminal

_SUMMED = ("dropped", "memories_by_state", "redactions", "metadata_only")  # a sum of the others says nothing
_LEAST = 20
_UNITS = ("bytes", "KB", "MB", "GB", "TB")


def worker(status: Mapping[str, Any]) -> str:
    """One line: whether it runs, and how it stands."""
    if not status["running"]:
        return f"{dim('○')} no worker runs · the next event or search starts one"
    model = one_line(str(status["model"] or "loading"))
    version = one_line(str(status["version"]))
    return (
        f"{good('●')} the worker runs · pid {status['pid']} · version {version} · model {model}"
        f" · queue {status['queue']} · idle {status['idle_s']:.0f} s"
    )


def doctor(found: Mapping[str, Any]) -> list[str]:
    """A line a check, and under what is wrong the command that mends it."""
    lines = [f"{bold('tui-memory')} {one_line(str(found['home']))}"] if found.get("home") else []
    for check in found["checks"]:
        mark = good("● ok     ") if check["ok"] else bad("▲ mend   ")
        lines.append(f"{mark}  {one_line(check['what'])}")
        lines += [f"           → {one_line(check['fix'])}"] if not check["ok"] and check["fix"] else []
    return lines


def stats(found: Mapping[str, Any]) -> list[str]:
    """A line a count; what is made of parts names them beside it, folded where the terminal is narrow."""
    rows = [_stat(name, value) for name, value in found.items()]
    wide, high = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    return [line for name, number, parts in rows for line in _folded(name.ljust(wide), number.rjust(high), parts)]


def _folded(name: str, number: str, parts: str) -> list[str]:
    head, whole = f"{name}  {number}  ", terminal()
    first, *rest = fold(parts, max(whole - len(head), _LEAST) if whole else None) or [""]
    return [f"{head}{dim(first)}".rstrip(), *(" " * len(head) + dim(line) for line in rest)]


def _stat(name: str, value: Any) -> tuple[str, str, str]:
    label = one_line(name).replace("_", " ")
    if name == "forecast":
        return label, "", _forecast(value)
    if isinstance(value, Mapping):
        parts = " · ".join(f"{one_line(str(key))}{TIED}{number:,}" for key, number in value.items())
        return label, f"{sum(value.values()):,}" if name in _SUMMED else "", parts
    return label, size(value) if name == "bytes" else f"{value:,}", ""


def _forecast(value: Mapping[str, Any]) -> str:
    """Which limit is reached when."""
    if value["reached_on"] is None:
        return "no limit is reached at this pace"
    return f"{value['reached']} is reached on {str(value['reached_on'])[:10]}"


def size(value: float) -> str:
    """`1.2 MB` of a count of bytes."""
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            return f"{value:,.0f} {unit}" if unit == _UNITS[0] else f"{value:,.1f} {unit}"
        value /= 1000
    raise AssertionError("the last unit takes every size")
