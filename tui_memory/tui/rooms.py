"""The screens that exist: their number keys, modes and titles; each module is imported when first shown."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from textual.screen import Screen

ROOMS = (
    ("1", "live", "Live"),
    ("2", "memories", "Memories"),
    ("3", "audit", "Audit"),
    ("4", "playground", "Playground"),
    ("5", "lab", "Lab"),
    ("6", "health", "Health"),
)
"""Number, mode, title. The numbers are the design's; a screen to come keeps its own."""


def factory(room: str) -> Callable[[], Screen[None]]:
    """What makes the screen of a mode, importing its module only then: it is not on the way to the first paint."""

    def make() -> Screen[None]:
        module = import_module(f"tui_memory.tui.screens.{room}")
        screen: Screen[None] = getattr(module, f"{room.capitalize()}Screen")()
        return screen

    return make
