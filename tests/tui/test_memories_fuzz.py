"""Memories under any keys in any order: what the screen says is listed is what is listed, and nothing stays stuck."""

from __future__ import annotations

import random

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tui_memory.tui.screens.memories import MemoriesScreen
from tui_memory.tui.widgets import facets as facet_rows

KEYS = [
    "j", "k", "g", "G", "space", "v", "asterisk", "t", "t", "H", "S", "slash", "m", "e", "7", "backspace", "enter",
    "escape", "escape", "escape", "tab", "shift+tab", "down", "up", "d", "r", "p", "u", "ctrl+r", "s", "h", "1", "2",
    "n", "y", "ctrl+l", "a", "M", "N", "pagedown",
]  # fmt: skip


def mixed(fake: FakeMemory) -> None:
    """Memories of every state and some kinds."""
    states = ("active", "held", "superseded", "merged", "trash")
    for row in fake.rows:
        row.state = states[row.id % 5] if row.id % 2 else "active"
        row.kind = ("bugfix", "decision")[row.id % 3 == 0]


def holds(screen: MemoriesScreen, fake: FakeMemory) -> None:
    """What is on the screen agrees with what was chosen, and with the store."""
    query = screen.box.query_text
    if screen.only:
        expected = len(screen.only)
    elif query:
        expected = len(fake.search_result_rows(query, screen.filters))
    else:
        expected = len(fake._listed(screen.filters, screen.state))
    assert screen.listing.total == expected
    title = str(screen.main.border_title)
    if not screen.only and screen.state not in ("active", "all"):
        assert screen.state in title, "the title says which state is listed"
    if screen.state == "active" and not screen.only:
        assert not any(f" · {state}" in title for state in ("held", "superseded", "merged", "trash", "every state"))
    record = screen.listing.record
    assert (record is not None) == bool(expected)
    for number in range(screen.facets.total):
        facet = screen.facets._pages.row(number)
        if facet is not None and facet.name == "state":
            drawn = facet_rows.draw(facet, [*screen.chosen_facets, ("state", screen.state)], 30)
            assert (drawn[1].text == "✓") == (facet.value == screen.state)


@pytest.mark.parametrize("seed", [0, 1, 2, 103])
async def test_any_keys_leave_the_screen_true(drive: Drive, fake: FakeMemory, seed: int) -> None:
    mixed(fake)
    rng = random.Random(seed)
    pressed: list[str] = []
    async with drive((140, 40), "2") as pilot:
        app = pilot.app
        for _ in range(12):
            keys = rng.choices(KEYS, k=rng.randint(1, 6))
            pressed += keys
            fake.slow = rng.choice((0.0, 0.0, 0.01))
            await pilot.press(*keys)
            await settle(pilot)
            while len(app.screen_stack) > 1:  # a dialog: leave it
                await pilot.press("escape")
                await settle(pilot)
            await pilot.press("2")
            await settle(pilot)
            if isinstance(app.screen, MemoriesScreen) and not app.screen.box.has_focus:
                holds(app.screen, fake)
        for _ in range(2):  # out of whatever box or screen this ended in, and of every filter of Memories
            await pilot.press(*["escape"] * 6, "2")
            await settle(pilot)
        assert isinstance(app.screen, MemoriesScreen), pressed
        assert (app.screen.state, app.screen.box.value, app.screen.chosen_facets) == ("active", "", []), pressed
        holds(app.screen, fake)
