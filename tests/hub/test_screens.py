"""The application on a store with a hub: what others share is found, said to be theirs, read, and not changed."""

from __future__ import annotations

import pytest

from tests.tui.conftest import settle
from tests.tui.reading import detail, screen_text, toasts
from tests.tui.test_engine import app_on
from tui_memory.engine.memory import Memory


@pytest.fixture
def shared(ana: Memory, ben: Memory) -> None:
    """A memory of ana's in the hub, another of ben's in his store."""
    ana.add(title="Retries reuse the idempotency key", text="A charge is asked for twice.", project="orderly")
    ana.hub.share("orderly")
    ana.hub.push()
    ben.add(title="Retries wait longer each time", text="With jitter.", project="orderly")
    ben.close()


@pytest.mark.usefixtures("shared")
async def test_a_search_shows_from_whom_and_a_key_says_that_it_is_not_here(ben: Memory) -> None:
    async with app_on(ben.home).run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("2", "slash", *"idempotency", "enter")
        await settle(pilot)
        shown = screen_text(pilot)
        assert "hub:1" in shown and "Retries reuse" in shown
        assert "A charge is asked for twice." in detail(pilot)
        assert "from ana, in the team's hub alone" in " ".join(detail(pilot).split())
        await pilot.press("d")
        await settle(pilot)
        assert "hub pull" in "".join(toasts(pilot))
