"""Times and their text, uids and their order."""

from __future__ import annotations

import ast
import re
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tui_memory
from tui_memory import clock

LOGS = {"tui/crash.py", "surfaces/cli/failures.py"}
"""What writes lines for a log, whose times are sorted and compared."""
LAST_MS = 7_258_118_400_000  # the year 2200


@given(st.integers(0, LAST_MS))
def test_times_survive_their_text(moment: int) -> None:
    assert clock.parse_iso(clock.iso(moment)) == moment


def test_times_without_an_offset_are_utc() -> None:
    assert clock.parse_iso("1970-01-01T01:00:00") == 3_600_000
    assert clock.parse_iso("1970-01-01T01:00:00+01:00") == 0
    with pytest.raises(ValueError):
        clock.parse_iso("yesterday")


def test_uuids_are_version_7_and_sort_by_time() -> None:
    made = [clock.uuid7(moment) for moment in range(1_000, 1_050)]
    assert made == sorted(made)
    assert len(set(clock.uuid7(1) for _ in range(1_000))) == 1_000
    for text in made:
        value = uuid.UUID(text)
        assert (value.version, value.variant, str(value)) == (7, uuid.RFC_4122, text)
    assert uuid.UUID(made[0]).int >> 80 == 1_000


def test_a_sentence_says_a_moment_as_the_screens_do() -> None:
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", clock.local(clock.now_ms()))
    package = Path(tui_memory.__file__).parent
    told = {
        f"{path.relative_to(package).as_posix()}:{part.lineno}"
        for path in package.rglob("*.py")
        if path.relative_to(package).as_posix() not in LOGS
        for part in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(part, ast.FormattedValue) and re.search(r"\biso\(", ast.unparse(part.value))
    }
    assert told == set()
