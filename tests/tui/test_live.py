"""Live: following, pausing, filtering, and what is said at the foot."""

from __future__ import annotations

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory, observation
from tests.tui.reading import detail, screen_text, whole
from tui_memory.model import Observation
from tui_memory.tui.screens.live_rows import MOST, SLACK, Head, LiveRows


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


def test_a_head_stands_where_the_session_or_the_turn_changes_and_counts() -> None:
    rows = LiveRows()
    rows.append([observation(1, turn=1), observation(2, turn=1)])
    rows.append([observation(3, turn=1), observation(4, turn=2)])
    assert [row.events if isinstance(row, Head) else row.id for row in rows.rows] == [3, 1, 2, 3, 1, 4]


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
