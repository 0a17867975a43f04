"""Text from outside is shown as text: no markup, no escape sequence, no crash, in any widget at any width."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.tui.conftest import Drive, make, settle
from tests.tui.fake import NOW, FakeMemory, memory, observation
from tests.tui.hostile import FORBIDDEN, TEXTS
from tests.tui.reading import screen_text, toasts
from tui_memory.compress.keeping import Kept
from tui_memory.compress.made import Compressed, Made
from tui_memory.compress.turns import Turn
from tui_memory.engine.auditing import Overview
from tui_memory.engine.import_report import TranscriptReport
from tui_memory.engine.lab import Column, Offer, Result
from tui_memory.errors import TuiMemoryError
from tui_memory.model import Body, Grounding, MadeBy
from tui_memory.store.audit_cases import Row
from tui_memory.tui import first_run
from tui_memory.tui.app import TuiMemoryApp
from tui_memory.tui.screens.lab import LabScreen
from tui_memory.tui.screens.lab_look import Run
from tui_memory.tui.widgets import score_bars
from tui_memory.tui.widgets.rows import Cell, lay_out, wrap
from tui_memory.upkeep.audit.cases import Case


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
        await press("escape", "4", "slash", "a", "enter")
        for _ in TEXTS:
            await press("j")
        for keys in (["v"], ["escape", "question_mark"], ["escape", "enter"], ["escape", "2", "d"], ["u"]):
            await press(*keys)
        assert app.is_running


def poisoned_audit() -> FakeMemory:
    """A case per text, in which everything that comes from outside is that text."""
    fake = poison()
    cases, rows = {}, []
    for number, text in enumerate(TEXTS.values(), 1):
        one, other = fake.rows[number - 1], fake.rows[number % len(TEXTS)]
        evidence = {
            "question": "Which of these holds?",
            "says": [text, text],
            "sides": [{"commit": text}, {"commit": text}],
        }
        actions = ["supersede", "reverse", "keep", "snooze"]
        cases[number] = Case(
            number, "contradiction", 0.7, [one.id, other.id], evidence, "supersede", actions, "open", 0, number,
            [one, other],
        )  # fmt: skip
        rows.append(Row(number, "contradiction", one.id, other.id, one.id, other.id, 0.7, number, "open", 0, "", None))
    fake.auditing = SimpleNamespace(
        overview=lambda filters: Overview({"contradiction": len(rows)}, 0, NOW),
        queue=lambda family, filters, limit=0: rows,
        case=lambda number: cases[number],
        titles=lambda asked: {row.low: list(TEXTS.values())[row.id - 1] for row in asked},
        keep_up=lambda seconds: True,
    )
    texts = tuple(TEXTS.values())
    fake.compressing = SimpleNamespace(
        lab=lambda: SimpleNamespace(offer=lambda: Offer(texts, texts, TEXTS["clipboard"]))
    )
    return fake


async def test_the_audit_and_the_lab_show_it_as_text(tmp_path: Path) -> None:
    app = make(poisoned_audit(), tmp_path)
    async with app.run_test(size=(150, 40), notifications=True, tooltips=True) as pilot:

        async def press(*keys: str) -> None:
            await pilot.press(*keys)
            await settle(pilot)
            assert clean(screen_text(pilot)), keys
            assert "defect" not in toasts(pilot), toasts(pilot)

        await settle(pilot)
        await press("3")
        for _ in TEXTS:
            await press("n")
        for keys in (["enter"], ["escape", "s"], ["escape", "m"], ["escape", "ctrl+p"], ["escape", "5"]):
            await press(*keys)
        for _ in TEXTS:
            await press("j")
        for keys in (["enter"], ["escape", "c"], ["escape", "question_mark"], ["escape", "6"]):
            await press(*keys)
        assert app.is_running


def poisoned_runs() -> list[Run]:
    """Columns of the Lab in which whatever a model, its server or a person's settings say is hostile."""
    runs = []
    for at, text in enumerate(TEXTS.values()):
        flagged = [text, *TEXTS.values()] if at % 2 else []
        body = Body(text, text, f"{text} and {text}", [text, text], text, text, [text], [text],
                    MadeBy(text, text), Grounding(0.5, flagged))  # fmt: skip
        turn = Turn(1, 1, None, text, text, [observation(1, text, kind=text)], 0, 1)
        whole = Compressed([Made(body, [1], "held" if at % 3 else "active", body)], text, text, tokens_in=at)
        nothing = Compressed(route=text, skipped_reason=text)
        results = [Result(turn, whole), Result(turn, nothing), Result(turn, Compressed(), text)]
        runs.append(Run(text, ("done", "cancelled", "failed", "adopted")[at % 4], column=Column(text, results)))
        runs.append(Run(text, "failed", trouble=text))
    return runs


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_every_column_of_the_lab_shows_it_as_text(tmp_path: Path, size: tuple[int, int]) -> None:
    app = make(poisoned_audit(), tmp_path)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        lab = cast(LabScreen, app.screen)
        runs = poisoned_runs()
        for run, failed in zip(runs[::2], runs[1::2], strict=True):
            lab.runs = [run, failed]
            lab.call_later(lab._put, lab.runs)
            await settle(pilot)
            assert clean(screen_text(pilot)), run.name[:40]
            await pilot.press("pagedown", "l")
            await settle(pilot)
            lab._adopted(run, Kept(changed=True))
            await settle(pilot)
            assert clean(screen_text(pilot)) and clean(toasts(pilot)) and "defect" not in toasts(pilot), run.name[:40]
        assert app.is_running


async def test_what_is_found_on_the_machine_and_what_an_import_failed_on_is_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = tuple(TEXTS.values())
    found = first_run.Found(texts, frozenset(texts[:3]), True, dict.fromkeys(texts, 3), 10, NOW)
    monkeypatch.setattr(first_run, "look", lambda memory: found)
    app = make(FakeMemory(), tmp_path)
    async with app.run_test(size=(150, 40), notifications=True) as pilot:
        await settle(pilot)
        assert clean(screen_text(pilot))
        app.importing._ended(TranscriptReport(failed=list(texts), stored=1, sessions=Counter(texts)), 1.0)
        app.importing._ended(TranscriptReport(failed=list(texts), stored=1, dry_run=True, skipped=Counter(texts)), 1.0)
        await settle(pilot)
        assert clean(screen_text(pilot)) and clean(app.importing.report)
        await pilot.press("escape", "i")
        await settle(pilot)
        assert clean(screen_text(pilot))
        for text in texts:
            app.doing = text
            await settle(pilot)
            assert clean(screen_text(pilot))


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
