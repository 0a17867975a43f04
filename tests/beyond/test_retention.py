"""Of every day, week and month within the rules the last back-up stays, and the newest whatever the rules say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tui_memory.beyond import retention
from tui_memory.beyond.manifest import Manifest
from tui_memory.beyond.sealing import Sum
from tui_memory.config import BackupSettings


def made(when: datetime) -> Manifest:
    """A back-up of a moment."""
    return Manifest(when.isoformat(), int(when.timestamp() * 1000), "d", "1", 1, Sum(), Sum())


def kept(moments: list[datetime], daily: int, weekly: int, monthly: int) -> set[str]:
    """What stays, by its moment."""
    return retention.kept([made(when) for when in moments], BackupSettings(daily, weekly, monthly))


def test_a_year_of_daily_back_ups() -> None:
    last = datetime(2026, 11, 30, 3, tzinfo=UTC)
    stay = sorted(kept([last - timedelta(days=n) for n in range(365)], 7, 4, 12))
    days = [when[:10] for when in stay]
    assert days[-7:] == [f"2026-11-{day}" for day in range(24, 31)]
    assert [day for day in days if day.startswith("2026-11")][:3] == ["2026-11-15", "2026-11-22", "2026-11-24"]
    assert "2025-12-31" in days and "2026-10-31" in days and len(days) == 7 + 2 + 11


def test_of_one_day_the_last_stays() -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    assert kept([day + timedelta(hours=n) for n in range(24)], 7, 4, 12) == {"2026-03-01T23:00:00+00:00"}


MOMENTS = st.lists(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)), max_size=40)
FEW = st.integers(0, 5)


@given(MOMENTS, FEW, FEW, FEW)
def test_the_newest_always_stays_and_no_more_than_the_rules_say(
    moments: list[datetime], daily: int, weekly: int, monthly: int
) -> None:
    stay = kept(moments, daily, weekly, monthly)
    assert len(stay) <= 1 + daily + weekly + monthly
    if moments:
        assert max(moments).isoformat() in stay
    again = kept([when for when in moments if when.isoformat() in stay], daily, weekly, monthly)
    assert again == stay  # applied twice it takes no more
