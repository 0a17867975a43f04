"""An exported file taken into a store: once, as one change, the later state kept, nothing secret let in."""

from __future__ import annotations

from pathlib import Path

from tui_memory import Memory
from tui_memory.engine.exporting import Wanted
from tui_memory.store import purging

from .portable import ALL, counts, fill, lines, take


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
