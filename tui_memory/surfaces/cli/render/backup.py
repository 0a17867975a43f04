"""Back-ups for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui_memory.clock import local
from tui_memory.safetext import one_line
from tui_memory.surfaces.cli.render.status import size

if TYPE_CHECKING:
    from tui_memory.beyond.backup import Made
    from tui_memory.beyond.manifest import Manifest
    from tui_memory.beyond.restore import Listed
    from tui_memory.engine.backing_up import Restored

ENCRYPTED = {"none": "not encrypted", "passphrase": "encrypted, passphrase", "recipients": "encrypted, public key"}
"""The manifest's words for people."""


def made(done: Made) -> list[str]:
    """What was made, that it was proved, and what is there now."""
    lines = [
        f"Backed up to {one_line(done.place)}: {_about(done.manifest)}",
        f"Fetched again and compared: the same. {done.kept:,} of this store there",
    ]
    if done.removed:
        lines.append(f"Removed by the rules of retention: {', '.join(done.removed)}")
    return lines


def listed(found: Listed) -> list[str]:
    """Newest last, as in any list of files."""
    lines = [f"{one.name}  {local(one.made)[:16]}  {_about(one)}" for one in found.found]
    lines += [f"{name}  its manifest cannot be read" for name in found.unreadable]
    return lines or ["No back-ups of this program are there"]


def restored(done: Restored) -> list[str]:
    """What the store is now."""
    lines = [
        f"The store is as it was on {local(done.made)[:16]} ({one_line(done.name)}):"
        f" {_counted(done.memories, done.observations)}"
    ]
    if done.purged:
        lines.append(f"Purged again, as it was purged here since: {done.purged:,}")
    return lines


def _about(one: Manifest) -> str:
    counts = _counted(one.memories, one.counts.get("observations", 0))
    return f"{counts}, {size(one.packed.bytes)}, {ENCRYPTED[one.encryption]}"


def _counted(memories: int, observations: int) -> str:
    pairs = ((memories, "memory", "memories"), (observations, "observation", "observations"))
    return ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in pairs)
