"""A unified diff for people."""

from __future__ import annotations

from tui_memory.safetext import clean
from tui_memory.surfaces.cli.render.paint import bad, dim, good, plain

_STYLES = {"+": good, "-": bad, "@": dim}


def coloured(diff: str) -> list[str]:
    """Its lines, each in the colour of its sign."""
    return [_STYLES.get(line[:1], plain)(line) for line in clean(diff).splitlines()]
