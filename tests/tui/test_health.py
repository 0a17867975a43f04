"""Health: receipts worst first with what mends them, numbers by section, and a screen that never asks too much."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import MINUTE, NOW, FakeMemory
from tests.tui.hostile import FORBIDDEN, TEXTS
from tests.tui.reading import detail, screen_text
from tests.tui.receipts import PAUSED, WRONG, go_to, line
from tui_memory.compress.on_hand import Model
from tui_memory.engine.agents import Installed
from tui_memory.engine.memory import Memory
from tui_memory.engine.observing import Health, Heard, Models
from tui_memory.engine.reaching import Reach
from tui_memory.errors import StoreError
from tui_memory.tui.screens import health, health_beyond, health_deeds, health_numbers, health_rows, health_words
from tui_memory.tui.screens.health_numbers import Look

HOUR = 60 * MINUTE


async def test_receipts_are_worst_first_each_a_glyph_and_a_word(drive: Drive, fake: FakeMemory) -> None:
    fake.checks += [PAUSED, WRONG]
    async with drive((120, 40), "6") as pilot:
        drawn = screen_text(pilot)
        assert line("✗ broken   store", drawn) < line("▲ degraded capture", drawn) < line("● ready", drawn)
        assert "2 less than ready" in drawn
        assert "Nothing was changed. Stop the agents" in detail(pilot)


async def test_all_ready_is_said(drive: Drive) -> None:
    async with drive((120, 40), "6") as pilot:
        assert "● all ready" in screen_text(pilot)


async def test_brackets_go_from_section_to_section_and_back(drive: Drive) -> None:
    async with drive((120, 40), "6", "right_square_bracket") as pilot:
        assert "claude-code" in detail(pilot)
        await pilot.press("left_square_bracket")
        await settle(pilot)
        assert "the store is sound" in detail(pilot)


async def test_many_changes_are_one_look(drive: Drive, fake: FakeMemory) -> None:
    async with drive((120, 40), "6") as pilot:
        before = fake.asked.count("health")
        for _ in range(20):
            fake.stamp += 1
            await pilot.pause(0.03)
        await settle(pilot)
        assert fake.asked.count("health") - before <= 1


async def test_it_is_not_asked_while_another_screen_is_shown(
    drive: Drive, fake: FakeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "EVERY", 0.05)
    async with drive((120, 40), "6", "1") as pilot:
        before = fake.asked.count("health")
        fake.stamp += 1
        await pilot.pause(0.3)
        await settle(pilot)
        assert fake.asked.count("health") == before


async def test_a_store_that_cannot_be_asked_is_the_worst_receipt(drive: Drive, fake: FakeMemory) -> None:
    fake.failing = StoreError("The store is locked. Nothing was changed; try again.")
    async with drive((120, 40), "6") as pilot:
        assert "✗ broken   store" in screen_text(pilot)
        fake.failing = None
        await pilot.press("ctrl+l")
        await settle(pilot)
        assert "● all ready" in screen_text(pilot)


async def test_every_section_is_there(drive: Drive) -> None:
    async with drive((120, 100), "6") as pilot:
        drawn = screen_text(pilot)
        for said in (
            "1 min · 0.6 / 2.1 ms · 60 events", "dropped: duplicate", "github-token", "30 of 40 chunks", "812.0 kB",
            "0700 · you alone", "shown to agents", "worker · chore: E", "ModelError: no answer",
        ):  # fmt: skip
            assert said in drawn


def test_a_fire_names_its_agent_and_is_run_here() -> None:
    looked = FakeMemory()
    looked.checks[:] = [
        {"id": "agent:codex", "ok": False, "what": "codex: silent", "fix": "tui-memory doctor --fire codex"}
    ]
    looked.asked = []
    seen = _health(looked)
    row = next(row for row in health_numbers.lines(Look(seen)) if row.label == "codex")
    assert (row.state, row.deed, row.value) == ("degraded", "fire:codex", "silent")


def test_capture_that_the_settings_switch_off_is_not_resumed_from_here() -> None:
    looked = FakeMemory()
    looked.checks[:] = [{"id": "capture", "ok": False, "what": "capture is off", "fix": "capture: {off: false}"}]
    row = next(row for row in health_numbers.lines(Look(_health(looked))) if row.label == "capture")
    assert row.deed == "" and row.command == "capture: {off: false}"


def test_rows_keep_their_keys_from_look_to_look() -> None:
    seen = _health(FakeMemory())
    first = health_numbers.lines(Look(seen))
    later = health_numbers.lines(Look(replace(seen, stats=seen.stats | {"captured": 99})))
    assert [row.key for row in first] == [row.key for row in later]
    assert len({row.key for row in first}) == len(first)


def test_every_reason_of_a_drop_is_explained() -> None:
    from tui_memory.model import Drop

    assert {str(reason) for reason in Drop} <= health_words.DROPS.keys()


def _health(fake: FakeMemory) -> Health:
    return Health(tuple(fake.checks), _stats(), {"running": True, "model": "m", "pid": 7, "version": "1"})


def _stats() -> dict[str, object]:
    return {
        "captured": 2, "stored": 1, "dropped": {"duplicate": 1}, "compressed": 1, "skipped": 0,
        "queue": {}, "redactions": {}, "memories_by_state": {"active": 1}, "tokens": {}, "time": NOW,
    }  # fmt: skip


async def test_an_ollama_that_does_not_answer_is_said_with_its_mend(drive: Drive, fake: FakeMemory) -> None:
    fake.models = Models(("small",), trouble="No Ollama answers at http://127.0.0.1:11434; nothing was asked of it.")
    async with drive((120, 60), "6") as pilot:
        assert "No Ollama answers" in screen_text(pilot)
        await go_to(pilot, "small")
        assert "ollama serve" in detail(pilot)


async def test_weeks_are_a_chart_whose_two_parts_are_two_glyphs(drive: Drive) -> None:
    async with drive((120, 100), "6") as pilot:
        drawn = screen_text(pilot)
        assert "week of 23 Nov" in drawn and "500      200      2,100 █████░░░░░░░░░░░" in drawn
        await go_to(pilot, "week of 23 Nov")
        assert "1,400 were spared" in detail(pilot)


async def test_the_day_on_which_a_limit_is_reached(drive: Drive) -> None:
    async with drive((120, 100), "6") as pilot:
        assert "limit reached            on 14 Mar 2027 · memories" in screen_text(pilot)
        assert "30 of 50,000 · 0%" in screen_text(pilot)


async def test_more_than_a_tenth_of_failures_is_said_on_every_screen(drive: Drive, fake: FakeMemory) -> None:
    fake.queue = {"done": 80, "failed": 12}
    async with drive((140, 30), "2") as pilot:
        assert "▲ 12 turns failed" in screen_text(pilot).splitlines()[0]
    fake.queue = {"done": 80, "failed": 8}
    async with drive((140, 30), "2") as pilot:
        assert "failed" not in screen_text(pilot).splitlines()[0]


async def test_a_click_on_what_is_less_than_ready_shows_its_receipt(drive: Drive, fake: FakeMemory) -> None:
    fake.worker = {"running": False}
    async with drive((140, 30), "2") as pilot:
        await pilot.click(offset=(130, 0))
        await settle(pilot)
        assert "receipts" in screen_text(pilot)


def test_a_hook_that_is_not_as_it_should_be_is_told_with_its_mend() -> None:
    old = Installed("git", "repository", Path("/nowhere/.git/hooks"), False, beside="in post-commit")
    good = Installed("codex", "user", Path("/nowhere/.codex/config.toml"), True)
    rows = {row.label: row for row in health_numbers.lines(Look(_health(FakeMemory()), installed=[old, good]))}
    assert rows["git (repository)"].deed == "install:git" and "▲" in rows["git (repository)"].value
    assert rows["codex (user)"].deed == "" and "●" in rows["codex (user)"].value


def test_events_that_no_hook_could_store_are_told_of_their_agent() -> None:
    seen = replace(_health(FakeMemory()), heard=(Heard("codex", 60, NOW, 0.6, 2.1, 0, 60, unstored=3),))
    row = next(row for row in health_numbers.lines(Look(seen)) if row.section == "agents" and row.label == "codex")
    assert "3 could not be stored" in row.value and "hook.log" in row.means


async def test_what_nobody_asked_for_is_one_muted_line_that_says_how_to_begin(drive: Drive, fake: FakeMemory) -> None:
    fake.checks += [{"id": one.id, "ok": one.ok, "what": one.what, "fix": ""} for one in fake.beyond]
    async with drive((120, 100), "6") as pilot:
        drawn = screen_text(pilot)
        assert "● all ready" in drawn and "no back-up was ever made" not in drawn
        assert all(f"not begun · {one.fix}" in drawn for one in fake.beyond) and drawn.count("not begun") == 3
        await go_to(pilot, "sync")
        assert "▲" not in detail(pilot) and "not synced with other devices" in detail(pilot)


async def test_back_up_sync_and_hub_have_their_age_last_error_and_mend(drive: Drive, fake: FakeMemory) -> None:
    fake.beyond = [
        Reach("backup", True, True, "the last back-up was made today", "", {"made": NOW - 3 * HOUR}),
        Reach("sync", True, False, "last synced, failed: wrong passphrase", "tui-memory sync URL",
              {"synced": NOW - 50 * HOUR}, NOW - HOUR, "wrong passphrase"),
        Reach("hub", True, False, "team blue: at noon it failed", "tui-memory hub status",
              {"pushed": 0, "pulled": 0}, NOW - HOUR, "no answer"),
    ]  # fmt: skip
    fake.checks += [{"id": one.id, "ok": one.ok, "what": one.what, "fix": one.fix} for one in fake.beyond]
    async with drive((120, 100), "6") as pilot:
        drawn = screen_text(pilot)
        assert "● made 3 h ago" in drawn and "▲ synced 2 d ago · failed 1 h ago: w" in drawn
        assert "▲ never done yet · failed 1 h ago: no answer" in drawn and "2 less than ready" in drawn
        await go_to(pilot, "sync")
        told = detail(pilot)
        assert "is not on your other devices" in told and "wrong passphrase" in told and "tui-memory sync URL" in told


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_text_from_a_hub_or_a_place_breaks_a_row(text: str) -> None:
    found = Reach("hub", True, False, text, text, {"pushed": NOW}, NOW + 1, text)
    (row,) = health_beyond.rows([found])
    told = [cell.text for cell in health_rows.draw(row, 100)] + health_rows.detail(row).plain.split("\n")
    assert not [character for character in FORBIDDEN if character in "".join(told)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_loading_is_said_until_the_first_look_is_over(
    drive: Drive, fake: FakeMemory, size: tuple[int, int]
) -> None:
    async with drive(size) as pilot:
        fake.slow = 0.5
        await pilot.press("6")
        await pilot.pause(0.05)
        assert "Reading health" in screen_text(pilot)
        fake.slow = 0.0
        await settle(pilot)
        assert "● all ready" in screen_text(pilot)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_no_text_from_outside_breaks_a_row(drive: Drive, fake: FakeMemory, text: str) -> None:
    fake.checks += [{"id": "worker", "ok": False, "what": text, "fix": text}, {"id": f"agent:{text}", "ok": False,
                    "what": text, "fix": f"tui-memory install {text}"}]  # fmt: skip
    fake.models = Models((text or "x",), (Model(text or "y", 5, True),), trouble=text)
    fake.worker = {"running": True, "pid": 7, "version": text, "model": text, "trouble": text}
    async with drive((100, 60), "6") as pilot:
        for _ in range(8):
            await pilot.press("j")
            await settle(pilot)
            drawn = screen_text(pilot).replace("\n", "")
            assert not [character for character in FORBIDDEN if character in drawn]
        assert pilot.app.is_running


async def test_what_a_check_found_is_said_in_full_its_semicolons_too(drive: Drive, fake: FakeMemory) -> None:
    what = "the queue was emptied; the log has two lines; nothing is lost"
    fake.checks += [{"id": "log", "ok": False, "what": what, "fix": ""}]
    async with drive((120, 40), "6") as pilot:
        assert what in detail(pilot)


@pytest.mark.parametrize(
    ("turns", "said"), [(0, "The queue is empty"), (1, "1 turn still waits"), (2, "2 turns still wait:")]
)
def test_what_still_waits_is_counted_in_grammar(fake: FakeMemory, turns: int, said: str) -> None:
    told = SimpleNamespace(observing=SimpleNamespace(drain=lambda: turns, retry=lambda: 0))
    assert said in health_deeds.DEEDS["drain"]("", cast(Memory, told))
