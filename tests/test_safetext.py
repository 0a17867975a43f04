"""Outside text on its way to a screen or an agent: nothing in it is obeyed, what can be read stays."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_memory import safetext

SHOWN = "\ufffd"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\nstays", "plain\ttext\nstays"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]52;c;bG9s\x07after", "after"),
        ("\x1b]0;title\x1b\\after", "after"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP+q544e\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        ("bell\x07 back\x08 nul\x00", f"bell{SHOWN} back{SHOWN} nul{SHOWN}"),
        ("dos\r\nline", "dos\nline"),
        ("over\rwritten", f"over{SHOWN}written"),
        ("c1 \x9b31m", f"c1 {SHOWN}31m"),
        ("user\u202egpj.exe", f"user{SHOWN}gpj.exe"),
        ("zero\u200bwidth \ufeffbom", f"zero{SHOWN}width {SHOWN}bom"),
        ("hidden \U000e0041\U000e0042", f"hidden {SHOWN}{SHOWN}"),
        ("half \ud800", f"half {SHOWN}"),
        ("line\u2028separator", f"line{SHOWN}separator"),
        ("[red]markup[/] stays text", "[red]markup[/] stays text"),
        ("naïve 東京 👩‍🔧 é", "naïve 東京 👩‍🔧 é"),
    ],
)
def test_clean(text: str, expected: str) -> None:
    assert safetext.clean(text) == expected


@given(st.text())
def test_whatever_comes_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    cleaned = safetext.clean(text)
    cleaned.encode()
    assert not [char for char in cleaned if unicodedata.category(char) == "Cc" and char not in "\n\t"]
    assert "\u202e" not in cleaned
    assert safetext.clean(cleaned) == cleaned


@given(st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert safetext.clean(text) == text


def test_colours_go_and_what_they_framed_stays() -> None:
    assert safetext.strip_ansi("\x1b[1;32mok\x1b[0m 3 \x1b[2Kpassed") == "ok 3 passed"
    assert safetext.strip_ansi("no escapes") == "no escapes"


@given(st.text(), st.integers(1, 40))
def test_one_line_is_one_and_no_longer_than_asked(text: str, limit: int) -> None:
    line = safetext.one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line and "\t" not in line


def test_one_line_says_that_it_was_cut() -> None:
    assert safetext.one_line("a  b\n\tc") == "a b c"
    assert safetext.one_line("abcdef", 4) == "abc…"
    assert safetext.one_line("abcd", 4) == "abcd"


def test_a_hostile_megabyte_is_cleaned_in_time() -> None:
    for piece in ("\x1b]", "\x1b[", "\x1bP\x1b", "\x1b[0;", "\u202e"):
        assert len(safetext.clean(piece * (1_000_000 // len(piece)))) <= 1_000_000
