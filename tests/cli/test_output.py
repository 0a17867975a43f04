"""JSON that says exactly the value and that no terminal obeys; ages; sizes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_memory.surfaces.cli.output import as_json
from tui_memory.surfaces.cli.render.ages import age, ago
from tui_memory.surfaces.cli.render.status import size

MINUTE, DAY = 60_000, 86_400_000


@given(st.text(st.characters()))
def test_json_means_exactly_the_text(text: str) -> None:
    assert json.loads(as_json({"text": text})) == {"text": text}


@given(st.text(st.characters(exclude_categories=())))
def test_json_holds_nothing_that_a_terminal_would_obey(text: str) -> None:
    assert all(character.isprintable() for character in as_json({"text": text}))


def test_json_keeps_what_people_read_as_it_is() -> None:
    assert as_json({"text": "日本 é 🦊"}) == '{"text": "日本 é 🦊"}'


@pytest.mark.parametrize("hostile", ["\x1b]52;c;eA==\x07", "\x9b2J", "\u202eabc", "\x7f", "\U000e0041", "\udcff"])
def test_what_does_not_print_is_an_escape(hostile: str) -> None:
    text = as_json({"text": hostile})
    assert text.isprintable() and json.loads(text)["text"] == hostile


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (-5, "now"), (59_000, "now"), (MINUTE, "1 min"), (59 * MINUTE, "59 min"), (60 * MINUTE, "1 h"), (DAY, "1 d"),
        (6 * DAY, "6 d"), (7 * DAY, "1 w"), (31 * DAY, "1 mo"), (364 * DAY, "11 mo"), (366 * DAY, "1 y"),
    ],
)  # fmt: skip
def test_an_age_is_the_largest_whole_unit(passed: int, text: str) -> None:
    assert age(0, passed) == text


def test_ago_is_a_phrase() -> None:
    assert (ago(0, 0), ago(0, DAY)) == ("just now", "1 d ago")


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 KB"), (2_000_000, "2.0 MB"), (10**16, "10,000.0 TB")],
)
def test_sizes_are_for_people(count: int, text: str) -> None:
    assert size(count) == text
