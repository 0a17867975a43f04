"""How people and programs write secrets down: forms with marks, one a line of `secret_lines.txt`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.redact.secret_blocks import BLOCKS

LINES = Path(__file__).with_name("secret_lines.txt").read_text("utf-8")


def all_forms() -> Iterator[tuple[str, str]]:
    """Every form with a name of its own."""
    for line in LINES.strip().split("\n"):
        if not line.startswith("# "):
            yield line[:60], line
    yield from BLOCKS.items()
