"""What a person would read on the screen of a running application."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.tui.fake import FakeMemory
from tui_memory.tui.widgets.detail import Detail
from tui_memory.tui.widgets.line_view import LineView


def screen_text(pilot: Pilot[Any]) -> str:
    """Every line of the terminal, as text."""
    update = pilot.app.screen._compositor.render_full_update()
    return "\n".join("".join(segment.text for strip in line for segment in strip) for line in update.strips)


def detail(pilot: Pilot[Any]) -> str:
    """The text of the detail pane."""
    pane = pilot.app.screen.query("Detail.side, Detail.aside").only_one(Detail)
    return pane.content.plain


def whole(pilot: Pilot[Any]) -> str:
    """The text of the view of whole texts."""
    return pilot.app.screen.query_one(LineView)._text


def toasts(pilot: Pilot[Any]) -> str:
    """The messages of every toast so far, one a line."""
    return "\n".join(notification.message for notification in pilot.app._notifications)


def state_of(fake: FakeMemory, number: int) -> str:
    """The state of a memory in the fake."""
    return next(row.state for row in fake.rows if row.id == number)
