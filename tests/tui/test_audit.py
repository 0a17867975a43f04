"""Audit: what each key does to the case on show, over the real engine; the next one comes, the report ends it."""

from __future__ import annotations

import pytest

from tests.tui.auditing import Open, family, memory, opened, press, screen, states
from tests.tui.conftest import settle
from tests.tui.reading import screen_text, toasts, whole
from tests.upkeep.audit.cases import MAKE, SECRET, add, every_family
from tui_memory.clock import now_ms
from tui_memory.engine.memory import Memory
from tui_memory.errors import StoreError
from tui_memory.tui import formats

__all__ = ["memory", "opened"]


async def test_the_riskiest_case_is_shown_with_evidence_question_and_answers(memory: Memory, opened: Open) -> None:
    every_family(memory)
    async with opened() as pilot:
        drawn = screen_text(pilot)
        assert "10 cases · ≈ 5 min" in drawn and "0 of 10" in drawn and "3 Audit (10)" in drawn
        assert "possible leak ── 0.91" in drawn and "Is this a secret?" in drawn
        assert "a  mask it" in drawn and "k  no secret, keep it" in drawn and "z  snooze" in drawn
        assert SECRET not in drawn and "‹25 characters, aZ4…›" in drawn


async def test_a_whole_week_with_one_key_ends_with_the_report_and_where_it_is(memory: Memory, opened: Open) -> None:
    made = every_family(memory)
    async with opened() as pilot:
        seen = []
        for _ in made:
            seen.append(family(pilot))
            await press(pilot, "a")
        assert seen == list(made)
        drawn = screen_text(pilot)
        assert "all settled" in drawn and "10 of 10" in drawn and "# Audit of" in drawn
        (place,) = (memory.home / "reports").iterdir()
        assert "● saved in" in drawn and str(memory.home)[:20] in drawn
        assert "possible leak: 1 masked" in place.read_text("utf-8")
    assert SECRET not in memory.get(made["leak"])[0].text
    assert states(memory, made["instructions"]) == ["trash"]
    assert states(memory, made["contradiction"]) == ["superseded", "active"]
    assert states(memory, made["duplicate"]) == ["merged", "merged"]
    assert memory.auditing.cases() == []


async def test_k_keeps_o_is_the_other_answer_and_u_takes_back(memory: Memory, opened: Open) -> None:
    made = MAKE["contradiction"](memory)
    async with opened((100, 30), "o") as pilot:
        assert states(memory, made) == ["active", "superseded"]
        assert "The older replaces the newer: #1 #2 · u undoes" in toasts(pilot)
        await press(pilot, "u")
        assert states(memory, made) == ["active", "active"] and family(pilot) == "contradiction"
        assert "Took back: replacement of “Outgoing calls go through httpx” · 1 case is open again" in toasts(pilot)
        assert "k  keep both" in screen_text(pilot)
        await press(pilot, "k")
        assert states(memory, made) == ["active", "active"] and family(pilot) == ""
        assert memory.history()[0].action == "audit keep"
        await press(pilot, "u", "a", "u", "ctrl+r")
        assert states(memory, made) == ["superseded", "active"]


async def test_z_sleeps_a_week_and_Z_as_long_as_is_chosen(memory: Memory, opened: Open) -> None:
    MAKE["leak"](memory)
    MAKE["oversized"](memory)
    async with opened((100, 30), "z") as pilot:
        (asleep,) = memory.auditing.queue(snoozed=True)
        assert 6.9 * formats.DAY < asleep.until - now_ms() <= 7 * formats.DAY
        await press(pilot, "Z", "j", "enter")
        assert len(memory.auditing.queue(snoozed=True)) == 2
        longest = max(row.until for row in memory.auditing.queue(snoozed=True))
        assert 27.9 * formats.DAY < longest - now_ms() <= 28 * formats.DAY


async def test_n_and_p_and_the_brackets_go_on_without_settling(memory: Memory, opened: Open) -> None:
    every_family(memory)
    async with opened((100, 30), "n") as pilot:
        assert family(pilot) == "instructions"
        await press(pilot, "p", "p")
        assert family(pilot) == "oversized"
        await press(pilot, "right_square_bracket", "right_square_bracket")
        assert family(pilot) == "instructions" and len(screen(pilot).rows) == 1
        await press(pilot, "left_square_bracket")
        assert family(pilot) == "leak"
        await press(pilot, "escape")
        assert len(screen(pilot).rows) == 10
    assert memory.auditing.overview().settled == 0


async def test_A_accepts_a_family_once_it_is_confirmed(memory: Memory, opened: Open) -> None:
    numbers = [add(memory, f"Host {n} was renamed", f"The key is {SECRET[n:]}{SECRET[:n]}.") for n in range(3)]
    async with opened((100, 30), "A") as pilot:
        assert "Accept 3 cases of possible leak?" in screen_text(pilot)
        await press(pilot, "n")
        assert memory.auditing.overview().settled == 0
        await press(pilot, "A", "y")
        assert all("[redacted:" in row.text for row in memory.get(numbers))
        assert f"Masked: {' '.join(f'#{n}' for n in numbers)} · nothing brings it back" in toasts(pilot)
        await press(pilot, "u")
        assert "Nothing brings back the audit mask of #1, #2, #3" in toasts(pilot)


async def test_F_forgets_for_good_once_it_is_confirmed(memory: Memory, opened: Open) -> None:
    (number,) = MAKE["leak"](memory)
    async with opened((100, 30), "F", "escape") as pilot:
        assert memory.count() == 1
        await press(pilot, "F", "y")
        assert memory.count(state="all") == 0
        assert f"Forgotten for good: #{number} · nothing brings it back" in toasts(pilot)
        assert "Nothing to audit" in screen_text(pilot) or "Nothing is remembered" in screen_text(pilot)


async def test_answers_a_case_does_not_have_do_nothing(memory: Memory, opened: Open) -> None:
    MAKE["contradiction"](memory)
    async with opened((100, 30), "F") as pilot:
        assert "for good" not in screen_text(pilot) and family(pilot) == "contradiction"


async def test_enter_opens_the_case_s_its_sources_m_its_memories(memory: Memory, opened: Open) -> None:
    MAKE["duplicate"](memory)
    async with opened((100, 30), "enter") as pilot:
        assert "── #1 ──" in whole(pilot) and "── #2 ──" in whole(pilot)
        await press(pilot, "escape", "s")
        assert "None: a person or an agent wrote it" in whole(pilot)
        await press(pilot, "escape", "m")
        assert "from case" in screen_text(pilot)


async def test_R_shows_the_report_and_escape_the_case_again(memory: Memory, opened: Open) -> None:
    MAKE["oversized"](memory)
    async with opened((100, 30), "R") as pilot:
        assert "# Audit of" in screen_text(pilot) and "saved in" in screen_text(pilot)
        await press(pilot, "j", "escape")
        assert family(pilot) == "oversized" and "k  keep all of it" in screen_text(pilot)


async def test_a_conflict_shows_both_texts_and_o_takes_the_other(memory: Memory, opened: Open) -> None:
    (number,) = MAKE["conflict"](memory)
    async with opened((120, 34)) as pilot:
        drawn = screen_text(pilot)
        assert "Edited in two places at once" in drawn and "twelve seconds" in drawn and "twenty seconds" in drawn
        assert "a  keep the later one" in drawn and "o  take the other one" in drawn
        await press(pilot, "o")
        assert "The other text is taken: #1 · u undoes" in toasts(pilot) and "twelve" in memory.get(number)[0].text
        await press(pilot, "u")
        assert family(pilot) == "conflict" and "twenty" in memory.get(number)[0].text


async def test_it_goes_on_where_it_was_in_another_process(memory: Memory, opened: Open) -> None:
    every_family(memory)
    async with opened((100, 30), "a", "k"):
        pass
    async with opened() as pilot:
        assert family(pilot) == "contradiction" and "2 of 10" in screen_text(pilot)


async def test_a_case_settled_elsewhere_leaves_and_one_that_changed_is_refused(memory: Memory, opened: Open) -> None:
    (number,) = MAKE["leak"](memory)
    MAKE["oversized"](memory)
    async with opened() as pilot:
        shown = screen(pilot).drawn
        assert shown is not None
        memory.edit(number, text=f"Rather {SECRET}.")
        screen(pilot)._settle(shown, "mask")  # the key was on its way when the memory changed
        await settle(pilot)
        assert "has changed since" in toasts(pilot)
        assert SECRET in memory.get(number)[0].text
        memory.auditing.look()
        await settle(pilot)
        memory.auditing.settle(memory.auditing.queue("leak")[0].id, "delete")
        await settle(pilot)
        await settle(pilot)
        assert family(pilot) == "oversized"


async def test_a_key_pressed_before_the_next_case_is_there_settles_nothing(memory: Memory, opened: Open) -> None:
    every_family(memory)
    async with opened() as pilot:
        here = screen(pilot)
        here.drawn = None
        for answer in ("accept", "keep", "other", "snooze"):
            here.action_settle(answer)
        for deed in (here.action_forget, here.action_snooze_until, here.action_open, here.action_sources):
            deed()
        await settle(pilot)
        assert memory.auditing.overview().settled == 0 and pilot.app.screen is here


async def test_new_cases_come_while_it_is_open(memory: Memory, opened: Open) -> None:
    add(memory, "All is well")
    async with opened() as pilot:
        assert "Nothing to audit." in screen_text(pilot)
        MAKE["leak"](memory)
        for _ in range(4):
            await settle(pilot)
        assert family(pilot) == "leak"


async def test_a_store_that_cannot_be_read_is_said(
    memory: Memory, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui_memory.engine.auditing import Auditing

    def broken(*_: object, **__: object) -> None:
        raise StoreError("The disk is gone. Nothing was changed.")

    MAKE["leak"](memory)
    async with opened() as pilot:
        monkeypatch.setattr(Auditing, "queue", broken)
        await press(pilot, "ctrl+l")
        assert "The disk is gone" in screen_text(pilot) and "ctrl+l tries again" in screen_text(pilot)
