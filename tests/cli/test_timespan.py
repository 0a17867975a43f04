"""TIME as people type it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from tui_memory.clock import parse_iso
from tui_memory.errors import UsageError
from tui_memory.surfaces.cli.timespan import parse

NOW = parse_iso("2026-11-29T22:30:00Z")
DAY = 86_400_000


@pytest.fixture(autouse=True)
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is nine hours ahead: a test that mixes it up with UTC fails."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "before_now"),
    [
        ("30m", 30 * 60_000), ("12h", 12 * 3_600_000), ("3d", 3 * DAY), ("2w", 14 * DAY),
        ("3 d", 3 * DAY), (" 3D ", 3 * DAY), ("0d", 0),
    ],
)  # fmt: skip
def test_a_span_counts_back_from_now(text: str, before_now: int) -> None:
    assert parse(text, now=NOW) == NOW - before_now


def test_a_span_longer_than_time_is_the_beginning_of_time() -> None:
    assert parse("999999y", now=NOW) == 0


def test_days_begin_at_local_midnight() -> None:
    assert parse("today", now=NOW) == parse_iso("2026-11-30T00:00:00+09:00")
    assert parse("yesterday", now=NOW) == parse_iso("2026-11-29T00:00:00+09:00")
    assert parse("2026-11-20", now=NOW) == parse_iso("2026-11-20T00:00:00+09:00")


def test_until_a_day_includes_that_day() -> None:
    assert parse("2026-11-20", now=NOW, end=True) == parse_iso("2026-11-21T00:00:00+09:00")
    assert parse("yesterday", now=NOW, end=True) == parse("today", now=NOW)


def test_a_time_of_day_is_itself_at_either_end() -> None:
    for end in (False, True):
        assert parse("2026-11-20T14:00", now=NOW, end=end) == parse_iso("2026-11-20T14:00:00+09:00")


@pytest.mark.parametrize("text", ["2026-11-20T14:00Z", "2026-11-20t15:00+01:00", "2026-11-20 14:00:00+00:00"])
def test_an_offset_is_obeyed(text: str) -> None:
    assert parse(text, now=NOW) == parse_iso("2026-11-20T14:00:00Z")


def test_now_is_the_clock_where_none_is_given() -> None:
    assert abs(parse("0d") - datetime.now().timestamp() * 1000) < 10_000


@pytest.mark.parametrize(
    "text", ["", "soon", "3x", "-3d", "3.5d", "12345678d", "2026-13-01", "9999-12-31", "tomorrow\x1b"]
)
def test_what_is_no_time_says_what_would_be(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not a time: use 30m, 12h, 3d, 2w, today, yesterday or ISO 8601"):
        parse(text, now=NOW, end=True)
