"""Text from outside is shown as text: no markup, no escape sequence, no crash, in any widget at any width."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import FakeMemory, memory, observation
from tests.tui.hostile import FORBIDDEN, TEXTS
from tests.tui.reading import screen_text
from tui_memory.errors import TuiMemoryError
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.widgets import score_bars
from tui_memory.tui.widgets.rows import Cell, lay_out, wrap


def poison() -> FakeMemory:
    """A memory and an observation per text, in which everything that comes from outside is that text."""
    rows, seen, parts = [], [], {"dense": 0.4}
    for number, text in enumerate(TEXTS.values(), 1):
        rows.append(memory(
            number, text, summary=text, text=text, facts=[text], labels=[text], files=[text], branch=text,
            kind=text, tier=text, session=text, sources=[number],
        ))  # fmt: skip
        seen.append(observation(
            number, text, agent=text, session=text, branch=text, tool=text, files=[text], kind=text, reason=text,
            detail={"command": text, text: text}, redactions={text: 1}, project=text, parent=text,
        ))  # fmt: skip
        parts[text] = 0.1
    fake = FakeMemory(rows, seen, parts, degraded=["model", TEXTS["clipboard"]])
    fake.worker = {"running": True, "model": TEXTS["clipboard"]}
    fake.search_result_ignores_words = True
    return fake


def clean(pilot_text: str) -> bool:
    """Whether nothing of what a terminal obeys is among the text."""
    return not any(char in line for line in pilot_text.split("\n") for char in FORBIDDEN)


async def test_every_screen_and_dialog_shows_it_as_text(tmp_path: Path) -> None:
    app = make(poison(), tmp_path)
    async with app.run_test(size=(150, 40), notifications=True, tooltips=True) as pilot:

        async def press(*keys: str) -> None:
            await pilot.press(*keys)
            await settle(pilot)
            assert clean(screen_text(pilot)), keys

        await settle(pilot)
        for _ in TEXTS:
            await press("k")
        await press("enter")
        await press("escape", "2")
        for _ in TEXTS:
            await press("j")
        for keys in ("shs", ["h", "enter"], ["escape", "g", "asterisk", "m"], ["escape", "escape", "P"]):
            await press(*keys)
        await press("escape", "4", "a", "enter")
        for _ in TEXTS:
            await press("j")
        for keys in (["v"], ["escape", "question_mark"], ["escape", "enter"], ["escape", "2", "d"], ["u"]):
            await press(*keys)
        assert app.is_running


async def test_an_error_of_any_text_is_a_toast(drive: Drive) -> None:
    async with drive((80, 24)) as pilot:
        for text in TEXTS.values():
            cast(TuiMemoryApp, pilot.app).report(TuiMemoryError(text))
            cast(TuiMemoryApp, pilot.app).warn(text)
            await settle(pilot)
            assert clean(screen_text(pilot))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("width", [1, 2, 3, 20, 80])
def test_a_row_is_exactly_as_wide_as_it_is_asked_for(name: str, width: int) -> None:
    from rich.cells import cell_len

    from tui_memory.tui.formats import short

    text = short(TEXTS[name], 200)
    cells = [Cell("●"), Cell(text, flex=True), Cell(text, width=6, right=True), Cell(text, width=9, needs=40)]
    assert cell_len("".join(span for span, _ in lay_out(cells, width))) == width


@pytest.mark.parametrize("width", [1, 2, 7, 80])
def test_wrapping_keeps_every_character_and_the_width(width: int) -> None:
    from rich.cells import cell_len

    text = "記憶 one two-three four " * 20
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert width < 2 or all(cell_len(line) <= width for line in lines)


def test_a_bar_never_grows_over_its_width() -> None:
    scores = {"dense": 0.5, "lexical": 0.31, "age": -0.2, "use": 0.07, "unheard of": 0.4, "cosine": 0.9}
    for width in range(0, 30):
        assert sum(len(text) for text, _ in score_bars.bar(scores, width, 1.28)) == width


def test_the_written_sum_adds_up_and_leaves_raw_signals_out() -> None:
    said = score_bars.written({"dense": 0.52, "lexical": 0.21, "age": -0.03, "cosine": 0.9}, 0.70).plain
    assert "meaning 0.52 + w▆ words 0.21 − a▁ age 0.03 = 0.70" in said
    assert "cosine" not in said
