"""A disk that is full or read-only, a database that is locked or damaged, a payload of 20 MB: the agent goes on."""

from __future__ import annotations

import json
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.durability.looking import accounted, stored
from tests.hook.running import ROOT, counters, event, no_worker, patience, rows, run, silent, until
from tui_memory import Memory
from tui_memory.engine import worker_client

NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]


def can_mount() -> bool:
    """Whether this machine lets us have a file system of our own."""
    if shutil.which("unshare") is None:
        return False
    probe = [*NAMESPACE, "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"]
    return subprocess.run(probe, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="no mount namespaces for this user")
@pytest.mark.parametrize(("broken", "worker"), [("full", False), ("full", True), ("readonly", True)])
def test_a_disk_that_breaks_in_the_middle_costs_only_its_own_events(tmp_path: Path, broken: str, worker: bool) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = [sys.executable, "-m", "tests.durability.broken_disk", str(disk), broken, *(["worker"] if worker else [])]
    mounted = f"mount -t tmpfs -o size=3m none {shlex.quote(str(disk))} && exec {shlex.join(inside)}"
    done = subprocess.run([*NAMESPACE, "sh", "-c", mounted], cwd=ROOT, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["silent"] and found["accounted"]
    sure = {f"{when}_{number}" for when in ("before", "after") for number in range(4)}
    assert sure <= found["stored"].keys() and set(found["stored"].values()) == {1}


def test_a_lock_that_is_held_for_long_delays_nobody_and_loses_nothing(worker: Path) -> None:
    run(worker, event(tool_use_id="toolu_before"))
    holder = sqlite3.connect(worker / "memory.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    limit, began = patience(), time.monotonic()
    assert silent(run(worker, event(tool_use_id="toolu_while"), wait=False))
    assert time.monotonic() - began < limit
    holder.execute("ROLLBACK")
    holder.close()
    assert until(lambda: stored(worker) == {"toolu_before": 1, "toolu_while": 1})
    assert until(lambda: accounted(worker))


def test_a_damaged_store_is_left_as_it_is_and_told(tmp_path: Path) -> None:
    """Nothing is put in its place: what can still be read of it is the person's."""
    home = tmp_path / "store"
    with no_worker(home):
        for number in range(30):
            run(home, event(tool_use_id=f"toolu_{number}"), wait=False)
        assert until(lambda: counters(home).get("stored") == 30)
        connection = sqlite3.connect(home / "memory.db")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        content = bytearray((home / "memory.db").read_bytes())
        for page in range(2, len(content) // 4096):
            content[page * 4096 : page * 4096 + 100] = b"\xee" * 100
        (home / "memory.db").write_bytes(content)
        assert silent(run(home, event(tool_use_id="toolu_next")))
        assert (home / "memory.db").read_bytes()[4096:] == content[4096:]
        assert "StoreError" in (home / "log" / "hook.log").read_text()
        with Memory(home, embedding="none") as memory:
            answer = memory.doctor()
    assert not answer["ok"] and not answer["checks"][0]["ok"] and answer["checks"][0]["fix"]


def test_a_worker_takes_twenty_megabytes_and_keeps_what_they_were(worker: Path) -> None:
    pid = worker_client.status(worker)["pid"]
    limit, began = patience(), time.monotonic()
    assert silent(run(worker, event(tool_response={"stdout": "x" * (20 << 20)}), wait=False))
    assert time.monotonic() - began < limit
    assert until(lambda: counters(worker).get("stored") == 1)
    assert rows(worker, "SELECT reason, length(text) < 200 FROM observations") == [("oversize", 1)]
    assert silent(run(worker, event(tool_use_id="toolu_next"))) and worker_client.status(worker)["pid"] == pid
