"""Several processes and threads on one store at once, and one that is killed: nothing acknowledged is lost."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tui_memory.config import CaptureSettings
from tui_memory.model import Body, NewMemory
from tui_memory.store import counters, ingest, memories
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

ROOT = Path(__file__).resolve().parent.parent.parent

WRITER = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tui_memory.config import CaptureSettings
from tui_memory.store import connection, ingest
opened = connection.connect(Path(sys.argv[1]))
for n in range(1_000_000):
    sent = ingest.Delivery(f"d{{n}}", "claude-code", n + 1)
    payload = {{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": f"prompt {{n}}"}}
    print(ingest.receive(opened, sent, payload, CaptureSettings(), b"k").observation, flush=True)
"""


def write(home: Path, writer: int, events: int) -> None:
    """Send events, every one of which another writer sends too; add and change memories between them."""
    with Store(home, timeout=60) as store:
        for n in range(events):
            sent = ingest.Delivery(f"{n}-{writer % 2}", "claude-code", n + 1)
            payload = {"session_id": f"s{writer % 2}", "hook_event_name": "UserPromptSubmit", "prompt": f"{n}"}
            ingest.receive(store.connection, sent, payload, CaptureSettings(), b"k")
            changes = Changes(store, f"agent:{writer}")
            changes.pin(changes.add([NewMemory(Body(f"{writer} {n}"))]))


def check(home: Path, writers: int, events: int) -> None:
    with Store(home) as store:
        counted = counters.all(store)
        assert counted["captured"] == writers * events
        assert counted["stored"] == writers // 2 * events == store.rows("SELECT count(*) FROM observations")[0][0]
        assert counted["dropped:duplicate"] == counted["captured"] - counted["stored"]
        assert memories.count(store) == writers * events
        assert store.rows("SELECT count(DISTINCT clock), count(*) FROM journal_groups")[0][0] == 2 * writers * events
        assert [row["turn"] for row in store.rows("SELECT turn FROM sessions")] == [events] * 2


def test_processes_do_not_lose_each_others_writes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write, args=(tmp_path / "s", n, 15)) for n in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    check(tmp_path / "s", 4, 15)


def test_nor_do_threads(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        done = [threads.submit(write, tmp_path / "s", n, 15) for n in range(4)]
    assert [one.exception() for one in done] == [None] * 4
    check(tmp_path / "s", 4, 15)


def test_one_changes_object_serves_several_threads(store: Store, changes: Changes) -> None:
    """Each thread's groups are its own, however they run into each other."""
    barrier = threading.Barrier(3)

    def work(name: str) -> None:
        barrier.wait()
        for n in range(10):
            with changes.group(name):
                changes.pin(changes.add([NewMemory(Body(f"{name} {n}"))]))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    groups: dict[int, set[str]] = {}
    for entry in changes.history(limit=1_000):
        assert entry.title[0] == entry.action
        groups.setdefault(entry.group, set()).add(entry.title)
    assert sorted(map(len, groups.values())) == [1] * 30


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", "-c", WRITER, str(tmp_path / "s")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(50):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        acknowledged = 50 + sum(1 for line in writer.stdout if line.endswith("\n"))
    with Store(tmp_path / "s") as store:
        stored = store.rows("SELECT count(*) FROM observations")[0][0]
        assert acknowledged <= stored <= acknowledged + 1
        assert store.rows("PRAGMA integrity_check")[0][0] == "ok"
        assert counters.all(store)["captured"] == counters.all(store)["stored"] == stored
