"""Tables line up by what a terminal shows, and give way where it is narrow."""

from __future__ import annotations

from rich.cells import cell_len

from tui_memory.surfaces.cli.render.table import Column, lines
from tui_memory.surfaces.cli.render.width import TIED, cut, fold, pad

COLUMNS = (Column("ID", right=True), Column("TITLE", gives=True), Column("AGE", right=True))


def test_columns_line_up_and_numbers_stand_right() -> None:
    assert lines(COLUMNS, [["#1", "short", "3 d"], ["#212", "rather longer", "now"]]) == [
        "  ID  TITLE          AGE",
        "  #1  short          3 d",
        "#212  rather longer  now",
    ]


def test_wide_characters_take_the_cells_they_take() -> None:
    made = lines(COLUMNS, [["#1", "日本語のメモ", "3 d"], ["#2", "e\u0301té 👩‍💻", "2 w"], ["#3", "plain", "1 y"]])
    assert {cell_len(line) for line in made} == {cell_len(made[0])}


def test_a_narrow_terminal_cuts_the_one_column_that_gives() -> None:
    made = lines(COLUMNS, [["#1", "Retries must stop at the deadline", "3 d"]], 30)
    assert made[1] == "#1  Retries must stop at…  3 d"
    assert all(cell_len(line) <= 30 for line in made)


def test_the_giving_column_keeps_a_readable_rest() -> None:
    assert lines(COLUMNS, [["#1", "Retries must stop", "3 d"]], 5)[1] == "#1  Retries mus…  3 d"


def test_a_column_without_content_is_left_out() -> None:
    assert lines(COLUMNS, [["#1", "", "3 d"]]) == ["ID  AGE", "#1  3 d"]


def test_a_wide_character_is_never_cut_in_half() -> None:
    assert cut("日本語", 6) == "日本語"
    assert cut("日本語", 5) == "日本…"
    assert cell_len(cut("日本語", 4)) <= 4
    assert cut("abc", 0) == ""


def test_padding_fills_cells() -> None:
    assert pad("日", 4) == "日  "
    assert pad("日", 4, right=True) == "  日"
    assert pad("abcdef", 3) == "abcdef"


def test_a_long_line_is_folded_between_words_and_never_inside_a_pair() -> None:
    pairs = " · ".join(f"api-key-{n}{TIED}{n}" for n in range(4))
    assert fold(pairs, 24) == ["api-key-0 0 ·", "api-key-1 1 ·", "api-key-2 2 ·", "api-key-3 3"]
    assert fold(pairs, None) == [pairs.replace(TIED, " ")]
    assert fold("", 24) == []
