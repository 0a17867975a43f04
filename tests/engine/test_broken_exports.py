"""A file that is torn, foreign or made up: the line is named, and nothing is changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tui_memory import Memory
from tui_memory.clock import now_ms
from tui_memory.engine import reading_own
from tui_memory.errors import UsageError

from .portable import take


def _cut_line(text: str) -> str:
    return text[:-10]


def _cut_at_a_line(text: str) -> str:
    return "\n".join(text.split("\n")[:-2]) + "\n"


def _newer(text: str) -> str:
    return text.replace('"version":1,"exported"', '"version":2,"exported"')


def _foreign(text: str) -> str:
    return text.replace('"format":"tui-memory"', '"format":"tui-memory","x":1').replace('"header"', '"head"')


def _twice(text: str) -> str:
    parts = text.split("\n")
    at = next(n for n, line in enumerate(parts) if '"type":"memory"' in line)
    return "\n".join([*parts[: at + 1], parts[at], *parts[at + 1 :]])


def _unknown_field(text: str) -> str:
    return text.replace('"title":', '"colour":"red","title":', 1)


def _no_json(text: str) -> str:
    return text.replace('{"type":"memory"', "{type:memory", 1)


def _bad_time(text: str) -> str:
    return text.replace('"created":"20', '"created":"99920', 1)


def _bad_state(text: str) -> str:
    return text.replace('"state":"active"', '"state":"undone"', 1)


def _after_the_end(text: str) -> str:
    return text + '{"type":"end","records":0}\n'


def _missing(text: str) -> str:
    return text.replace('"pinned":false,', "", 1)


def _no_version(text: str) -> str:
    return text.replace('"version":1,"sources"', '"version":7,"sources"', 1)


BROKEN: list[tuple[Callable[[str], str], str]] = [
    (_cut_line, r"line 5: it was cut off"),
    (_cut_at_a_line, r"line 4: the file ends before its end line"),
    (_newer, r"line 1: .*newer tui-memory"),
    (_twice, r"line 4: the uid .* was on line 3 already"),
    (_unknown_field, r"line 3: there is no field versions.0.colour"),
    (_no_json, r"line 3: it is not JSON"),
    (_bad_time, r"line 3: "),
    (_bad_state, r"line 3: state"),
    (_after_the_end, r"line 6: something follows"),
    (_missing, r"line 3: the field pinned is missing"),
    (_no_version, r"line 3: version 7 is not"),
]


class TestBrokenFiles:
    @pytest.mark.parametrize(("spoil", "said"), BROKEN, ids=[spoil.__name__ for spoil, _ in BROKEN])
    def test_the_line_is_named_and_nothing_changed(
        self, memory: Memory, other: Memory, tmp_path: Path, spoil: Callable[[str], str], said: str
    ) -> None:
        memory.add_many([{"title": "a", "project": "orderly"}, {"title": "b"}])
        file = tmp_path / "m.jsonl"
        memory.exporting.export(file)
        file.write_text(spoil(file.read_text()))
        with pytest.raises(UsageError, match=said) as caught:
            take(other, file)
        assert "Nothing was imported" in caught.value.message
        assert other.count(state="all") == 0 and other.projects() == [] and other.history() == []

    def test_a_file_of_another_program_is_none_of_ours(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        memory.add_many([{"title": "a"}])
        file = tmp_path / "m.jsonl"
        memory.exporting.export(file)
        file.write_text(_foreign(file.read_text()))
        with pytest.raises(UsageError, match="none of the files that can be imported"):
            take(other, file)

    def test_a_line_without_an_end_is_never_read_whole(
        self, memory: Memory, other: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading_own, "LONGEST_LINE", 10_000)
        memory.add_many([{"title": "a", "text": "x" * 20_000}])
        memory.exporting.export(tmp_path / "m.jsonl")
        with pytest.raises(UsageError, match="line 2: it is longer than"):
            take(other, tmp_path / "m.jsonl")

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("<!-- end -->", "", r"line 7: the memory that begins here has no end"),
            ("<!-- end of export -->", "", r"the file ends before its last line"),
            ('"tier": "episodic"', '"tier": "working"', r"line 7: versions.0.tier"),
            ('{"uid"', "{uid", r"line 7: its comment holds no JSON object"),
            ('"written"', '"wrote"', r"line 7: what is said of this memory"),
            ('"pinned": false', '"pinned": false, "colour": 1', r"line 7: there is no field colour"),
        ],
    )
    def test_markdown_too(self, memory: Memory, other: Memory, tmp_path: Path, old: str, new: str, said: str) -> None:
        memory.add_many([{"title": "a"}, {"title": "b"}])
        file = tmp_path / "m.md"
        memory.exporting.export(file)
        file.write_text(file.read_text().replace(old, new, 1))
        with pytest.raises(UsageError, match=said):
            take(other, file)
        assert other.count(state="all") == 0

    def test_a_link_or_a_pipe_is_not_followed(self, memory: Memory, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "m.jsonl")
        with pytest.raises(UsageError, match="cannot be read"):
            take(memory, tmp_path / "m.jsonl")

    def test_times_of_a_clock_that_runs_ahead_do_not_win_for_ever(
        self, memory: Memory, other: Memory, tmp_path: Path
    ) -> None:
        (id_,) = memory.add_many([{"title": "a"}])
        with memory.store.transaction() as connection:
            connection.execute("UPDATE memories SET updated = ?", (now_ms() + 10**9,))
        memory.exporting.export(tmp_path / "m.jsonl")
        take(other, tmp_path / "m.jsonl")
        uid = memory.get(id_)[0].uid
        other.edit(uid, title="b")
        take(other, tmp_path / "m.jsonl")
        assert other.get(uid)[0].title == "b"
