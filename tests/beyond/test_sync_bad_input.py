"""What lies between devices may be anything, and a line may break anywhere: it is told, both sides are as before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.beyond.devices import BrokenOff, Line
from tests.beyond.hostile_bucket import answering
from tests.beyond.looking import content, everything, meet, says
from tests.cli.processes import ROOT
from tests.cli.shell import Shell
from tests.durability.test_disks import NAMESPACE, can_mount
from tui_memory.beyond import segments, syncing
from tui_memory.beyond.place import opened
from tui_memory.beyond.sync_door import Asked
from tui_memory.clock import now_ms
from tui_memory.engine.memory import Memory
from tui_memory.errors import RemoteError, StoreError, UsageError
from tui_memory.store import filelock, journal

PHRASE = "TUI_MEMORY_PASSPHRASE"


@pytest.fixture
def place(memory: Memory, tmp_path: Path) -> Path:
    """A folder with one segment of the first device's."""
    memory.syncing.sync(str(tmp_path / "place"))
    return tmp_path / "place"


def segment(place: Path) -> Path:
    """The only segment of a folder."""
    (found,) = place.glob("*.jsonl.zst*")
    return found


def rewritten(change: Callable[[bytes], bytes]) -> Callable[[Path, pytest.MonkeyPatch], None]:
    """Other bytes under the same name."""

    def act(place: Path, _patch: pytest.MonkeyPatch) -> None:
        segment(place).write_bytes(change(segment(place).read_bytes()))

    return act


def written(records: list[Any], **head: Any) -> Callable[[Path, pytest.MonkeyPatch], None]:
    """A segment whose checksum is right, and whose content is not what this program writes."""

    def act(place: Path, patch: pytest.MonkeyPatch) -> None:
        for name, value in head.items():
            patch.setattr(segments, name, value)
        name, packed = segments.pack(records, "0" * 8, f"{now_ms():015d}-000000", now_ms(), ())
        (place / name).write_bytes(packed)
        patch.undo()

    return act


def described(**change: Any) -> Callable[[Path, pytest.MonkeyPatch], None]:
    """Another description of the place."""

    def act(place: Path, _patch: pytest.MonkeyPatch) -> None:
        (file,) = place.glob("tui-memory-sync-place-*")
        file.write_text(json.dumps(json.loads(file.read_text()) | change))

    return act


def undescribed(place: Path, _patch: pytest.MonkeyPatch) -> None:
    """No description."""
    next(place.glob("tui-memory-sync-place-*")).unlink()


BROKEN: dict[str, tuple[Callable[[Path, pytest.MonkeyPatch], None], str]] = {
    "truncated": (rewritten(lambda whole: whole[:-20]), "cut short or changed"),
    "empty": (rewritten(lambda _: b""), "cut short or changed"),
    "flipped": (rewritten(lambda whole: whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]), "cut short or changed"),
    "another program's": (written([{"type": "else"}]), "no segment of this program"),
    "a record that is none": (written([{"type": "memory", "uid": 1}]), "no segment of this program"),
    "another format": (written([], FORMAT="else"), "no segment of this program"),
    "a newer version": (written([], VERSION=2), "newer version"),
    "a newer place": (described(version=2), "newer version"),
    "a description that is none": (described(encryption="rot13"), "damaged"),
    "no description": (undescribed, "nothing that says how they are encrypted"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_used_is_told_and_changes_nothing(
    other: Memory, place: Path, case: str, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    act, said = BROKEN[case]
    act(place, monkeypatch)
    other.add(title="Mine")
    before, there = everything(other.home), content(str(place))
    other.close()
    monkeypatch.setenv("TUI_MEMORY_HOME", str(other.home))
    answer = shell("sync", str(place))
    assert answer.code == 1 and said in answer.err and "Nothing was changed" in answer.err and answer.out == ""
    assert content(str(place)) == there
    assert [row for row in everything(other.home) if "sync_places" not in row and "sqlite_seq" not in row] == [
        row for row in before if "sync_places" not in row and "sqlite_seq" not in row
    ]


def test_files_that_are_no_segments_are_left_alone(memory: Memory, other: Memory, place: Path) -> None:
    (place / "notes.txt").write_text("mine")
    (place / f".{segment(place).name}.part").write_bytes(b"half")  # an upload that was broken off
    memory.backing_up.make(str(place))
    assert len(other.syncing.sync(str(place)).added) == 3 and (place / "notes.txt").read_text() == "mine"
    memory.syncing.sync(str(place))
    assert not list(place.glob(".*.part"))  # whose it was cleared it


# encryption


def test_a_passphrase_closes_it_and_no_other_opens_it(
    memory: Memory, other: Memory, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = str(tmp_path / "place")
    assert PHRASE in shell("sync", url, "--encrypt").err
    monkeypatch.setenv(PHRASE, "four words of mine")
    assert shell("sync", url, "--encrypt", "--json").json["encryption"] == "passphrase"
    assert segment(tmp_path / "place").read_bytes().startswith(b"age-encryption.org/v1")
    there = content(url)
    assert not any(b"Money" in one or b"four words" in one for one in there.values())
    memory.close()
    monkeypatch.setenv("TUI_MEMORY_HOME", str(other.home))
    monkeypatch.setenv(PHRASE, "four words of yours")
    wrong = shell("sync", url)
    assert wrong.code == 1 and "not the one it was made with" in wrong.err and "Nothing was changed" in wrong.err
    assert content(url) == there and other.memories() == []
    monkeypatch.setenv(PHRASE, "four words of mine")
    other.add(title="Mine")
    assert len(shell("sync", url, "--json").json["added"]) == 3  # --encrypt is not needed: the place says so
    assert all(name.endswith((".age", ".json")) for name in content(url))


def test_public_keys_close_it_for_those_devices(memory: Memory, other: Memory, tmp_path: Path) -> None:
    import pyrage

    url, keys = str(tmp_path / "place"), [pyrage.x25519.Identity.generate() for _ in range(3)]
    public = tuple(str(key.to_public()) for key in keys[:2])
    memory.syncing.sync(url, Asked(recipients=public, identities=str(keys[0])))
    other.add(title="Mine")
    assert len(other.syncing.sync(url, Asked(recipients=public, identities=str(keys[1]))).added) == 3
    assert memory.syncing.sync(url, Asked(recipients=public, identities=str(keys[0]))).added == [4]
    with Memory(tmp_path / "third", embedding="none") as third:
        with pytest.raises(RemoteError, match="cannot be decrypted"):
            third.syncing.sync(url, Asked(recipients=public, identities=str(keys[2])))
        with pytest.raises(Exception, match="--identity"):
            third.syncing.sync(url)
        assert third.memories() == []


def test_a_place_that_was_closed_is_never_written_to_in_the_clear(memory: Memory, tmp_path: Path) -> None:
    url, place = str(tmp_path / "place"), tmp_path / "place"
    memory.syncing.sync(url, Asked(encrypt=True, passphrase=lambda _new: "four words"))
    for file in place.glob("*"):
        file.unlink()
    memory.add(title="Came later")
    with pytest.raises(Exception, match="was encrypted otherwise"):
        memory.syncing.sync(url)
    (place / "tui-memory-sync-place-00000000.json").write_text(
        json.dumps({"format": "tui-memory-sync-place", "version": 1, "encryption": "none", "key": ""})
    )
    with pytest.raises(Exception, match="was encrypted otherwise"):
        memory.syncing.sync(url)
    assert [file.name for file in place.iterdir()] == ["tui-memory-sync-place-00000000.json"]


def test_what_is_asked_wrongly_is_no_sync_that_failed(memory: Memory, tmp_path: Path) -> None:
    asked = Asked(encrypt=True, passphrase=lambda _new: "four words", recipients=("age1none",))
    with pytest.raises(UsageError):
        memory.syncing.sync(str(tmp_path / "place"), asked)
    [told] = [one for one in memory.doctor()["checks"] if one["id"] == "sync"]
    assert told["ok"] and "not synced" in told["what"]


def test_a_place_that_was_begun_in_the_clear_says_so(memory: Memory, place: Path, tmp_path: Path) -> None:
    with Memory(tmp_path / "new", embedding="none") as new, pytest.raises(Exception, match="begun without encryption"):
        new.syncing.sync(str(place), Asked(encrypt=True, passphrase=lambda _new: "four words"))


def test_a_plain_segment_in_an_encrypted_place_is_nobodys(memory: Memory, other: Memory, tmp_path: Path) -> None:
    url, asked = str(tmp_path / "place"), Asked(encrypt=True, passphrase=lambda _new: "four words")
    memory.syncing.sync(url, asked)
    tomb = {"type": "tomb", "kind": "memory", "name": str(memory.get(1)[0].uid)}
    name, packed = segments.pack([tomb], "0" * 8, f"{now_ms():015d}-000000", now_ms(), ())
    (tmp_path / "place" / name).write_bytes(packed)
    with pytest.raises(RemoteError, match="none of your devices"):
        memory.syncing.sync(url, asked)
    assert len(memory.memories()) == 3


# clocks


@pytest.mark.parametrize("ahead", [3 * 86_400_000, 400 * 86_400_000])
def test_a_wrong_clock_is_said_and_what_is_done_after_it_still_wins(
    memory: Memory, other: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell, ahead: int
) -> None:
    url = str(tmp_path / "place")
    meet(url, memory, other)
    with monkeypatch.context() as wrong:
        wrong.setattr(journal, "now_ms", lambda: now_ms() + ahead)
        memory.edit(1, text="Dated in the future.")
        memory.syncing.sync(url)
    other.close()
    monkeypatch.setenv("TUI_MEMORY_HOME", str(other.home))
    answer = shell("sync", url)
    days = ahead // 86_400_000 - 1
    assert answer.code == 0 and f"is dated {days} days from now" in answer.err and "clocks" in answer.err
    changed = next(row.id for row in other.memories() if other.get(row.id)[0].text == "Dated in the future.")
    other.edit(changed, text="Written with that known.")
    meet(url, other, memory)
    assert memory.get(1)[0].text == "Written with that known." and says(memory) == says(other)
    assert memory.auditing.cases("conflict") == []


# broken off


@pytest.mark.parametrize("uses", range(10))
def test_one_that_is_cut_off_anywhere_is_gone_on_with(memory: Memory, other: Memory, tmp_path: Path, uses: int) -> None:
    url = str(tmp_path / "place")
    meet(url, memory, other)
    memory.purge(ids=[1], yes=True)
    memory.edit(2, text="Edited here.")
    other.add(title="Mine")
    other.syncing.sync(url)
    line: Any = Line(opened(url, ()), uses)
    with pytest.raises(BrokenOff):
        for _ in range(5):
            syncing.Sync(memory.store, line, Asked(), iter, lambda *_: None).run()
    meet(url, memory, other)
    assert says(memory) == says(other) and len(says(other)) == 3


def test_a_process_that_is_killed_in_the_middle_leaves_what_the_next_one_goes_on_with(
    memory: Memory, other: Memory, tmp_path: Path, shell: Shell
) -> None:
    url = str(tmp_path / "place")
    other.add_many([{"title": f"Number {number}"} for number in range(700)])
    other.syncing.sync(url)
    memory.close()
    code = (
        "import os, signal, sys; from tui_memory.engine.memory import Memory\n"
        "def tell(what, done, of):\n    if what == 'reading' and done: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Memory(embedding='none').syncing.sync(sys.argv[1], tell=tell)"
    )
    done = subprocess.run([sys.executable, "-c", code, url], cwd=ROOT, capture_output=True, timeout=120)
    assert done.returncode == -9, done.stderr
    assert shell("sync", url).code == 0
    assert memory.count() == 703


def test_a_bucket_that_refuses_in_the_middle(
    memory: Memory, bucket: str, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    before = everything(memory.home)
    memory.close()
    for status, code in ((403, "AccessDenied"), (507, "QuotaExceeded")):
        with answering(status, code) as (endpoint, _asked):
            monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
            answer = shell("sync", bucket)
        assert answer.code == 1 and "could not be written" in answer.err
    assert [row for row in everything(memory.home) if "sync_" not in row and "sqlite_seq" not in row] == [
        row for row in before if "sync_" not in row and "sqlite_seq" not in row
    ]


ATTEMPT = """
import os, sys
from tui_memory.engine.memory import Memory
from tui_memory.errors import TuiMemoryError
with Memory(embedding="none") as memory:
    for command in sys.argv[2:]:
        os.system(command)
        memory.add(title="Came later")
        try:
            memory.syncing.sync(sys.argv[1])
        except TuiMemoryError as error:
            print(error.message)
"""


@pytest.mark.skipif(not can_mount(), reason="no mount namespaces here")
@pytest.mark.parametrize(
    ("size", "then", "said"), [("300k", "true", "no room left"), ("8m", "mount -o remount,ro DISK", "Read-only")]
)
def test_a_disk_that_is_full_or_may_not_be_written_any_more(
    memory: Memory, tmp_path: Path, size: str, then: str, said: str
) -> None:
    """The first sync is of little, the second of too much for a small disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if size == "300k":
        memory.add_many([{"title": f"N {number}", "text": os.urandom(3_000).hex()} for number in range(400)])
    memory.close()
    mount = f"mount -t tmpfs -o size={size} tmpfs {disk}"
    attempt = f'exec {sys.executable} -c "$0" {disk}/place true "{then.replace("DISK", str(disk))}"'
    command = [*NAMESPACE, "sh", "-c", f"{mount} && {attempt}", ATTEMPT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert said in done.stdout and "Traceback" not in done.stderr, done
    assert memory.syncing.sync(str(tmp_path / "large")).sent == memory.count()


def test_two_syncs_of_one_store_at_once(memory: Memory, tmp_path: Path) -> None:
    memory.add(title="x")
    with filelock.held(memory.home / "sync.lock"), pytest.raises(StoreError, match="at work already"):
        memory.syncing.sync(str(tmp_path / "place"))


def test_two_devices_at_once_in_one_place(memory: Memory, tmp_path: Path) -> None:
    url = str(tmp_path / "place")
    homes = [tmp_path / f"d{number}" for number in range(3)]
    for number, home in enumerate(homes):
        with Memory(home, embedding="none") as device:
            device.add(title=f"Of device {number}")
    code = (
        "import sys; from tui_memory.engine.memory import Memory\n"
        "Memory(sys.argv[1], embedding='none').syncing.sync(sys.argv[2])"
    )
    for _ in range(2):
        running = [subprocess.Popen([sys.executable, "-c", code, str(home), url], cwd=ROOT) for home in homes]
        assert [one.wait(120) for one in running] == [0, 0, 0]
    for home in homes:
        with Memory(home, embedding="none") as device:
            device.syncing.sync(url)
            assert [row[0] for row in says(device)] == ["Of device 0", "Of device 1", "Of device 2"]


def test_a_place_inside_the_store_is_refused(memory: Memory, shell: Shell, home: Path) -> None:
    answer = shell("sync", str(home / "shared"))
    assert answer.code == 4 and "inside the store" in answer.err and not (home / "shared").exists()


def test_an_address_elsewhere_is_refused_before_anything_is_sent(memory: Memory, shell: Shell) -> None:
    answer = shell("sync", "sftp://disks.acme-orders.com/memory")
    assert answer.code == 4 and "remote.allowed_hosts" in answer.err
