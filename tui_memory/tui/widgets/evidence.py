"""A pane that scrolls with the arrows alone: its screen has other uses for j and k."""

from __future__ import annotations

from typing import ClassVar

from textual.containers import VerticalScroll

from tui_memory.tui import bindings


class Evidence(VerticalScroll, can_focus=True):
    """What speaks for a case."""

    BINDINGS: ClassVar[bindings.BindingList] = bindings.EVIDENCE
