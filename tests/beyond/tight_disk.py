"""Run inside a mount namespace of its own: `python -m tests.beyond.tight_disk FOLDER STORE`, FOLDER a small disk.

A back-up that fits, then one that does not; then a restore into a store on that disk. Prints what was said, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.beyond.looking import pad, titles
from tui_memory.engine.memory import Memory
from tui_memory.errors import TuiMemoryError


def said(work: object) -> str:
    """What an attempt says; empty where it worked."""
    try:
        work()  # type: ignore[operator]
    except TuiMemoryError as error:
        return error.message
    return ""


def main(disk: Path, home: Path) -> None:
    """Try."""
    place = str(disk / "copies")
    with Memory(home, embedding="none") as memory:
        memory.add(title="First")
        fits = said(lambda: memory.backing_up.make(place))
        before = sorted(os.listdir(place))
        pad(memory, 4 << 20)
        full = said(lambda: memory.backing_up.make(place))
        after = sorted(os.listdir(place))
        large = str(home.parent / "large")
        memory.backing_up.make(large)
    with Memory(disk / "store", embedding="none") as small:
        small.add(title="On the small disk")
        small.close()
        unpacked = said(lambda: small.backing_up.restore(large, yes=True))
    left = sorted(str(file.relative_to(disk / "store")) for file in (disk / "store" / "backups").rglob("*"))
    print(json.dumps({
        "fits": fits, "full": full, "same": before == after, "unpacked": unpacked,
        "titles": titles(disk / "store"), "left": left,
    }))  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
