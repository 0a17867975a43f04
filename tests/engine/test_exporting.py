"""Memories out of a store and back: nothing is lost, nothing secret leaves, and the file is whole or not there."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tui_memory import Memory
from tui_memory.clock import now_ms
from tui_memory.engine.exporting import Wanted
from tui_memory.errors import NotFoundError, RefusedError, TuiMemoryError, UsageError
from tui_memory.model import Filters
from tui_memory.store import filelock

from .conftest import RULES_ONLY
from .portable import ALL, counts, fill, lines, take


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
        export = partial(memory.exporting.export, yes=True)
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
        memory.exporting.export(tmp_path / "m.jsonl", yes=True)
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
        assert memory.exporting.export(file, yes=True, cancelled=lambda: True).cancelled
        assert file.read_bytes() == before and sorted(os.listdir(tmp_path)) == ["home", "m.jsonl", "store"]

    def test_a_kill_in_the_middle_leaves_what_was_there_and_the_next_run_tidies_up(
        self, memory: Memory, tmp_path: Path
    ) -> None:
        memory.add_many([{"title": f"t{n}"} for n in range(300)])
        file = tmp_path / "m.jsonl"
        memory.exporting.export(file)
        before = file.read_bytes()
        script = (
            "import os, signal, sys\n"
            "from tui_memory import Memory\n"
            "with Memory(sys.argv[1], embedding='none') as memory:\n"
            "    kill = lambda done, of: os.kill(os.getpid(), signal.SIGKILL)\n"
            "    memory.exporting.export(sys.argv[2], yes=True, on_progress=kill)\n"
        )
        killed = subprocess.run([sys.executable, "-c", script, str(memory.home), str(file)], timeout=120)
        assert killed.returncode == -signal.SIGKILL and file.read_bytes() == before
        (left,) = tmp_path.glob(".m.jsonl.*")
        assert stat.S_IMODE(left.stat().st_mode) == 0o600
        running = tmp_path / ".m.jsonl.0123456789ab.part"
        with filelock.held(running):  # another process is at it
            memory.exporting.export(file, yes=True)
            assert not left.exists() and running.exists()
        assert len(lines(file)) == 300

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
            memory.exporting.export(file, yes=True)
        assert file.read_bytes() == before and not list(tmp_path.glob("*.part")) + list(tmp_path.glob(".*.part"))

    def test_what_is_there_is_only_replaced_on_a_yes(self, memory: Memory, tmp_path: Path) -> None:
        file = tmp_path / "notes.md"
        file.write_text("# Mine\n")
        with pytest.raises(RefusedError, match="--yes"):
            memory.exporting.export(file)
        assert file.read_text() == "# Mine\n"
        memory.exporting.export(file, yes=True)
        with pytest.raises(RefusedError, match=r"an earlier export\. Nothing was written\. --yes writes over it"):
            memory.exporting.export(file)
        (tmp_path / "empty.md").touch()
        memory.exporting.export(tmp_path / "empty.md")
        with pytest.raises(RefusedError, match="is no file"):
            memory.exporting.export(tmp_path, yes=True)
        with pytest.raises(RefusedError, match="inside the store"):
            memory.exporting.export(memory.home / "m.jsonl")
        with pytest.raises(NotFoundError, match="no folder"):
            memory.exporting.export(tmp_path / "none" / "m.jsonl")
        with pytest.raises(UsageError, match="jsonl"):
            memory.exporting.export(file, Wanted(journal=True), yes=True)

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
