"""The look of a row's pieces by role, from the theme's variables.

Not component classes: twenty of them a list cost the first paint 60 ms of style matching, and every restyle again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rich.style import Style
from textual.color import Color

from tui_memory.tui.themes import VARIABLES

_VARIABLE = {
    "muted": "tm-muted",
    "accent": "accent",
    "good": "text-success",
    "warn": "text-warning",
    "bad": "text-error",
    "head": "secondary",
    **{name: name for name in VARIABLES if name.startswith("score-")},
}
_BACKGROUND = {"cursor": "tm-cursor", "cursor-dim": "tm-cursor-dim", "marked": "tm-mark"}
_BOLD = {"subject", "head"}


def style(role: str, variables: Mapping[str, str]) -> Style:
    """What a role adds to the list's own style; no role adds nothing."""
    return _style(role, variables.get(_VARIABLE.get(role, ""), ""), variables.get(_BACKGROUND.get(role, ""), ""))


@lru_cache(maxsize=512)
def _style(role: str, colour: str, background: str) -> Style:
    return Style(
        color=Color.parse(colour).rich_color if colour else None,
        bgcolor=Color.parse(background).rich_color if background else None,
        bold=True if role in _BOLD else None,
    )
