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


async def test_the_audit_says_which_text_is_whose(ana: Memory, ben: Memory) -> None:
    ana.add(title="Retries wait a second", project="orderly")
    ana.hub.share("orderly")
    ana.hub.push()
    ben.hub.pull(every=True)
    ben.hub.share("orderly")
    ben.edit(1, title="Retries wait two seconds")
    ben.hub.push()
    ana.edit(1, title="Retries wait three seconds")
    assert ana.hub.pull().conflicts == 1 and len(ana.auditing.cases("conflict")) == 1
    ana.close()
    async with app_on(ana.home).run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("3")
        await settle(pilot)
        shown = " ".join(screen_text(pilot).split())
        assert "Edited in two places at once" in shown and "two seconds" in shown and "three seconds" in shown
        assert "the other text, now · by ben" in shown and "by ben of the team" in shown
