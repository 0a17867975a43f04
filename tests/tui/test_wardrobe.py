"""Themes are tried on as one goes through them; the one that is kept is worn the next time too."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import FakeMemory
from tui_memory.store.ui_state import Kept
from tui_memory.tui import keepsake, wearing
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.default_theme import NAME
from tui_memory.tui.dialogs.wardrobe import Wardrobe

CHOSEN = "tui-memory-dusk"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other themes are there after a moment."""
    monkeypatch.setattr(wearing, "THEMES_AFTER", 0.02)


async def opened(pilot: Pilot[None]) -> TuiMemoryApp:
    """The dialog, once the themes are there."""
    app = pilot.app
    assert isinstance(app, TuiMemoryApp)
    while CHOSEN not in app.available_themes:
        await pilot.pause(0.01)
    app.action_choose_theme()
    await settle(pilot)
    assert isinstance(app.screen, Wardrobe)
    return app


async def test_each_is_worn_while_one_stands_on_it_and_esc_wears_the_old_one(drive: Drive) -> None:
    async with drive() as pilot:
        app = await opened(pilot)
        seen = []
        for key in ("down", "down", "up"):
            await pilot.press(key)
            await settle(pilot)
            seen.append(app.theme)
        assert len(set(seen)) == 2 and NAME not in seen
        await pilot.press("escape")
        await settle(pilot)
        assert app.theme == NAME
        assert "theme" not in app.own_keepsake()


async def test_ours_come_first(drive: Drive) -> None:
    async with drive() as pilot:
        app = await opened(pilot)
        names = app._theme_names()
        ours = [name for name in names if name.startswith("tui-memory-")]
        assert len(ours) >= 6 and names[: len(ours)] == ours and len(names) > len(ours)


async def test_enter_keeps_it_and_it_is_remembered(drive: Drive) -> None:
    async with drive() as pilot:
        app = await opened(pilot)
        while app.theme != CHOSEN:
            await pilot.press("down")
            await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert app.theme == CHOSEN
        assert app.own_keepsake() == {"screen": "live", "theme": CHOSEN, "over": NAME}


@pytest.mark.parametrize(
    ("kept", "settings", "worn"),
    [
        ({"theme": CHOSEN, "over": NAME}, NAME, CHOSEN),
        ({"theme": CHOSEN, "over": NAME}, "tui-memory-light", "tui-memory-light"),
        ({"theme": "gone", "over": NAME}, NAME, NAME),
        ({"theme": 7, "over": NAME}, NAME, NAME),
        ({}, "tui-memory-light", "tui-memory-light"),
    ],
    ids=["chosen", "the settings name another since", "its file is gone", "nonsense", "nothing chosen"],
)
async def test_the_next_time(kept: dict[str, object], settings: str, worn: str, tmp_path: Path) -> None:
    state = Kept({keepsake.APP: {"screen": "live"} | kept})
    app = make(FakeMemory(), tmp_path, kept=state, theme=settings)
    async with app.run_test() as pilot:
        await settle(pilot)
        assert app.theme == worn
        assert not app._wrong
