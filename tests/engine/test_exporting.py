"""Memories out of a store and into another: nothing is lost, nothing secret leaves, nothing broken gets in."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tui_memory import Memory
from tui_memory.clock import now_ms
from tui_memory.engine import reading_own
from tui_memory.engine.exporting import Wanted
from tui_memory.engine.import_report import ForeignReport
from tui_memory.engine.importing import Importing
from tui_memory.errors import NotFoundError, RefusedError, TuiMemoryError, UsageError
from tui_memory.model import Filters
from tui_memory.store import purging

from .conftest import RULES_ONLY

ALL = Wanted(journal=True, sources=True)
AWKWARD = "one\r\ntwo\n\n<!-- text -->\n\\<!-- end -->\n# no heading\n- no item\n\u2028\u200btab\there  \n"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "other", embedding="none", settings=RULES_ONLY) as made:
        yield made


def fill(memory: Memory) -> list[int]:
    """Memories of every state, with sources, versions, a merge, and things taken back."""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": "/srv/orderly", "prompt": "Why?"}
    source = memory.capture("claude-code", payload)
    items: list[dict[str, Any]] = [
        {"title": f"Title {n}", "summary": "in short\nand more", "text": AWKWARD, "facts": ["a\n\nb", "- c", "d "],
         "labels": ["x y"], "files": ["a b.py", "`q`"], "project": "orderly" if n % 2 else None, "session": "s1",
         "sources": [source], "branch": "main", "created": 1_700_000_000_000 + n}
        for n in range(9)
    ]  # fmt: skip
    ids = memory.add_many(items)
    memory.edit(ids[0], title="Title 0, again", text="short")
    memory.delete(ids[1])
    memory.pin([ids[2], ids[3]])
    memory.merge([ids[3], ids[5]])
    memory.supersede(ids[4], ids[6])
    memory.edit(ids[7], everywhere=True)
    memory.undo()
    memory.fetch(ids[8])
    return ids


def lines(path: Path) -> list[dict[str, Any]]:
    """The records between header and end; an import's own entry is not the exporter's."""
    read = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    return [one for one in read[1:-1] if one.get("action") != "import"]


def take(memory: Memory, path: Path, **how: Any) -> ForeignReport:
    return Importing(memory).file(path, **how)


def counts(report: ForeignReport) -> tuple[int, int, int]:
    return report.new, report.changed, report.known


class TestRoundTrip:
    def test_json_lines_say_everything(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        fill(memory)
        here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
        memory.exporting.export(here, ALL)
        report = take(other, here)
        assert counts(report) == (10, 0, 0) and len(report.added) == 10
        other.exporting.export(there, ALL)
        assert lines(here) == lines(there)

    def test_markdown_says_all_that_is_current(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        fill(memory)
        memory.exporting.export(tmp_path / "here.md", Wanted(state="all"))
        take(other, tmp_path / "here.md")
        other.exporting.export(tmp_path / "there.md", Wanted(state="all"))
        # What a memory came from stays at home, but for its uids.
        here, there = (
            re.sub(rb'"sources": \[.*?\]', b"", (tmp_path / name).read_bytes()).split(b"\n")[5:]
            for name in ("here.md", "there.md")
        )
        assert here == there

    def test_a_memory_is_what_it_was(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        ids = fill(memory)
        memory.exporting.export(tmp_path / "m.jsonl", ALL)
        take(other, tmp_path / "m.jsonl")
        for before in memory.get(ids):
            after = other.get(before.uid)[0]
            own = {"id", "version", "sources", "superseded_by", "superseded_at", "merged_from"}
            same = {name: getattr(before, name) for name in vars(before) if name not in own}
            assert {name: getattr(after, name) for name in same} == same
            assert [one.uid for one in other.observation(after.sources)] == [
                one.uid for one in memory.observation(before.sources)
            ]

    @pytest.mark.parametrize("journal", [True, False])
    def test_it_was_replaced_when_it_was(
        self, memory: Memory, other: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: bool
    ) -> None:
        with monkeypatch.context() as then:
            for module in ("journal", "changes"):
                then.setattr(f"tui_memory.store.{module}.now_ms", lambda: now_ms() - 90 * 86_400_000)
            ids = memory.add_many([{"title": "Port 8080"}, {"title": "Port 9000"}])
            memory.supersede(*ids)
        was = memory.get(ids[0])[0]
        assert was.superseded_at is not None and was.superseded_at < now_ms() - 80 * 86_400_000
        memory.exporting.export(tmp_path / "m.jsonl", Wanted(journal=journal))
        take(other, tmp_path / "m.jsonl")
        found = other.get(was.uid)[0].superseded_at
        assert found is not None and abs(found - was.superseded_at) < 60_000
        other.undo()
        other.redo()
        assert other.get(was.uid)[0].superseded_at == found
        if journal:
            other.pin([was.uid])
            assert other.get(was.uid)[0].superseded_at == found

    def test_words_find_it_and_a_merge_can_be_taken_apart(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        first, second = memory.add_many([{"title": "Retry policy", "text": "zebra"}, {"title": "Retry twice"}])
        merged = memory.get(memory.merge([first, second]))[0]
        memory.exporting.export(tmp_path / "m.jsonl", ALL)
        take(other, tmp_path / "m.jsonl")
        assert [hit.memory.uid for hit in other.search("zebra")] == [merged.uid]
        other.split(merged.uid)
        assert {row.title for row in other.memories()} == {"Retry policy", "Retry twice"}


class TestWhatIsWritten:
    def test_filters_states_and_ids(self, memory: Memory, tmp_path: Path) -> None:
        ids = fill(memory)
        file = tmp_path / "m.jsonl"
        export = memory.exporting.export
        assert export(file, Wanted(Filters(kind=("bugfix",)))).memories == 0
        done = export(file)
        assert (done.memories, done.in_trash) == (10, 1)
        assert export(file, Wanted(state="active")).memories == 6
        assert export(file, Wanted(ids=(ids[1], ids[2]))).memories == 2
        assert export(tmp_path / "m.md").memories == 6
        with pytest.raises(NotFoundError):
            export(file, Wanted(ids=(99,)))

    def test_older_versions_stay_at_home_where_that_is_asked(self, memory: Memory, tmp_path: Path) -> None:
        (id_,) = memory.add_many([{"title": "First words"}])
        memory.edit(id_, title="Second words")
        memory.exporting.export(tmp_path / "m.jsonl", Wanted(latest=True))
        assert "First" not in (tmp_path / "m.jsonl").read_text()
        memory.exporting.export(tmp_path / "m.jsonl")
        assert "First" in (tmp_path / "m.jsonl").read_text()

    def test_nothing_secret_leaves_whatever_older_rules_let_through(self, memory: Memory, tmp_path: Path) -> None:
        secret = "ghp_" + "Zq7Lw2Xc9Vb4Nm8Kj3Hg6Fd1Sa5Po0Iu7Yt2"
        (id_,) = memory.add_many([{"title": "t", "text": "x", "facts": ["x"], "files": ["x"], "branch": "x"}])
        with memory.store.transaction() as connection:
            connection.execute(
                "UPDATE versions SET text = ?1, facts = json_array(?1), files = json_array(?1)",
                (f"token {secret}",),
            )
            connection.execute("UPDATE memories SET branch = ?1", (secret,))
            connection.execute("UPDATE journal SET after = json_set(after, '$.branch', ?1)", (secret,))
        for name in ("m.jsonl", "m.md"):
            done = memory.exporting.export(tmp_path / name, Wanted(journal=name == "m.jsonl"))
            assert secret not in (tmp_path / name).read_text() and done.redactions.total() >= 3
        assert secret in memory.get(id_)[0].text  # the store is as it was

    def test_the_file_is_private_whole_or_not_there(self, memory: Memory, tmp_path: Path) -> None:
        memory.add_many([{"title": "t"}])
        file = tmp_path / "m.jsonl"
        old = os.umask(0)
        try:
            memory.exporting.export(file)
        finally:
            os.umask(old)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        before = file.read_bytes()
        assert memory.exporting.export(file, cancelled=lambda: True).cancelled
        assert file.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["home", "m.jsonl", "store"]

    def test_a_full_disk_leaves_what_was_there(
        self, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory.add_many([{"title": "t"}])
        file = tmp_path / "m.jsonl"
        memory.exporting.export(file)
        before = file.read_bytes()

        def full(_descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(TuiMemoryError, match="could not be written: No space left"):
            memory.exporting.export(file)
        assert file.read_bytes() == before and not list(tmp_path.glob("*.part")) + list(tmp_path.glob(".*.part"))

    def test_what_is_there_is_only_replaced_where_it_is_an_export(self, memory: Memory, tmp_path: Path) -> None:
        file = tmp_path / "notes.md"
        file.write_text("# Mine\n")
        with pytest.raises(RefusedError, match="--yes"):
            memory.exporting.export(file)
        assert file.read_text() == "# Mine\n"
        memory.exporting.export(file, yes=True)
        memory.exporting.export(file)
        with pytest.raises(RefusedError, match="inside the store"):
            memory.exporting.export(memory.home / "m.jsonl")
        with pytest.raises(NotFoundError, match="no folder"):
            memory.exporting.export(tmp_path / "none" / "m.jsonl")
        with pytest.raises(UsageError, match="jsonl"):
            memory.exporting.export(file, Wanted(journal=True))

    def test_a_purge_names_it_while_it_is_there(self, memory: Memory, tmp_path: Path) -> None:
        (id_, second) = memory.add_many([{"title": "a"}, {"title": "b"}])
        memory.exporting.export(tmp_path / "m.jsonl")
        assert memory.purge(ids=[id_], yes=True).outside == [str(tmp_path / "m.jsonl")]
        (tmp_path / "m.jsonl").unlink()
        assert memory.purge(ids=[second], yes=True).outside == []

    def test_others_write_meanwhile(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        memory.add_many([{"title": f"{n}"} for n in range(450)])

        def write(_done: int, _all: int) -> None:
            with Memory(memory.home, embedding="none", settings=RULES_ONLY) as second:
                second.add_many([{"title": "late"}])

        done = memory.exporting.export(tmp_path / "m.jsonl", Wanted(journal=True), on_progress=write)
        assert (done.memories, done.changes) == (450, 450)
        assert take(other, tmp_path / "m.jsonl").new == 450


class TestTakingIn:
    def test_again_is_nothing_new(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        fill(memory)
        memory.exporting.export(tmp_path / "m.jsonl", ALL)
        take(other, tmp_path / "m.jsonl")
        entries = len(other.history(limit=1_000))
        assert counts(take(other, tmp_path / "m.jsonl")) == (0, 0, 10)
        assert counts(take(memory, tmp_path / "m.jsonl")) == (0, 0, 10)
        assert len(other.history(limit=1_000)) == entries

    def test_undo_takes_all_of_it_back_and_redo_gives_the_same_ids(
        self, memory: Memory, other: Memory, tmp_path: Path
    ) -> None:
        fill(memory)
        memory.exporting.export(tmp_path / "m.jsonl", ALL)
        own = other.add_many([{"title": "mine"}])
        added = take(other, tmp_path / "m.jsonl").added
        other.undo()
        assert [row.id for row in other.memories(state="all")] == own
        other.redo()
        assert sorted(row.id for row in other.memories(state="all")) == sorted([*own, *added])
        other.undo(2)  # what a person did elsewhere is not this store's to take back
        assert other.undo(5) == [] and other.count(state="all") == 0
        assert counts(take(other, tmp_path / "m.jsonl")) == (10, 0, 0)
        assert sorted(row.id for row in other.memories(state="all")) == sorted(added)

    def test_the_later_of_two_states_is_kept(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        kept, changed, deleted = memory.add_many([{"title": name} for name in ("kept", "changed", "deleted")])
        memory.exporting.export(tmp_path / "old.jsonl")
        take(other, tmp_path / "old.jsonl")
        uids = [row.uid for row in memory.get([kept, changed, deleted])]
        memory.edit(changed, title="changed there", labels=["new"])
        memory.exporting.export(tmp_path / "new.jsonl")
        other.delete(uids[2])
        other.edit(uids[0], title="kept here")
        report = take(other, tmp_path / "new.jsonl")
        assert counts(report) == (0, 1, 0) and report.skipped == {"changed here since it was exported": 2}
        assert [row.title for row in other.get(uids)] == ["kept here", "changed there", "deleted"]
        assert other.get(uids[2])[0].state == "trash"
        other.undo()
        assert other.get(uids[1])[0].title == "changed"

    def test_edited_markdown_is_an_edit(self, memory: Memory, tmp_path: Path) -> None:
        (id_,) = memory.add_many([{"title": "Old title", "text": "old text", "facts": ["one"]}])
        file = tmp_path / "m.md"
        memory.exporting.export(file)
        file.write_text(file.read_text().replace("old text", "new text").replace("## Old", "## New"))
        assert counts(take(memory, file)) == (0, 1, 0)
        row = memory.get(id_)[0]
        assert (row.title, row.text, row.facts) == ("New title", "new text", ["one"])
        memory.undo()
        assert memory.get(id_)[0].text == "old text"

    def test_a_dry_run_counts_and_changes_nothing(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        fill(memory)
        memory.exporting.export(tmp_path / "m.jsonl", ALL)
        assert counts(take(other, tmp_path / "m.jsonl", dry_run=True)) == (10, 0, 0)
        assert other.count(state="all") == 0 and other.projects() == []
        take(other, tmp_path / "m.jsonl")
        assert counts(take(other, tmp_path / "m.jsonl", dry_run=True)) == (0, 0, 10)

    def test_all_of_it_can_go_to_one_project(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        fill(memory)
        memory.exporting.export(tmp_path / "m.jsonl")
        take(other, tmp_path / "m.jsonl", project="elsewhere")
        assert {row.project for row in other.memories(state="all")} == {"elsewhere"}

    def test_what_was_purged_here_stays_away(self, memory: Memory, tmp_path: Path) -> None:
        first, second = memory.add_many([{"title": "first"}, {"title": "second"}])
        memory.exporting.export(tmp_path / "m.jsonl")
        memory.purge(ids=[first], yes=True)
        report = take(memory, tmp_path / "m.jsonl")
        assert counts(report) == (0, 0, 1) and report.skipped == {purging.ACTION + "d here": 1}
        assert [row.id for row in memory.memories(state="all")] == [second]

    def test_secrets_in_a_file_are_masked_on_the_way_in(self, memory: Memory, other: Memory, tmp_path: Path) -> None:
        memory.add_many([{"title": "t", "text": "PLACE"}])
        file = tmp_path / "m.jsonl"
        memory.exporting.export(file)
        secret = "ghp_" + "Zq7Lw2Xc9Vb4Nm8Kj3Hg6Fd1Sa5Po0Iu7Yt2"
        file.write_text(file.read_text().replace("PLACE", f"token {secret}"))
        assert take(other, file).redactions.total() == 1
        assert secret not in other.memories()[0].title + other.get(1)[0].text

    def test_a_run_that_was_stopped_shows_nothing_and_the_next_goes_on(
        self, memory: Memory, other: Memory, tmp_path: Path
    ) -> None:
        memory.add_many([{"title": f"{n}"} for n in range(450)])
        file = tmp_path / "m.jsonl"
        memory.exporting.export(file, Wanted(journal=True))
        asked = iter(range(100))
        report = take(other, file, cancelled=lambda: next(asked) > 3)
        assert report.cancelled and other.count(state="all") == 0
        assert counts(take(other, file)) == (450, 0, 0)
        other.exporting.export(tmp_path / "back.jsonl", Wanted(journal=True))
        assert lines(file) == lines(tmp_path / "back.jsonl")


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
