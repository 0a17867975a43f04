"""Lab: the same observations in several ways, over a real store and a double of Ollama."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.compress.double import Double
from tests.tui.conftest import settle
from tests.tui.reading import screen_text, toasts, whole
from tui_memory import Memory
from tui_memory.compress import on_hand
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.dialogs.configs import Configs
from tui_memory.tui.dialogs.confirm import Confirm
from tui_memory.tui.screens.lab import LabColumn, LabScreen
from tui_memory.tui.widgets.hint_bar import MOST, HintBar

Open = Callable[..., AbstractAsyncContextManager[Pilot[None]]]
SAID = "PaymentService.charge made a fresh key for every attempt. Now the key is order-7, one key per order."


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    """A running double of Ollama, with the models that the tests name."""
    with Double() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        names = ["good", "inventor", "prose", "slow"]
        monkeypatch.setattr(on_hand, "models", lambda allowed: [on_hand.Model(name, 1, False) for name in names])
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store with two turns of one session, compressed by rule."""
    with Memory(tmp_path / "store", embedding="none") as memory:
        where = {"session_id": "s", "cwd": "/home/dev/orderly"}
        for prompt, said in (
            ("Charging retries double charge. One idempotency key per order?", SAID),
            (
                "Cap the retries at three attempts, Paylane blocks us.",
                "Retries stop after attempt 3 in pay.py.",
            ),
        ):
            memory.capture("claude-code", where | {"hook_event_name": "UserPromptSubmit", "prompt": prompt})
            memory.capture("claude-code", where | {"hook_event_name": "Stop", "last_assistant_message": said})
        memory.compressing.drain(None)
    return tmp_path / "store"


@pytest.fixture
def lab(home: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """The application on the store, at Lab: `async with lab(size, *configurations) as pilot`."""
    monkeypatch.setattr(Memory, "start_worker", lambda _self: {"running": False})

    @asynccontextmanager
    async def opened(size: tuple[int, int] = (120, 40), *configs: str) -> AsyncIterator[Pilot[None]]:
        app = TuiMemoryApp(lambda: Memory(home, embedding="none"), home, store_name="a test")
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            await pilot.press("5")
            await settle(pilot)
            if configs:
                screen(pilot).configs = list(configs)
            yield pilot

    return opened


def screen(pilot: Pilot[None]) -> LabScreen:
    """The Lab."""
    return cast(LabScreen, pilot.app.screen_stack[0])


def memories(pilot: Pilot[None]) -> list[str]:
    """The store's titles, with what made each."""
    memory = cast(TuiMemoryApp, pilot.app).opened.result()
    return [f"{one.made_by.route}: {one.title}" for one in memory.memories()]


async def finished(pilot: Pilot[None]) -> None:
    """Wait until no column runs any more."""
    for _ in range(400):
        await pilot.pause(0.03)
        if screen(pilot).runs and not screen(pilot).at_work:
            break
    await settle(pilot)


async def run(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, then r, and wait for the columns."""
    await pilot.press(*keys, "r")
    await finished(pilot)


async def test_before_anything_runs_it_says_what_to_do_and_what_is_missing(
    lab: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    async with lab() as pilot:
        shown = " ".join(screen_text(pilot).replace("│", " ").split())
        assert "Compare ways of compressing." in shown
        assert "only the rules (extractive) can run" in shown
        assert "tui-memory compress --pull qwen2.5-coder:1.5b" in shown
        assert screen(pilot).configs == ["extractive"]


async def test_an_empty_store_says_how_it_fills(lab: Open, tmp_path: Path, home: Path) -> None:
    for path in home.glob("memory.db*"):
        path.unlink()
    async with lab() as pilot:
        assert "Nothing is remembered yet." in screen_text(pilot)
        await pilot.press("r")
        assert "There is nothing to compress." in toasts(pilot)


async def test_columns_side_by_side_with_their_figures_and_nothing_stored(lab: Open, double: Double) -> None:
    async with lab((160, 40), "extractive", "ollama:good") as pilot:
        before = memories(pilot)
        await run(pilot)
        shown = screen_text(pilot)
        assert "no model was asked" in shown and "tokens asked of the model" in shown
        assert "ratio" in shown and "retained" in shown and "0 flagged" in shown
        assert shown.count("● done") == 2
        assert memories(pilot) == before


async def test_what_its_sources_do_not_hold_is_underlined_and_said(lab: Open, double: Double) -> None:
    async with lab((120, 40), "ollama:inventor") as pilot:
        await run(pilot)
        column = screen(pilot).query_one(LabColumn).content
        spans = [column.plain[span.start : span.end] for span in column.spans if "underline" in str(span.style)]
        assert any("gateway_v2" in text for text in spans)
        assert "▲ not in the sources, left out with its sentence" in column.plain
        assert "flagged" in column.plain


async def test_enter_adopts_and_u_takes_it_back(lab: Open, double: Double) -> None:
    async with lab((120, 40), "ollama:good") as pilot:
        before = memories(pilot)
        await run(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert any(one.startswith("ollama:") for one in memories(pilot))
        assert "u undoes" in toasts(pilot)
        assert "● adopted" in str(screen(pilot).query_one(LabColumn).border_subtitle)
        await pilot.press("u")
        await settle(pilot)
        assert memories(pilot) == before


async def test_where_what_a_person_wrote_stays_nothing_is_adopted_and_no_way_back_is_offered(
    lab: Open, double: Double
) -> None:
    async with lab((120, 40), "extractive") as pilot:
        memory = cast(TuiMemoryApp, pilot.app).opened.result()
        for row in memory.memories():
            memory.edit(row.id, title=f"By hand: {row.title}")
        await run(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "Nothing was changed by extractive: what it made is there already, or is what you wrote" in toasts(pilot)
        assert "u undoes" not in toasts(pilot)
        assert "● done" in str(screen(pilot).query_one(LabColumn).border_subtitle)


async def test_a_way_that_fails_says_why_and_has_nothing_to_adopt(lab: Open, double: Double) -> None:
    async with lab((120, 40), "ollama:prose", "gpt") as pilot:
        await run(pilot)
        shown = screen_text(pilot)
        assert "✗ failed" in shown and "This did not run." in shown and "is no configuration" in shown
        await pilot.press("enter")
        assert "nothing to adopt" in toasts(pilot)


async def test_esc_cancels_the_column_that_runs_and_the_next_goes_on(lab: Open, double: Double) -> None:
    async with lab((120, 40), "ollama:slow", "extractive") as pilot:
        await pilot.press("r")
        for _ in range(100):
            await pilot.pause(0.03)
            if double.asked:
                break
        assert "esc cancels" in screen_text(pilot)
        await pilot.press("escape")
        await finished(pilot)
        assert [one.state for one in screen(pilot).runs] == ["cancelled", "done"]
        assert "– cancelled" in screen_text(pilot)


async def test_leaving_while_a_column_runs_does_not_wait_for_it(lab: Open, double: Double) -> None:
    async with lab((120, 40), "ollama:slow") as pilot:
        await pilot.press("r")
        for _ in range(100):
            await pilot.pause(0.03)
            if double.asked:
                break
        await pilot.press("q")
    assert double.asked


async def test_marks_a_turn_and_a_session(lab: Open, double: Double) -> None:
    async with lab((120, 40), "extractive") as pilot:
        await pilot.press("t")
        assert "2 marked of 4" in screen_text(pilot)
        await pilot.press("s")
        assert "4 marked of 4" in screen_text(pilot)
        await run(pilot)
        assert len(screen(pilot).runs[0].column.results) == 2  # type: ignore[union-attr]
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert "marked" not in screen_text(pilot)


async def test_without_a_mark_it_is_the_rows_turn(lab: Open, double: Double) -> None:
    async with lab((120, 40), "extractive") as pilot:
        await run(pilot)
        (result,) = screen(pilot).runs[0].column.results  # type: ignore[union-attr]
        assert len(result.turn.observations) == 2


async def test_space_marks_alone_what_is_compressed(lab: Open, double: Double) -> None:
    async with lab((120, 40), "extractive") as pilot:
        await run(pilot, "space")
        (result,) = screen(pilot).runs[0].column.results  # type: ignore[union-attr]
        assert len(result.turn.observations) == 1


async def test_c_chooses_what_is_compared(lab: Open, double: Double) -> None:
    async with lab() as pilot:
        assert screen(pilot).configs == ["ollama:good", "extractive"]
        await pilot.press("c")
        assert isinstance(pilot.app.screen, Configs)
        assert "ollama:good@session" in screen_text(pilot)
        await pilot.press("enter", "j", "space", "tab")
        assert isinstance(pilot.app.focused, Input)
        await pilot.press(*"extractive@event", "enter", "escape")
        await settle(pilot)
        assert screen(pilot).configs == ["ollama:good@event", "extractive", "extractive@event"]


async def test_recompress_says_what_it_costs_before_it_begins(lab: Open, double: Double) -> None:
    async with lab((120, 40), "ollama:good") as pilot:
        before = memories(pilot)
        await pilot.press("s", "R")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Confirm)
        shown = " ".join(screen_text(pilot).replace("│", " ").split())
        assert "Recompress 2 turns with ollama:good?" in shown
        assert "tokens to read" in shown and "how long is not known yet" in shown
        await pilot.press("n")
        await settle(pilot)
        assert memories(pilot) == before and not double.asked
        await pilot.press("R")
        await settle(pilot)
        await pilot.press("y")
        await finished(pilot)
        assert all(one.startswith("ollama:") for one in memories(pilot))
        await pilot.press("u")
        await settle(pilot)
        assert memories(pilot) == before


async def test_h_and_l_go_from_the_list_through_the_columns(lab: Open, double: Double) -> None:
    async with lab((200, 40), "extractive", "ollama:good") as pilot:
        await run(pilot)
        first, second = screen(pilot).query(LabColumn)
        assert pilot.app.focused is first
        await pilot.press("l")
        assert pilot.app.focused is second
        await pilot.press("h", "h")
        await settle(pilot)
        assert screen(pilot).listing.has_focus
        await pilot.press("right")
        assert pilot.app.focused is first


async def test_it_says_what_is_not_listed_and_hints_at_no_work_to_cancel(lab: Open, double: Double) -> None:
    async with lab((120, 40), "extractive") as pilot:
        assert "A session's beginning and end, which Live counts too, are not listed" in " ".join(
            screen_text(pilot).replace("│", " ").split()
        )
        await run(pilot)
        labels = [label for _, label, _ in pilot.app.screen.query_one(HintBar).hints()]
        assert "back" in labels and "cancel" not in labels


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 40), (200, 60)])
async def test_every_width_shows_list_and_columns_one_way_or_another(
    lab: Open, double: Double, size: tuple[int, int]
) -> None:
    async with lab(size, "extractive", "ollama:good") as pilot:
        assert "4 observations" in screen_text(pilot)
        await run(pilot)
        assert "retained" in screen_text(pilot)
        assert len(pilot.app.screen.query_one(HintBar).hints()) <= MOST
        await pilot.press("escape")
        await settle(pilot)
        assert "4 observations" in screen_text(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        assert "space marks observations" in " ".join(screen_text(pilot).replace("│", " ").split())


async def test_the_mouse_chooses_a_column_and_marks_nothing_by_itself(lab: Open, double: Double) -> None:
    async with lab((200, 40), "extractive", "ollama:good") as pilot:
        await run(pilot)
        second = list(screen(pilot).query(LabColumn))[1]
        await pilot.click(second)
        assert pilot.app.focused is second
        await pilot.click("#list", offset=(10, 2))
        assert screen(pilot).listing.has_focus
        await pilot.double_click("#list", offset=(10, 1))
        await settle(pilot)
        assert "Retries stop after attempt 3" in whole(pilot)


async def test_the_palette_offers_what_can_be_done(lab: Open, double: Double) -> None:
    async with lab((120, 40), "extractive") as pilot:
        names = [command.name for command in screen(pilot).commands()]
        assert {"lab: Run", "lab: Configurations", "lab: Recompress", "lab: Mark turn", "lab: Mark session"} == {*names}
        await run(pilot)
        assert "lab: Adopt" in [command.name for command in screen(pilot).commands()]


async def test_configurations_are_remembered(lab: Open, double: Double) -> None:
    async with lab((120, 40), "extractive@event") as pilot:
        assert screen(pilot).keepsake()[1] == {"configs": ["extractive@event"]}
        screen(pilot).recall({}, {"configs": ["ollama:good"]})
        assert screen(pilot).configs == ["ollama:good"]
