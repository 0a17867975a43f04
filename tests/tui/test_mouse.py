"""Whatever a key does on a row, a tab or a hint, the mouse does too."""

from __future__ import annotations

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import detail, screen_text, state_of, toasts, whole


async def test_a_click_chooses_and_a_double_click_opens(drive: Drive) -> None:
    async with drive((100, 30), "2") as pilot:
        await pilot.click("#list", offset=(10, 4))
        await settle(pilot)
        assert "The text of memory 5." in detail(pilot)
        await pilot.double_click("#list", offset=(10, 2))
        await settle(pilot)
        assert "The text of memory 3." in whole(pilot)


async def test_a_click_on_a_hint_does_what_it_says(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "2") as pilot:
        at = screen_text(pilot).splitlines()[-1].index("d delete")
        await pilot.click("HintBar", offset=(at, 0))
        await settle(pilot)
        assert state_of(fake, 1) == "trash"
        assert "Deleted 1 · u undoes" in toasts(pilot)


async def test_a_click_on_the_project_opens_the_picker(drive: Drive) -> None:
    async with drive((100, 30), "2") as pilot:
        await pilot.click("HeaderBar", offset=(15, 0))
        await settle(pilot)
        assert "Show the project" in screen_text(pilot)
