"""Toasts that replace one another, a store that cannot be opened said everywhere, a theme's file that is written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import FakeMemory
from tests.tui.reading import screen_text, toasts
from tui_memory.engine.memory import Memory
from tui_memory.errors import StoreError
from tui_memory.tui import wearing
from tui_memory.tui.app import TuiMemoryApp


async def test_a_newer_toast_takes_the_older_ones_place(drive: Drive) -> None:
    async with drive((100, 30), "2", *"ddduuu") as pilot:
        assert toasts(pilot).splitlines() == ["Took back: deletion of “Memory number 1” · ctrl+r does it again"]


async def test_what_went_wrong_is_not_driven_away_by_what_went_well(drive: Drive) -> None:
    async with drive((100, 30)) as pilot:
        for number in range(5):
            pilot.app.notify(f"trouble {number}", severity="error")
        pilot.app.notify("trouble 4", severity="error")
        pilot.app.notify("done")
        pilot.app.notify("done again")
        await settle(pilot)
        assert toasts(pilot).splitlines() == ["trouble 3", "trouble 4", "done again"]


LONG = "The sample is ready: 510 events became 113 memories in 37 s, and every word of this sentence can be read."


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 40), (200, 60)])
async def test_a_toast_is_read_to_its_end_however_wide_the_terminal(drive: Drive, size: tuple[int, int]) -> None:
    async with drive(size) as pilot:
        for words in range(6, len(LONG.split()) + 1):
            said = " ".join(LONG.split()[:words]) + " END"
            pilot.app.notify(said, markup=False)
            await settle(pilot)
            shown = [line.rpartition("█")[2].rstrip(" ─│╯") for line in screen_text(pilot).splitlines() if "█" in line]
            assert said in " ".join(" ".join(shown).split())


@pytest.mark.parametrize("room", ["1", "3", "4", "5", "6"])
async def test_a_receipt_goes_with_its_screen_and_what_went_wrong_stays(drive: Drive, room: str) -> None:
    async with drive((100, 30), "2") as pilot:
        pilot.app.notify("trouble", severity="error")
        pilot.app.notify("done")
        await settle(pilot)
        await pilot.press(room)
        await settle(pilot)
        assert toasts(pilot) == "trouble"


def broken() -> Memory:
    """Nothing can be opened."""
    raise StoreError("The store in /nowhere is damaged: page 7. Nothing was changed.")


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (59, 20), (100, 10), (40, 8)])
async def test_a_store_that_cannot_be_opened_is_said_on_every_screen_of_every_size(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = TuiMemoryApp(broken, tmp_path)
    async with app.run_test(size=size) as pilot:
        await settle_broken(pilot, app)
        for key in "123456":
            await pilot.press(key)
            await settle_broken(pilot, app)
            assert "damaged: page 7" in " ".join(screen_text(pilot).replace("│", " ").split()), key
            assert "Reading" not in screen_text(pilot), key


async def test_a_database_that_breaks_under_any_question_is_no_defect_of_the_application(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"\xee" * 8192)

    def unreadable() -> Memory:
        with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
            connection.execute("SELECT * FROM memories")
        raise AssertionError

    app = TuiMemoryApp(unreadable, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle_broken(pilot, app)
        said = " ".join(screen_text(pilot).replace("│", " ").split())
        assert "is not a database" in said and "defect" not in said
    assert not (tmp_path / "log").exists()


async def settle_broken(pilot: object, app: TuiMemoryApp) -> None:
    """Until the attempt to open it is over, and drawn."""
    while app.trouble is None:
        await pilot.pause(0.03)  # type: ignore[attr-defined]
    await pilot.pause(0.1)  # type: ignore[attr-defined]


async def test_trying_again_once_it_is_mended_takes_the_sentence_away(fake: FakeMemory, tmp_path: Path) -> None:
    whole = [False]

    def opens() -> Memory:
        return fake if whole[0] else broken()  # type: ignore[return-value]

    app = TuiMemoryApp(opens, tmp_path)
    async with app.run_test(size=(50, 10)) as pilot:
        await settle_broken(pilot, app)
        assert "✗" in screen_text(pilot)
        whole[0] = True
        await pilot.press("ctrl+l")
        await settle(pilot)
        assert "needs 60×16" in screen_text(pilot) and "✗" not in screen_text(pilot)


async def test_the_playground_says_how_to_leave_the_box_before_v(drive: Drive) -> None:
    async with drive((120, 30), "4", "slash") as pilot:
        assert "esc leaves the box; then v shows" in " ".join(screen_text(pilot).replace("│", " ").split())


async def test_the_profile_is_as_it_was_after_the_terminal_was_narrow(drive: Drive) -> None:
    async with drive((140, 30), "4") as pilot:
        before = screen_text(pilot)
        for size in ((40, 20), (140, 30)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        assert screen_text(pilot) == before


THEME = "name: mine\ncolours:\n  primary: '#112233'\n  background: '{}'\n"


async def test_a_theme_that_is_written_is_worn_and_a_mistake_is_one_toast(
    fake: FakeMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wearing, "THEMES_AFTER", 0.05)
    folder = tmp_path / "none" / "themes"
    folder.mkdir(parents=True)
    file = folder / "mine.yaml"
    file.write_text(THEME.format("#101010"))
    async with make(fake, tmp_path, theme="mine").run_test(size=(100, 30), notifications=True) as pilot:

        async def write(text: str) -> None:
            file.write_text(text)
            await pilot.pause(0.3)
            await settle(pilot)

        await settle(pilot)
        await write(THEME.format("#202020") + "  # longer\n")
        assert pilot.app.screen.styles.background.hex == "#202020"
        await write(THEME.format("nosuchcolour"))
        assert "colours.background" in toasts(pilot) or "background" in toasts(pilot)
        assert pilot.app.screen.styles.background.hex == "#202020"
        await write(THEME.format("#303030") + "# mended\n")
        assert pilot.app.screen.styles.background.hex == "#303030"
        assert toasts(pilot).count("nosuchcolour") == 1


async def test_a_wanted_theme_with_a_mistake_is_worn_once_it_is_mended(
    fake: FakeMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wearing, "THEMES_AFTER", 0.05)
    folder = tmp_path / "none" / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(THEME.format("nosuchcolour"))
    async with make(fake, tmp_path, theme="mine").run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.pause(0.3)
        await settle(pilot)
        assert toasts(pilot).count("nosuchcolour") == 1
        assert pilot.app.theme == "tui-memory-dark"
        (folder / "mine.yaml").write_text(THEME.format("#303030"))
        await pilot.pause(0.3)
        await settle(pilot)
        assert pilot.app.theme == "mine"


async def test_help_puts_nothing_below_the_keys(drive: Drive) -> None:
    """What takes another line begins where the first one did."""
    for size in ((60, 40), (80, 60), (120, 40)):
        async with drive(size, "2", "question_mark") as pilot:
            await settle(pilot)
            names = [line for line in screen_text(pilot).splitlines() if "memories." in line]
            assert names and all("  " in line.partition("memories.")[0] for line in names), names
            assert not any(line.replace("│", " ").lstrip().startswith("memories.") and
                           line.index("memories.") < 10 for line in names), names  # fmt: skip
