"""What of a memory is embedded."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tui_memory.index.chunking import MOST, WINDOW, split

LONG = " ".join(f"word{n}" for n in range(1000))


def test_a_short_memory_is_one_chunk_of_title_summary_and_text() -> None:
    assert split("Retry twice", "Once was not enough", "The gateway drops one in ten.") == [
        "Retry twice\nOnce was not enough\nThe gateway drops one in ten."
    ]


def test_a_title_that_the_text_begins_with_stands_once() -> None:
    assert split("Retry twice", "", "Retry twice\n\nbecause once was not enough") == [
        "Retry twice\n\nbecause once was not enough"
    ]


def test_a_title_cut_from_the_text_stands_once() -> None:
    assert split("The gateway drops…", "", "The gateway drops one in ten.") == ["The gateway drops one in ten."]


def test_a_long_memory_is_its_head_and_windows_over_all_of_it() -> None:
    head, *windows = split("Words", "", LONG)
    assert head.startswith("Words\nword0 word1")
    assert "word0" in windows[0]
    assert windows[-1].endswith("word999")


def test_a_text_of_very_many_windows_has_some_from_its_start_to_its_end() -> None:
    words = " ".join(f"word{n}" for n in range(50_000))
    windows = split("Log", "", words)[1:]
    assert len(windows) == MOST
    assert "word0 " in windows[0] and windows[-1].endswith("word49999")
    starts = [int(window.split()[1].removeprefix("word")) for window in windows]
    gaps = [after - before for before, after in pairwise(starts)]
    assert max(gaps) < 1.5 * min(gaps)


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=5000))
def test_no_chunk_is_longer_than_a_model_reads_and_there_is_always_one(title: str, summary: str, text: str) -> None:
    chunks = split(title, summary, text)
    assert chunks
    assert all(len(chunk) <= WINDOW for chunk in chunks)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=700))
def test_every_word_of_a_text_is_whole_in_some_chunk(numbers: list[int]) -> None:
    words = [f"w{number}" for number in numbers]
    chunks = split("Numbers", "", " ".join(words))
    seen = {word for chunk in chunks for word in chunk.split()}
    assert seen >= set(words)
