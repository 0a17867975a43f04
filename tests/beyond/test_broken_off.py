"""Whatever ends a back-up or a restore: the last good one is there, the store is as it was, both can go on."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.beyond.looking import content, files, marks, pad, titles
from tests.cli.processes import ROOT
from tests.cli.shell import Shell
from tests.durability.test_disks import NAMESPACE, can_mount
from tui_memory.beyond.backup import Tell
from tui_memory.engine.memory import Memory
from tui_memory.errors import RemoteError


def killed(*args: str) -> None:
    """Run until the kernel or we end it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.beyond.interrupted", *args], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode in (-signal.SIGKILL, -signal.SIGXFSZ), done.stderr


@pytest.mark.parametrize("step", ["snapshot", "sending", "verifying"])
def test_a_back_up_that_is_killed_leaves_the_last_good_one(
    memory: Memory, home: Path, url: str, shell: Shell, step: str
) -> None:
    pad(memory, 20 << 20)  # three parts of an upload
    good = shell("backup", url, "--json").json["name"]
    memory.add(title="Came later")
    memory.close()
    killed("backup", url, step)
    listed = shell("restore-backup", url, "--list", "--json").json["backups"]
    assert [one["name"] for one in listed] == [good]
    made = shell("backup", url, "--json").json
    names = sorted([good, made["name"]])
    kept = [names[-1]]  # of one day the last
    assert sorted(files(url)) == sorted(f"{name}{end}" for name in kept for end in (".db.zst", ".json"))
    assert not list((home / "backups").glob("outgoing*"))
    assert half_done_uploads(url) == []


def half_done_uploads(url: str) -> list[str]:
    """Parts in a bucket that no file has."""
    if "://" not in url:
        return []
    import boto3

    found = boto3.client("s3").list_multipart_uploads(Bucket=url.split("/")[2])
    return [upload["Key"] for upload in found.get("Uploads", [])]


@pytest.mark.parametrize("step", ["fetching", "replacing"])
def test_a_restore_that_is_killed_leaves_the_store_as_it_was(
    memory: Memory, home: Path, tmp_path: Path, shell: Shell, step: str
) -> None:
    url = str(tmp_path / "disk")
    kept = shell("backup", url, "--json").json["name"]
    pad(memory, 6 << 20)
    shell("backup", url)
    with memory.store.transaction() as connection:
        connection.execute("DELETE FROM vectors")
    memory.delete(1)
    memory.store.connection.execute("VACUUM")
    memory.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    memory.close()
    before = titles(home)
    there = content(url)
    largest = shell("restore-backup", url, "--list", "--json").json["backups"][-1]["unpacked"]
    # The log that the new content goes through is a little larger than the content is.
    killed("restore", url, step, *([str(largest + 30_000)] if step == "replacing" else []))
    assert titles(home) == before and len(before) == 2 and content(url) == there
    assert kept not in "".join(there) and shell("restore-backup", url, "--yes").code == 0
    assert len(titles(home)) == 3 and not (home / "backups" / "incoming").exists()


def when(step: str, act: Callable[[], object]) -> Tell:
    """Act once in the middle of a step."""
    done: list[object] = []

    def tell(what: str, now: int, of: int) -> None:
        if what == step and now * 2 >= of and not done:
            done.append(act())

    return tell


@pytest.mark.parametrize("step", ["sending", "verifying"])
def test_a_disk_that_is_pulled_out_in_the_middle_is_told(memory: Memory, tmp_path: Path, step: str) -> None:
    pad(memory, 20 << 20)
    disk = tmp_path / "disk"
    with pytest.raises(RemoteError, match=f"{disk} could not be (read|written|listed|reached)"):
        memory.backing_up.make(str(disk), tell=when(step, lambda: shutil.rmtree(disk)))
    assert set(marks(memory)) == {"backup_failed", "backup_said"}
    assert not list((memory.home / "backups").glob("outgoing*"))
    assert memory.backing_up.make(str(disk)).kept == 1


def test_permissions_that_are_lost_in_the_middle_are_told(memory: Memory, bucket: str, s3_server: str) -> None:
    import requests

    def enforce(after: str) -> None:
        assert requests.post(f"{s3_server}/moto-api/reset-auth", data=after.encode(), timeout=10).ok

    pad(memory, 20 << 20)
    good = memory.backing_up.make(bucket).manifest.name
    try:
        with pytest.raises(RemoteError, match=r"could not be \w+: .*(Access|Forbidden|denied|exist)"):
            memory.backing_up.make(bucket, tell=when("sending", lambda: enforce("0")))
    finally:
        enforce("inf")
    assert [one.name for one in memory.backing_up.listed(bucket).found] == [good]
    assert memory.backing_up.make(bucket).kept == 1


def test_a_bucket_that_is_gone_is_told(memory: Memory, bucket: str) -> None:
    gone = bucket.replace("s3://b", "s3://no-b")
    with pytest.raises(RemoteError, match="could not be"):
        memory.backing_up.make(gone)
    with pytest.raises(RemoteError, match="could not be listed"):
        memory.backing_up.listed(gone)


@pytest.mark.skipif(not can_mount(), reason="no mount namespaces for this user")
def test_a_full_disk_there_or_here_is_told_and_changes_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = [sys.executable, "-m", "tests.beyond.tight_disk", str(disk), str(tmp_path / "store")]
    mounted = f"mount -t tmpfs -o size=3m none {shlex.quote(str(disk))} && exec {shlex.join(inside)}"
    done = subprocess.run([*NAMESPACE, "sh", "-c", mounted], cwd=ROOT, capture_output=True, text=True, timeout=150,
                          env=os.environ)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["fits"] == "" and found["same"]
    assert "there is no room left" in found["full"] and str(disk) in found["full"]
    assert "Free some space" in found["unpacked"]
    assert found["titles"] == ["On the small disk"] and found["left"] == ["backups/lock"]
