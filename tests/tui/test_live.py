"""Live: following, pausing, filtering, and what is said at the foot."""

from __future__ import annotations

import pytest

from tests.tui.conftest import Drive, settle
from tests.tui.fake import NOW, FakeMemory, memory, observation
from tests.tui.reading import detail, screen_text, toasts, whole
from tui_memory.model import Observation
from tui_memory.store.observations import SessionRow
from tui_memory.tui import formats
from tui_memory.tui.screens.live_rows import MOST, SLACK, Head, LiveRows
from tui_memory.tui.widgets import session_rows


async def arrive(pilot: object, fake: FakeMemory, *rows: Observation) -> None:
    """Another process stores observations."""
    fake.seen.extend(rows)
    fake.stamp += 1
    await pilot.pause(0.1)  # type: ignore[attr-defined]
    await settle(pilot)  # type: ignore[arg-type]


async def test_opens_at_the_end_and_shows_the_last_in_full(drive: Drive) -> None:
    async with drive((100, 30)) as pilot:
        assert "What happened as number 60" in detail(pilot)
        assert "● following" in screen_text(pilot)
        assert "queue 2 · 1 dropped" in screen_text(pilot)


async def test_what_arrives_is_shown_while_it_follows(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30)) as pilot:
        await arrive(pilot, fake, observation(61, "Just now"))
        assert "Just now" in screen_text(pilot)
        assert "Just now" in detail(pilot)


async def test_moving_up_holds_still_and_counts_and_f_follows_again(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "k") as pilot:
        await arrive(pilot, fake, observation(61), observation(62))
        assert "‖ paused · 2 new" in screen_text(pilot)
        assert "What happened as number 59" in detail(pilot)
        await pilot.press("f")
        await settle(pilot)
        assert "● following" in screen_text(pilot)
        assert "What happened as number 62" in detail(pilot)


async def test_f_holds_still_at_the_end_and_G_resumes(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "f") as pilot:
        await arrive(pilot, fake, observation(61))
        assert "‖ paused · 1 new" in screen_text(pilot)
        await pilot.press("G")
        await settle(pilot)
        assert "● following" in screen_text(pilot)


async def test_the_wheel_holds_still(drive: Drive) -> None:
    async with drive((100, 30)) as pilot:
        pilot.app.screen.query_one("#list").scroll_to(y=5, animate=False)
        await settle(pilot)
        assert "‖ paused" in screen_text(pilot)


async def test_a_state_that_changes_is_shown(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[-1].state = "captured"
    async with drive((160, 30)) as pilot:
        assert "captured" in screen_text(pilot).splitlines()[-3]
        fake.seen[-1] = observation(60, state="skipped", reason="noise")
        fake.stamp += 1
        await pilot.pause(0.1)
        await settle(pilot)
        assert "skipped" in screen_text(pilot).splitlines()[-3]


async def test_the_filter_keeps_what_holds_every_word_and_esc_lets_go(drive: Drive) -> None:
    async with drive((100, 30), "slash", *"number", "space", "7") as pilot:
        shown = screen_text(pilot)
        assert "6 observations" in shown  # 7, 17, 27, 37, 47, 57
        assert "number 8" not in shown
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert "60 observations" in screen_text(pilot)


async def test_enter_opens_the_whole_text(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[-1].text = "begin\n" + "line\n" * 3_000 + "end"
    async with drive((70, 24), "enter") as pilot:
        assert whole(pilot).endswith("end")


async def test_a_session_can_be_shown_alone(drive: Drive) -> None:
    async with drive((140, 30), "shift+tab", "shift+tab", "enter") as pilot:
        assert "session 9f3c0001" in screen_text(pilot)
        assert "20 observations" in screen_text(pilot)
        await pilot.press("tab", "tab", "escape")
        await settle(pilot)
        assert "60 observations" in screen_text(pilot)


async def test_older_ones_are_read_when_scrolled_to(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[:] = [observation(n) for n in range(1, 701)]
    async with drive((100, 30)) as pilot:
        assert "last 120 of 700 observations" in screen_text(pilot)
        await pilot.press("g")
        await settle(pilot)
        assert "last 620 of 700 observations" in screen_text(pilot)
        await pilot.press("g")
        await settle(pilot)
        assert " 700 observations" in screen_text(pilot)
        assert "last" not in screen_text(pilot).splitlines()[2]


async def test_errors_only_and_back_by_one_key(drive: Drive) -> None:
    async with drive((100, 30), "e") as pilot:
        drawn = screen_text(pilot)
        assert "9 observations · errors only" in drawn
        assert "◂ response" not in drawn
        await pilot.press("e")
        await settle(pilot)
        assert "60 observations" in screen_text(pilot)


async def test_a_kind_is_picked_said_and_ended_with_esc(drive: Drive) -> None:
    async with drive((100, 30), "K", "j", "enter") as pilot:
        assert "9 observations · kind prompt" in screen_text(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "60 observations" in screen_text(pilot)


async def test_an_agent_is_picked(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[:] = [observation(n, agent="codex" if n % 2 else "claude-code") for n in range(1, 11)]
    async with drive((140, 30), "A", "j", "enter") as pilot:
        assert "5 observations · agent claude-code" in screen_text(pilot)


async def test_s_shows_the_rows_session_alone(drive: Drive) -> None:
    async with drive((100, 30), "s") as pilot:
        assert "20 observations · session 9f3c0001" in screen_text(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert "60 observations" in screen_text(pilot)


async def test_a_click_shows_a_session_alone_and_another_all_again(drive: Drive) -> None:
    async with drive((140, 30)) as pilot:
        await pilot.click("#sessions", offset=(6, 1))
        await settle(pilot)
        assert "20 observations · session 9f3c0001" in screen_text(pilot)
        await pilot.pause(0.6)  # a second click at once would be a double one
        await pilot.click("#sessions", offset=(6, 1))
        await settle(pilot)
        assert "60 observations" in screen_text(pilot)


async def test_what_is_filtered_by_the_store_arrives_filtered(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30), "K", "j", "enter") as pilot:
        await arrive(
            pilot, fake, observation(61, "no prompt", kind="read"), observation(62, "asked now", kind="prompt")
        )
        assert "asked now" in screen_text(pilot)
        assert "no prompt" not in screen_text(pilot)


async def test_a_filter_reads_further_back_than_what_is_shown(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[:] = [observation(n, "the needle" if n == 3 else "") for n in range(1, 401)]
    async with drive((100, 30), "slash", *"needle") as pilot:
        assert "1 observation " in screen_text(pilot)
        assert "the needle" in screen_text(pilot)


async def test_brackets_go_from_turn_to_turn(drive: Drive) -> None:
    async with drive((100, 30), "left_square_bracket") as pilot:
        assert "number 57" in detail(pilot)  # where its own turn begins
        await pilot.press("left_square_bracket")
        await settle(pilot)
        assert "number 50" in detail(pilot)
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert "number 57" in detail(pilot)


async def test_what_an_event_became_is_said_and_m_goes_there_and_esc_back(drive: Drive, fake: FakeMemory) -> None:
    fake.rows[4] = memory(5, "Retries stop at the deadline", sources=[60])
    async with drive((120, 30)) as pilot:
        assert "→ “Retries stop at the deadline”  bugfix #5" in detail(pilot)
        await pilot.press("m")
        await settle(pilot)
        assert "1 memory · from event #60 · esc goes back" in screen_text(pilot)
        assert "Retries stop at the deadline" in detail(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "● following" in screen_text(pilot)
        await pilot.press("2")
        await settle(pilot)
        assert "30 memories" in screen_text(pilot)


async def test_m_says_why_an_event_became_nothing(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[-1] = observation(60, state="skipped", reason="only lock files")
    async with drive((100, 30), "m") as pilot:
        assert "It became no memory: only lock files." in toasts(pilot)


async def test_D_shows_what_was_dropped_and_why(drive: Drive) -> None:
    async with drive((100, 30), "D") as pilot:
        assert "duplicate" in whole(pilot)
        assert "stored once" in whole(pilot)


async def test_f_holds_although_something_arrives_at_that_moment(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30)) as pilot:
        fake.seen.append(observation(61))
        fake.stamp += 1
        await pilot.pause(0.03)
        await pilot.press("f")
        await arrive(pilot, fake, observation(62))
        assert "‖ paused" in screen_text(pilot)


def test_live_sessions_come_first_and_lone_commits_are_one_row() -> None:
    def row(number: int, agent: str, seen: int, *, turn_open: bool = False) -> SessionRow:
        return SessionRow(number, agent, f"s{number}", None, "main", 1, turn_open, NOW, seen, None, 5, 1)

    rows = session_rows.rows(
        [row(1, "codex", formats.now()), row(2, "git", 5), row(3, "claude-code", formats.now(), turn_open=True),
         row(4, "git", 4)]
    )  # fmt: skip
    assert [(one.session, one.live, one.events) for one in rows] == [("s3", True, 5), ("s1", False, 5), ("", False, 10)]


def test_a_run_that_is_cut_keeps_a_head_that_counts_what_is_left() -> None:
    rows = LiveRows()
    rows.append([observation(n, turn=1, session="s") for n in range(1, MOST + SLACK + 1)])
    rows.append(
        [observation(MOST + SLACK + 1, turn=1, session="s"), observation(MOST + SLACK + 2, turn=2, session="s")]
    )
    head = rows.rows[0]
    assert isinstance(head, Head)
    assert (head.first.id, head.events) == (rows.oldest, MOST - 1)
    assert rows.shown == MOST


def test_a_head_stands_where_the_session_or_the_turn_changes_and_counts() -> None:
    rows = LiveRows()
    rows.append([observation(1, turn=1), observation(2, turn=1)])
    rows.append([observation(3, turn=1), observation(4, turn=2)])
    assert [row.events if isinstance(row, Head) else row.id for row in rows.rows] == [3, 1, 2, 3, 1, 4]


def test_older_rows_go_before_and_a_run_that_is_cut_by_the_page_has_one_head() -> None:
    whole, paged = LiveRows(), LiveRows()
    every = [observation(n, session="s" if n % 9 else "t", turn=1 + n // 7) for n in range(1, 60)]
    whole.prepend(every[::-1])
    for page in (every[40:], every[20:40], every[:20]):
        paged.prepend(page[::-1])
    assert paged.rows == whole.rows and paged.shown == whole.shown
    assert paged.prepend([]) == 0


def test_what_came_twice_is_one_row() -> None:
    rows = LiveRows()
    rows.append([observation(1), observation(2)])
    rows.append([observation(2), observation(3)])
    assert [row.id for row in rows.rows if isinstance(row, Observation)] == [1, 2, 3]


def test_it_stays_bounded_and_says_how_many_rows_left() -> None:
    rows = LiveRows()
    rows.append([observation(n, turn=1, session="s") for n in range(1, MOST + SLACK + 1)])
    gone = rows.append([observation(MOST + SLACK + 1, turn=1, session="s")])
    assert gone == SLACK + 1
    assert len(rows.rows) == MOST + 1
    assert rows.newest == MOST + SLACK + 1


async def test_a_quiet_store_is_left_alone_though_much_waits_to_be_compressed(drive: Drive, fake: FakeMemory) -> None:
    async with drive((100, 30)) as pilot:
        assert any(row.state == "captured" for row in fake.seen)
        fake.seen.append(observation(61))
        fake.stamp += 1
        await settle(pilot)
        await pilot.pause(0.2)
        before = list(fake.asked)
        await pilot.pause(0.6)
        later = fake.asked[len(before) :]
        assert "observations_after" not in later and later.count("sessions") <= 1


REASONS = {
    "lifecycle": "It became no memory: it only marks where a session begins, ends or is shortened.",
    "unscanned": "It became no memory: it could not be searched for secrets",
    "oversize": "It became no memory: it was larger than one event may be",
    "the agent said nothing in the end": "It became no memory: the agent said nothing in the end.",
    "": "It became no memory: nothing in it was worth one.",
}


@pytest.mark.parametrize("reason", REASONS)
async def test_why_an_event_became_no_memory_is_said_in_words(drive: Drive, fake: FakeMemory, reason: str) -> None:
    fake.seen.append(observation(61, kind="lifecycle", state="skipped", reason=reason))
    async with drive((140, 30), "m") as pilot:
        assert REASONS[reason] in toasts(pilot)
        assert "lifecycle" not in screen_text(pilot) and "session" in detail(pilot)


@pytest.mark.parametrize("room", ["1", "5"])
async def test_memories_without_an_event_are_not_nothing(drive: Drive, fake: FakeMemory, room: str) -> None:
    fake.seen.clear()
    async with drive((120, 40), room) as pilot:
        assert "No agent has been seen here yet." in screen_text(pilot)
        assert "Nothing is remembered" not in screen_text(pilot)
