"""What the application remembers of its screens from run to run, and what it never brings back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text, toasts
from tui_memory.store.ui_state import Kept
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.screens.room import Room
from tui_memory.tui.widgets.search_box import SearchBox

WIDE = (140, 30)


async def test_what_was_chosen_is_there_in_the_next_run(fake: FakeMemory, tmp_path: Path) -> None:
    fake.rows[0].kind = "convention"
    async with make(fake, tmp_path).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("e", "2", "S", "S", "slash", *"number", "space", "7", "enter", "less_than_sign")
        await settle(pilot)
        await pilot.press("q")
    assert fake.kept.plain["app"] == {"screen": "memories"}
    async with make(fake, tmp_path, kept=fake.kept).run_test(size=WIDE) as pilot:
        await settle(pilot)
        drawn = screen_text(pilot)
        assert pilot.app.current_mode == "memories"
        assert "“number 7”" in drawn
        assert pilot.app.screen.sort == "uses"  # type: ignore[attr-defined]
        assert isinstance(pilot.app.screen, Room) and pilot.app.screen.side_share
        await pilot.press("1")
        await settle(pilot)
        assert "errors only" in screen_text(pilot)


async def test_up_goes_through_earlier_queries_and_down_comes_back(drive: Drive) -> None:
    async with drive(WIDE, "4", "slash", *"first", "enter", "slash", *"second", "enter", "slash") as pilot:
        box = pilot.app.screen.query_one("#box", SearchBox)
        await pilot.press("ctrl+u", *"draft")
        seen = []
        for key in ("up", "up", "up", "down", "down"):
            await pilot.press(key)
            await pilot.pause(0.03)
            seen.append(box.value)
        assert seen == ["second", "first", "first", "second", "draft"]
        await pilot.press("down")
        await settle(pilot)
        assert pilot.app.focused is pilot.app.screen.query_one("#list")


async def test_nonsense_in_what_was_kept_changes_nothing(fake: FakeMemory, tmp_path: Path) -> None:
    wild: dict[str, Any] = {
        "sort": "by mood", "state": 7, "side": 4_000, "errors": "yes", "query": ["x"], "queries": {"a": 1},
        "facets": "kind", "kind": "no such", "side_by_side": "perhaps", "screen": "nowhere",
    }  # fmt: skip
    rooms = {room: wild for room in ("app", "live", "memories", "playground", "health")}
    async with make(fake, tmp_path, kept=Kept(rooms, rooms)).run_test(size=WIDE) as pilot:
        for key in ("1", "2", "4", "6"):
            await pilot.press(key)
            await settle(pilot)
        assert "all ready" in screen_text(pilot)


async def test_a_broken_file_is_said_once(fake: FakeMemory, tmp_path: Path) -> None:
    async with make(fake, tmp_path, kept=Kept(trouble="It was set aside.")).run_test(
        size=WIDE, notifications=True
    ) as pilot:
        await settle(pilot)
        assert "It was set aside." in toasts(pilot)
    assert fake.kept.trouble == ""


async def test_after_a_purge_the_open_application_keeps_none_of_its_queries(fake: FakeMemory, tmp_path: Path) -> None:
    app = make(fake, tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("2", "slash", *"zebra", "enter")
        await keep(pilot, app)
        assert "zebra" in str(fake.kept)
        fake.kept = Kept({}, {}, purged=1)
        await pilot.press("S")
        await keep(pilot, app)
        await pilot.press("S")
        await keep(pilot, app)
        assert "zebra" not in str(fake.kept), "nor what still stands in the box"
        await pilot.press("slash", "end", *" budget", "enter")
        await keep(pilot, app)
        assert "zebra budget" in str(fake.kept), "what is typed anew is kept again"


async def keep(pilot: Pilot[None], app: TuiMemoryApp) -> None:
    """Have it written now."""
    await settle(pilot)
    app.keep()
    await settle(pilot)


async def test_a_demonstration_leaves_nothing(fake: FakeMemory, tmp_path: Path) -> None:
    app = make(fake, tmp_path, demo=True)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        app.keep()
    assert "remember" not in fake.asked


async def test_nothing_is_written_while_nothing_changes(drive: Drive, fake: FakeMemory) -> None:
    async with drive(WIDE) as pilot:
        app = pilot.app
        assert isinstance(app, TuiMemoryApp)
        await keep(pilot, app)
        before = fake.asked.count("remember")
        await keep(pilot, app)
        assert fake.asked.count("remember") == before
        assert replace(app.kept) == fake.kept
