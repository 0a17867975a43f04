"""Live with its agents side by side: when, who gets which column, keys between them, and falling back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import Drive, settle
from tests.tui.fake import NOW, FakeMemory, memory, observation
from tests.tui.reading import detail, screen_text, toasts
from tests.tui.test_live import arrive
from tui_memory.tui.screens.live import LiveScreen
from tui_memory.tui.screens.live_lists import LANE_MOST, Lane, allot
from tui_memory.tui.widgets.session_rows import Shown

AGENTS = {"aaaa": "claude-code", "bbbb": "codex", "cccc": "gemini-cli"}


@pytest.fixture(autouse=True)
def busy(fake: FakeMemory) -> None:
    """Three agents at work, and a session of last week."""
    names = list(AGENTS)
    fake.seen[:] = [observation(1, session="old0", turn=1)]
    fake.seen += [
        observation(n, f"{names[n % 3]} did {n}", session=names[n % 3], agent=AGENTS[names[n % 3]], turn=1 + n // 40)
        for n in range(2, 62)
    ]
    fake.live_sessions = set(names)


def lanes(pilot: Pilot[None]) -> list[Lane]:
    """The columns on show, from the left."""
    return [lane for lane in pilot.app.screen.query(Lane) if lane.shown is not None and lane.region.width]


async def test_agents_at_work_are_side_by_side_where_there_is_room(drive: Drive) -> None:
    async with drive((120, 30)) as pilot:
        drawn = screen_text(pilot)
        assert "2 sessions side by side" in drawn
        assert len(lanes(pilot)) == 2
        for lane in lanes(pilot):
            assert f"{AGENTS[lane.session]} {lane.session} · ● live · turn 1" in drawn
        assert not pilot.app.screen.query_one("#list").region.width
    async with drive((200, 50)) as pilot:
        assert len(lanes(pilot)) == 3
        assert pilot.app.screen.query_one("#sessions").region.width


@pytest.mark.parametrize("width", [60, 80, 119])
async def test_where_there_is_no_room_it_is_one_list(drive: Drive, width: int) -> None:
    async with drive((width, 24), "c") as pilot:
        assert f"Side by side needs 120 columns; this terminal has {width}." in toasts(pilot)
        assert not lanes(pilot)
        assert "did 58" in screen_text(pilot)


async def test_one_agent_alone_is_one_list(drive: Drive, fake: FakeMemory) -> None:
    fake.live_sessions = {"aaaa"}
    async with drive((140, 30)) as pilot:
        assert not lanes(pilot)


async def test_c_goes_to_one_list_and_back(drive: Drive) -> None:
    async with drive((140, 30), "c") as pilot:
        assert not lanes(pilot)
        assert "3 live, c shows them side by side" in screen_text(pilot)
        assert pilot.app.focused is pilot.app.screen.query_one("#list")
        await pilot.press("c")
        await settle(pilot)
        assert len(lanes(pilot)) == 2
        assert pilot.app.focused is lanes(pilot)[0]


async def test_c_with_nothing_to_compare_says_so(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[:] = [observation(1)]
    async with drive((140, 30), "c") as pilot:
        assert "nothing to put side by side" in toasts(pilot)


async def test_a_terminal_made_narrow_falls_back_and_made_wide_comes_back(drive: Drive) -> None:
    async with drive((140, 30)) as pilot:
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert not lanes(pilot) and "did 61" in screen_text(pilot)
        assert pilot.app.focused is pilot.app.screen.query_one("#list")
        await pilot.resize_terminal(200, 40)
        await settle(pilot)
        assert len(lanes(pilot)) == 3


async def test_what_arrives_goes_to_its_column_and_the_list_misses_nothing(drive: Drive, fake: FakeMemory) -> None:
    async with drive((200, 40)) as pilot:
        await arrive(
            pilot, fake, observation(62, "for codex", session="bbbb", agent="codex", turn=2),
            observation(63, "for claude", session="aaaa", turn=2),
        )  # fmt: skip
        at = {lane.session: [row.text for row in lane.live._seen] for lane in lanes(pilot)}
        assert at["bbbb"][-1] == "for codex" and "for codex" not in at["aaaa"]
        assert at["aaaa"][-1] == "for claude"
        await pilot.press("c")
        await settle(pilot)
        assert "for codex" in screen_text(pilot) and "for claude" in screen_text(pilot)


async def test_a_column_that_is_given_out_before_it_is_laid_out_pauses_nothing(drive: Drive) -> None:
    async with drive((140, 20)) as pilot:
        room, lane = pilot.app.screen, lanes(pilot)[0]
        assert isinstance(room, LiveScreen) and room.following
        lane.styles.display = "none"
        await pilot.pause()
        assert not lane.size.height
        lane.scroll_to(y=3, animate=False, force=True)
        lane.scroll_to(y=2, animate=False, force=True)
        await settle(pilot)
        assert room.following


async def test_keys_go_from_column_to_column_and_the_detail_with_them(drive: Drive) -> None:
    async with drive((140, 30)) as pilot:
        first, second = lanes(pilot)
        for key, lane in (("l", second), ("l", second), ("h", first), ("right", second), ("left", first)):
            await pilot.press(key)
            await settle(pilot)
            assert pilot.app.focused is lane, key
            assert lane.record is not None and detail_of(pilot, lane)


def detail_of(pilot: Pilot[None], lane: Lane) -> bool:
    """Whether the detail shows the row under a column's cursor."""
    record = lane.record
    return f"{lane.session} did" in detail(pilot) and getattr(record, "text", "?") in detail(pilot)


async def test_moving_in_a_column_holds_all_of_them_and_f_follows_all(drive: Drive, fake: FakeMemory) -> None:
    async with drive((140, 30), "l", "k") as pilot:
        await arrive(pilot, fake, observation(62, "new in the other", session=lanes(pilot)[0].session))
        assert "‖ paused · 1 new" in screen_text(pilot)
        assert lanes(pilot)[0].cursor < lanes(pilot)[0].total - 1
        await pilot.press("f")
        await settle(pilot)
        assert "● following" in screen_text(pilot)
        assert all(lane.cursor == lane.total - 1 for lane in lanes(pilot))


async def test_filters_hold_in_every_column(drive: Drive) -> None:
    async with drive((140, 30), "e") as pilot:
        assert "errors only" in screen_text(pilot)
        rows = [row for lane in lanes(pilot) for row in lane.live.rows if hasattr(row, "kind")]
        assert rows and {row.kind for row in rows} == {"error"}
        await pilot.press("escape", "K", "j", "enter")
        await settle(pilot)
        rows = [row for lane in lanes(pilot) for row in lane.live.rows if hasattr(row, "kind")]
        assert rows and {row.kind for row in rows} == {"prompt"}


async def test_one_session_alone_is_the_list_and_all_again_the_columns(drive: Drive) -> None:
    async with drive((140, 30)) as pilot:
        session = lanes(pilot)[0].session
        await pilot.press("s")
        await settle(pilot)
        assert not lanes(pilot)
        assert f"20 observations · session {session}" in screen_text(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert len(lanes(pilot)) == 2


async def test_enter_opens_and_m_finds_the_memories_of_a_columns_row(drive: Drive, fake: FakeMemory) -> None:
    async with drive((140, 30), "l") as pilot:
        record = lanes(pilot)[1].record
        assert record is not None and hasattr(record, "id")
        fake.rows[4] = memory(5, "Made of it", sources=[record.id])
        await pilot.press("m")
        await settle(pilot)
        assert f"1 memory · from event #{record.id}" in screen_text(pilot)


async def test_older_ones_of_one_session_are_read_in_its_column(drive: Drive, fake: FakeMemory) -> None:
    fake.seen[:] = [observation(n, session="aaaa" if n % 2 else "bbbb", turn=1) for n in range(1, 401)]
    async with drive((140, 30), "g") as pilot:
        lane = lanes(pilot)[0]
        assert lane.live.complete and lane.live.shown == 200
        assert {row.session for row in lane.live._seen} == {lane.session}


async def test_a_column_stays_bounded(drive: Drive, fake: FakeMemory) -> None:
    async with drive((140, 30)) as pilot:
        lane = lanes(pilot)[0]
        lane.take([observation(n, session=lane.session, turn=1) for n in range(62, 62 + 2 * LANE_MOST)], {})
        await settle(pilot)
        assert lane.live.read <= LANE_MOST * 1.1


def shown(session: str, seen: int, *, live: bool = False) -> Shown:
    """A session, as its pane lists it."""
    return Shown(1, "codex", session, "main", 1, 5, 1, NOW - seen, live, not live)


def names(given: list[Shown | None]) -> list[str]:
    """Whose the columns are."""
    return [one.session if one else "" for one in given]


def test_who_has_a_column_keeps_it_and_what_is_known_of_it_is_new() -> None:
    a, b = shown("a", 5, live=True), shown("b", 9, live=True)
    given = allot([a, b], [b, replace(a, turn=7)], 2, hold=False)
    assert names(given) == ["a", "b"]
    assert given[0] is not None and given[0].turn == 7


def test_a_live_session_takes_the_column_that_was_idle_longest() -> None:
    a, b, c = shown("a", 50), shown("b", 90), shown("c", 0, live=True)
    assert names(allot([a, b], [c, a, b], 2, hold=False)) == ["a", "c"]
    assert names(allot([a, b], [c, a, b], 2, hold=True)) == ["a", "b"]


def test_an_idle_session_takes_nothing_from_anybody_but_fills_what_is_free() -> None:
    a, b, c = shown("a", 50), shown("b", 90), shown("c", 10)
    assert names(allot([a, b], [c, a, b], 2, hold=False)) == ["a", "b"]
    assert names(allot([a, None], [a, c], 2, hold=True)) == ["a", "c"]


def test_less_room_takes_the_columns_on_the_right() -> None:
    a, b, c = (shown(name, 5, live=True) for name in "abc")
    assert names(allot([a, b, c], [c, b, a], 2, hold=False)) == ["a", "b", ""]


def test_who_is_not_listed_any_more_has_no_column() -> None:
    a, b = shown("a", 5, live=True), shown("b", 5, live=True)
    assert names(allot([a, b], [b], 2, hold=False)) == ["", "b"]
