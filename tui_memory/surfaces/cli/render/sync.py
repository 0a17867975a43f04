"""A sync for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render.backup import ENCRYPTED

if TYPE_CHECKING:
    from tui_memory.beyond.synced import Synced


def synced(done: Synced) -> list[str]:
    """What went there and what came, and what a person is to look at."""
    trashed = len(done.trashed)
    here = [(len(done.added), "new"), (len(done.changed) - trashed, "changed"), (trashed, "to the trash")]
    came = ", ".join(f"{count:,} {what}" for count, what in here if count)
    lines = [
        f"Synced with {one_line(done.place)} as device {done.device} ({ENCRYPTED[done.encryption]}):"
        f" sent {_memories(done.sent)}, received {came or 'nothing'}"
    ]
    if done.observations:
        lines.append(f"Observations received: {done.observations:,}")
    if done.conflicts:
        lines.append(
            f"Edited on two devices at once: {_memories(done.conflicts)}. The later text is current;"
            " `tui-memory audit --all-projects --family conflict` shows both"
        )
    if done.purged:
        lines.append(f"Forgotten for good, as on another device: {done.purged:,} in all")
    if done.cleaned:
        lines.append(f"Written anew there without what was forgotten: {done.cleaned:,}")
    return lines


def _memories(count: int) -> str:
    return f"{count:,} {'memory' if count == 1 else 'memories'}"
