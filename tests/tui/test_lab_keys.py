"""Every key of the Lab, its columns and its configurations does something that is seen."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from tests.compress.double import Double
from tests.tui.conftest import settle
from tests.tui.test_keys import home as leave_dialogs
from tests.tui.test_keys import press, seen
from tests.tui.test_lab import Open, double, home, lab
from tui_memory.tui import bindings

__all__ = ["double", "home", "lab"]
PARTS = {"lab": [], "lab_column": ["g", "r"], "configs": ["c"]}
BEFORE = {"lab.leave": ["space"], "lab.column_left": ["r"], "lab.column_right": ["r", "escape"]}


@pytest.mark.parametrize("scope", PARTS)
async def test_every_key_does_something_that_is_seen(lab: Open, double: Double, scope: str) -> None:
    silent = []
    for binding in bindings.SCOPES[scope]:
        assert isinstance(binding, Binding)
        async with lab((160, 40), "extractive", "extractive@event") as pilot:
            await press(pilot, [*PARTS[scope], *BEFORE.get(str(binding.id), [])])
            pilot.app.clear_notifications()
            await settle(pilot)
            before = seen(pilot)
            await press(pilot, [binding.key.split(",")[0]])
            after = seen(pilot)
            if after == before:
                silent.append(str(binding.id))
            assert "A defect" not in after.said, (binding.id, after.said)
            await leave_dialogs(pilot)
    assert not silent
