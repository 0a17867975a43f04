"""What lies in a place may be anything: it is told in a sentence, and neither side is changed by it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.beyond.looking import content, everything, titles
from tests.cli.shell import Shell
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory
from tui_memory.store import connection as opening
from tui_memory.store.migrations import ALL


@pytest.fixture
def disk(memory: Memory, tmp_path: Path, shell: Shell) -> Path:
    """A folder with one back-up in it."""
    assert shell("backup", str(tmp_path / "disk")).code == 0
    memory.add(title="Came later")
    memory.close()
    return tmp_path / "disk"


def manifest(**change: object) -> Callable[[Path], None]:
    """Change fields of the manifest."""

    def act(disk: Path) -> None:
        (file,) = disk.glob("*.json")
        file.write_text(json.dumps(json.loads(file.read_text()) | change))

    return act


def data(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Change the data's bytes."""

    def act(disk: Path) -> None:
        (file,) = disk.glob("*.zst")
        file.write_bytes(change(file.read_bytes()))

    return act


def flipped(whole: bytes) -> bytes:
    """With one bit another one, in the middle."""
    at = len(whole) // 2
    return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]


def another_database(disk: Path) -> None:
    """A whole back-up of another store, under this one's name and with its sums."""
    with Memory(disk.parent / "other", embedding="none") as other:
        other.add(title="Somebody else's")
        other.backing_up.make(str(disk.parent / "others"))
    (theirs,), (mine,) = (disk.parent / "others").glob("*.zst"), disk.glob("*.zst")
    shutil.copy(theirs, mine)
    (said,) = (disk.parent / "others").glob("*.json")
    found = json.loads(said.read_text())
    manifest(plain=found["plain"], packed=found["packed"])(disk)


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (data(lambda whole: whole[:-100]), "cut short"),
    "empty": (data(lambda _: b""), "cut short"),
    "longer": (data(lambda whole: whole + b"x"), "cut short or changed"),
    "flipped": (data(flipped), "damaged"),
    "foreign": (data(lambda whole: b"PK" + b"\0" * (len(whole) - 2)), "damaged"),
    "gone": (lambda disk: next(disk.glob("*.zst")).unlink(), "could not be read"),
    "another's": (another_database, "not what its manifest says"),
    "a newer manifest": (manifest(version=2), "newer version"),
    "a newer schema": (manifest(schema=99), "newer version"),
    "no manifest": (manifest(format="else"), "no manifest"),
    "a manifest without sums": (manifest(packed=None), "no manifest"),
    "a manifest of numbers": (lambda disk: next(disk.glob("*.json")).write_text("[1]"), "no manifest"),
    "a torn manifest": (lambda disk: next(disk.glob("*.json")).write_text('{"form'), "no manifest"),
    "a manifest that says too little": (manifest(plain={"bytes": 5, "sha256": ""}), "more than its manifest"),
    "a name that leaves the folder": (manifest(name="../../etc/passwd"), "no manifest"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_back_up_is_told_and_both_sides_stay(disk: Path, home: Path, shell: Shell, what: str) -> None:
    broken, words = BROKEN[what]
    broken(disk)
    before, there = everything(home), content(str(disk))
    answer = shell("restore-backup", str(disk), "--yes")
    assert answer.code == 1 and words in answer.err and "Nothing was changed" in answer.err, answer.err
    assert everything(home) == before and content(str(disk)) == there
    assert sorted(path.name for path in (home / "backups").iterdir()) == ["lock"]
    assert shell("restore-backup", str(disk), "--list").code == 0
    assert shell("backup", str(disk)).code == 0  # and the next one is made
    assert shell("restore-backup", str(disk), "--yes").code == 0


def test_a_place_without_a_back_up_holds_none(memory: Memory, tmp_path: Path, shell: Shell, bucket: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "photo.json").write_text("{}")
    for url in (str(tmp_path / "empty"), str(tmp_path / "nowhere"), bucket):
        answer = shell("restore-backup", url, "--yes")
        assert answer.code == 3 and "Nothing was changed" in answer.err
    named = shell("restore-backup", str(tmp_path / "empty"), "--name", "tui-memory-none", "--yes")
    assert named.code == 3 and "holds no back-up tui-memory-none" in named.err


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + b"\1" * 5000])
def test_a_file_that_is_no_copy_of_a_store_is_told(
    memory: Memory, home: Path, tmp_path: Path, shell: Shell, content: bytes
) -> None:
    (tmp_path / "file").write_bytes(content)
    memory.close()
    before = everything(home)
    answer = shell("restore-backup", str(tmp_path / "file"), "--yes")
    assert answer.code == 1 and str(tmp_path / "file") in answer.err and everything(home) == before


@pytest.mark.parametrize("damage", ["no database", "torn", "empty"])
def test_a_damaged_store_is_set_aside_for_the_back_up(disk: Path, home: Path, shell: Shell, damage: str) -> None:
    file = home / "memory.db"
    whole = file.read_bytes()
    broken = {"no database": b"x" * 9_000, "torn": whole[:4096] + b"\xff" * 20_000, "empty": b""}[damage]
    file.write_bytes(broken)
    for ending in ("-wal", "-shm"):
        (home / f"memory.db{ending}").unlink(missing_ok=True)
    if damage != "empty":  # an empty file is a new store
        refused = shell("restore-backup", str(disk))
        assert refused.code == 4 and "damaged" in refused.err and file.read_bytes() == broken
    done = shell("restore-backup", str(disk), "--yes", "--json").json
    assert len(titles(home)) == 3
    if damage != "empty":
        assert Path(done["aside"]).read_bytes() == broken


def test_doctor_names_the_command_that_brings_a_damaged_store_back(disk: Path, home: Path, shell: Shell) -> None:
    assert shell("restore-backup", str(disk), "--yes").code == 0  # what was there is kept
    (kept,) = (home / "backups").glob("*.db")
    (home / "memory.db").write_bytes(b"x" * 9_000)
    (found,) = (check for check in Memory(home).doctor()["checks"] if check["id"] == "store")
    assert found["fix"] == f"tui-memory restore-backup {kept} --yes"
    assert shell(*found["fix"].split()[1:]).code == 0 and "Came later" in titles(home)


def test_a_back_up_of_an_older_schema_comes_back_as_todays(memory: Memory, home: Path, tmp_path: Path) -> None:
    memory.close()
    old = tmp_path / "old"
    old.mkdir()
    with closing(sqlite3.connect(old / "memory.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        opening.migrate(connection, old, ALL[:1])
        connection.execute("INSERT INTO memories (uid, title, created, updated) VALUES ('u', 'From before', 1, 1)")
    done = memory.backing_up.restore(str(old / "memory.db"), yes=True)
    assert done.memories == 1 and titles(home) == ["From before"]
    assert memory.store.rows("PRAGMA user_version")[0][0] == ALL[-1][0]
    assert memory.search("before") == [] and memory.add(title="And now") > 1


def test_a_store_that_somebody_has_open_is_left_alone(disk: Path, home: Path, shell: Shell) -> None:
    with Memory(home, embedding="none") as reader:
        reader.count()
        answer = shell("restore-backup", str(disk), "--yes")
        assert answer.code == 5 and "open" in answer.err and "Nothing was changed" in answer.err
        assert "Came later" in titles(home)
    assert shell("restore-backup", str(disk), "--yes").code == 0
    assert "Came later" not in titles(home)


def test_a_worker_is_asked_to_leave(disk: Path, home: Path, shell: Shell) -> None:
    worker_client.start(home, idle=60)
    try:
        assert shell("restore-backup", str(disk), "--yes").code == 0
        assert not worker_client.running(home) and len(titles(home)) == 3
    finally:
        worker_client.stop(home)
