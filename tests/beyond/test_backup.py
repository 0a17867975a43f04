"""A back-up is a whole, proved copy of one moment; its place holds nothing else of ours, and says what it holds."""

from __future__ import annotations

import json
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from tests.beyond.looking import content, everything, files, marks, titles
from tests.cli.shell import Answer, Shell
from tests.durability.looking import accounted, stored
from tests.hook.running import event, run, silent, storing, until
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory
from tui_memory.store import replacing

THREE = [f"Money is Decimal, rule {n}" for n in range(3)]


def test_a_back_up_brings_the_store_back_row_for_row(memory: Memory, home: Path, url: str, shell: Shell) -> None:
    made = shell("backup", url, "--json").json
    assert made["verified"] and made["counts"]["memories"] == 3 and made["kept"] == 1
    before = everything(home)
    memory.delete(1)
    memory.add(title="Came later")
    memory.close()
    refused = shell("restore-backup", url)
    assert refused.code == 4 and "--yes" in refused.err and "Came later" in titles(home)
    done = shell("restore-backup", url, "--yes", "--json").json
    assert (done["restored"], done["memories"]) == (made["name"], 3)
    assert everything(home) == before and titles(home) == THREE
    back = shell("restore-backup", done["aside"], "--yes", "--json")
    assert back.code == 0 and titles(home) == ["Came later", *THREE[1:]]


def test_a_back_up_goes_to_a_machine_that_has_no_store(
    memory: Memory, home: Path, url: str, shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert shell("backup", url).code == 0
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "other"))
    done = shell("restore-backup", url, "--json").json
    assert done["aside"] is None and everything(tmp_path / "other") == everything(home)
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "other" / "memory.db").stat().st_mode) == 0o600
    assert (tmp_path / "other" / "key").read_bytes() != (home / "key").read_bytes()
    with Memory(tmp_path / "other", embedding="none") as other:
        assert [hit.memory.title for hit in other.search("Decimal rule 2")][:1] == [THREE[2]]
        assert other.store.device != memory.store.device


def test_the_manifest_says_what_there_is_and_no_word_of_the_store(memory: Memory, url: str, shell: Shell) -> None:
    made = shell("backup", url, "--json").json
    data, manifest = (content(url)[name] for name in files(url))
    found = json.loads(manifest)
    assert files(url) == [f"{made['name']}.db.zst", f"{made['name']}.json"]
    assert found["format"] == "tui-memory-backup" and found["packed"]["bytes"] == len(data) == made["bytes"]
    assert b"Decimal" not in manifest and found["counts"]["versions"] == 3
    assert shell("restore-backup", url, "--list", "--json").json["backups"][0]["name"] == made["name"]
    assert made["name"] in shell("restore-backup", url, "--list").out
    assert set(marks(memory)) == {"backup_done", "backup_bytes"}


def test_a_folders_files_are_for_their_owner_alone(memory: Memory, tmp_path: Path, shell: Shell) -> None:
    place = tmp_path / "new" / "folder"
    assert shell("backup", str(place)).code == 0
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in place.iterdir()} == {0o600}


def test_everything_goes_on_while_a_back_up_is_made(memory: Memory, tmp_path: Path) -> None:
    """One state of the store: memories that are added together are all there or none of them is."""
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            memory.add_many([{"title": f"pair {n}"} for n in range(2)], embed=False)

    writer = threading.Thread(target=write)
    writer.start()
    counts = []
    try:
        for _ in range(3):
            counts.append(memory.backing_up.make(str(tmp_path / "disk")).manifest.counts)
    finally:
        ended.set()
        writer.join()
    assert [count["memories"] % 2 for count in counts] == [1, 1, 1]
    assert all(count["memories"] == count["versions"] == count["journal"] for count in counts)


def test_what_was_taken_back_is_no_memory_of_a_back_up(memory: Memory, tmp_path: Path, shell: Shell) -> None:
    memory.add(title="taken back")
    memory.undo()
    url = str(tmp_path / "disk")
    assert ": 3 memories," in shell("backup", url).out
    assert "  3 memories," in shell("restore-backup", url, "--list").out
    assert shell("restore-backup", url, "--list", "--json").json["backups"][0]["counts"]["memories"] == 3
    memory.close()
    assert ": 3 memories," in shell("restore-backup", url, "--yes").out


def test_two_at_once_are_refused(memory: Memory, tmp_path: Path, shell: Shell) -> None:
    answers: list[Answer] = []

    def tell(what: str, _done: int, _of: int) -> None:
        if what == "snapshot" and not answers:
            answers.append(shell("backup", str(tmp_path / "disk")))
            answers.append(shell("restore-backup", str(tmp_path / "disk"), "--yes"))

    memory.backing_up.make(str(tmp_path / "disk"), tell=tell)
    assert [answer.code for answer in answers] == [5, 5] and "being made" in answers[0].err
    assert len(files(str(tmp_path / "disk"))) == 2


def test_a_purge_names_the_back_ups(memory: Memory, url: str, shell: Shell) -> None:
    shell("backup", url)
    purged = shell("purge", "--id", "1", "--yes", "--json").json
    assert purged["outside"] == [url]


def test_what_was_purged_goes_into_no_back_up_while_a_reader_keeps_its_bytes(memory: Memory, tmp_path: Path) -> None:
    from tui_memory.errors import UnfinishedError

    word = "quokkabolt41"
    wanted = memory.add(title=f"About {word}", text=word * 200)
    with Memory(memory.home, embedding="none") as reader:
        reader.store.connection.execute("BEGIN")
        reader.store.connection.execute("SELECT * FROM memories").fetchall()
        with pytest.raises(UnfinishedError):
            memory.purge(ids=[wanted], yes=True, patience=0)
        memory.backing_up.make(str(tmp_path / "disk"))
        reader.store.connection.execute("ROLLBACK")
    with Memory(tmp_path / "other", embedding="none") as other:
        other.backing_up.restore(str(tmp_path / "disk"))
    assert word.encode() not in (tmp_path / "other" / "memory.db").read_bytes()


def test_what_was_purged_since_is_purged_again(memory: Memory, home: Path, url: str, shell: Shell) -> None:
    shell("backup", url)
    assert shell("purge", "--id", "2", "--yes").code == 0
    memory.close()
    done = shell("restore-backup", url, "--yes", "--json").json
    assert done["purged"] > 0 and done["memories"] == 2 and titles(home) == [THREE[0], THREE[2]]
    assert b"rule 1" not in (home / "memory.db").read_bytes()


def test_an_event_in_the_middle_of_a_restore_is_in_what_comes_back(
    memory: Memory, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hook finds no worker, and what goes on for it waits until nobody has the store alone."""
    memory.backing_up.make(str(tmp_path / "disk"))
    memory.close()
    real, said = replacing._keep, []

    def keep(mine: sqlite3.Connection, place: Path) -> Path:
        said.append(silent(run(home, event(tool_use_id="toolu_1"), wait=False)))
        return real(mine, place)

    monkeypatch.setattr(replacing, "_keep", keep)
    memory.backing_up.restore(str(tmp_path / "disk"), yes=True)
    try:
        assert said == [True] and until(lambda: stored(home) == {"toolu_1": 1})
        assert until(lambda: accounted(home)) and titles(home) == THREE
    finally:
        until(lambda: not storing(home))
        worker_client.start(home, idle=60)  # the hook may have begun to start one: whichever stays is ended
        worker_client.stop(home)


def test_old_ones_go_by_the_settings(
    memory: Memory, url: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").write_text("backup: {keep_daily: 2, keep_weekly: 0, keep_monthly: 0}")
    day, start = 86_400_000, 1_780_000_000_000
    for n in range(4):
        monkeypatch.setattr("tui_memory.beyond.backup.now_ms", lambda n=n: start + n * day)
        made = shell("backup", url, "--json").json
    assert made["kept"] == 2 and len(made["removed"]) == 1
    assert len(files(url)) == 4
    listed = shell("restore-backup", url, "--list", "--json").json["backups"]
    assert [one["made"][:10] for one in listed] == ["2026-05-30", "2026-05-31"]


def test_another_stores_back_ups_in_the_same_place_stay(
    memory: Memory, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").write_text("backup: {keep_daily: 1, keep_weekly: 0, keep_monthly: 0}")
    disk = tmp_path / "disk"
    shell("backup", str(disk))
    (disk / "notes.txt").write_text("mine")
    (disk / "tui-memory-20260101T000000000Z-0badc0de-aaaa.json").write_text("{")
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "other"))
    shell("add", "--title", "Another", "--everywhere")
    for _ in range(2):
        assert shell("backup", str(disk)).code == 0
    assert len(list(disk.iterdir())) == 2 + 2 + 2
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "third"))
    refused = shell("restore-backup", str(disk))
    assert refused.code == 4 and "several stores" in refused.err and not (tmp_path / "third").exists()
