"""Prose as sentences, and sentences as titles."""

from __future__ import annotations

import pytest

from tui_memory.compress import sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("The code in models.py now uses 2.0.1 of it.", ["The code in models.py now uses 2.0.1 of it."]),
        ("It fails, e.g. At night. Then it works.", ["It fails, e.g. At night.", "Then it works."]),
        ("Use `a. B` here. Always.", ["Use `a. B` here.", "Always."]),
        ("## Result\n- **First** thing\n- second thing", ["Result", "First thing", "second thing"]),
        ("See [the page](https://x.example/y). Done.", ["See the page.", "Done."]),
        ("Before\n```python\nx = 1. Y\n```\nAfter", ["Before", "After"]),
        ("a line that\nis broken", ["a line that is broken"]),
        ("SUM ... FOR UPDATE is refused. So be it.", ["SUM ... FOR UPDATE is refused.", "So be it."]),
        ("", []),
    ],
)
def test_a_text_is_split_where_a_reader_would(text: str, found: list[str]) -> None:
    assert sentences.split(text) == found


def test_a_title_is_a_statement_without_lead_in_and_full_stop() -> None:
    assert sentences.title("I chose `keyset` pagination over OFFSET.") == "Chose keyset pagination over OFFSET"
    assert sentences.title("Done: the queue has back-off.") == "The queue has back-off"
    assert sentences.title("test_due_date was right.") == "test_due_date was right"


def test_a_long_title_is_cut_after_a_clause() -> None:
    long = "The load balancer is not the cause: with the timeout at 300 seconds the client still gets no message at all"
    assert sentences.title(long) == "The load balancer is not the cause"


@pytest.mark.parametrize("text", ["word " * 60, "x" * 300, "a_very_long_name_" * 20, "ü" * 200])
def test_a_title_always_fits(text: str) -> None:
    assert 0 < len(sentences.title(text)) <= sentences.TITLE


def test_whole_sentences_fit_a_limit() -> None:
    assert sentences.fit_sentences(["One two.", "Three four.", "Five six."], 20) == "One two. Three four."
