"""What an export wrote, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.safetext import one_line

if TYPE_CHECKING:
    from tui_memory.engine.exporting import Exported


def exported(done: Exported) -> list[str]:
    """How much, where, and what a person who passes the file on should know."""
    if done.cancelled:
        return []
    what = [_count(done.memories, "memory", "memories")]
    what += [_count(done.observations, "observation", "observations")] if done.observations else []
    what += [_count(done.changes, "change", "changes")] if done.changes else []
    lines = [f"Exported {', '.join(what)} to {one_line(done.path)} ({_size(done.bytes)})"]
    if done.in_trash:
        verb = "is" if done.in_trash == 1 else "are"
        lines.append(f"{done.in_trash:,} of them {verb} in the trash; --state active leaves such out")
    if done.redactions:
        kinds = ", ".join(f"{count:,} × {one_line(kind)}" for kind, count in sorted(done.redactions.items()))
        lines.append(f"Masked on the way out: {kinds}")
    return lines


def _count(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def _size(size: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1_000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1_000  # type: ignore[assignment]
    return f"{size:.1f} GB"
