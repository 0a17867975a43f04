"""kill -9 at any moment, the same event twice, a worker that sleeps: every acknowledged event is there, once."""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.durability.looking import accounted, kill_workers, stored
from tests.hook.running import command, counters, environment, event, no_worker, run, silent, storing, until
from tui_memory.engine import worker_client

SESSIONS, EVENTS = 8, 15
MOMENTS = 0.04  # seconds a hook lives, about: it is killed somewhere in between


def test_whatever_is_killed_each_acknowledged_event_is_there_once(home: Path) -> None:
    acknowledged: set[str] = set()
    sent: set[str] = set()
    over = threading.Event()

    def session(name: int) -> None:
        chance = random.Random(name)
        for number in range(EVENTS):
            key = f"toolu_{name}_{number}"
            given = json.dumps(event(session_id=f"s{name}", tool_use_id=key)).encode()
            with subprocess.Popen(command(), stdin=subprocess.PIPE, env=environment(home)) as hook:
                assert hook.stdin is not None
                hook.stdin.write(given)
                hook.stdin.close()
                sent.add(key)
                if chance.random() < 0.3:
                    time.sleep(chance.uniform(0, MOMENTS))
                    hook.kill()
                if hook.wait() == 0:
                    acknowledged.add(key)

    def killer() -> int:
        chance, killed = random.Random(-1), 0
        while not over.wait(chance.uniform(0.02, 0.4)):
            killed += kill_workers(home)
        return killed

    with ThreadPoolExecutor(SESSIONS + 1) as threads:
        killing = threads.submit(killer)
        for done in [threads.submit(session, name) for name in range(SESSIONS)]:
            done.result()
        over.set()
        assert killing.result() > 0
    assert until(lambda: not storing(home))
    found = stored(home)
    assert acknowledged <= found.keys() <= sent and len(acknowledged) > EVENTS
    assert set(found.values()) == {1} and accounted(home)
    assert silent(run(home, event(tool_use_id="toolu_after"))) and stored(home)["toolu_after"] == 1
    assert until(lambda: worker_client.running(home))


def test_parallel_deliveries_of_one_event_are_one(home: Path) -> None:
    with no_worker(home), ThreadPoolExecutor(8) as threads:
        run(home, event(tool_use_id="toolu_first"))
        answers = [threads.submit(run, home, event(tool_use_id="toolu_same")) for _ in range(8)]
        assert all(silent(answer.result()) for answer in answers)
    assert stored(home) == {"toolu_first": 1, "toolu_same": 1} and accounted(home)
    assert counters(home)["dropped:duplicate"] == 7


def test_one_delivery_through_both_ways_at_once_is_one(worker: Path) -> None:
    """An event that has no id of its own: the hook's is the same, whoever stores it."""
    pid = worker_client.status(worker)["pid"]
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(6) as threads:
        answers = [threads.submit(run, worker, event("UserPromptSubmit.missing_optional")) for _ in range(6)]
        assert all(silent(answer.result()) for answer in answers)
    assert counters(worker) == {"captured": 6, "stored": 6}
    os.kill(pid, signal.SIGCONT)
    assert until(lambda: counters(worker) == {"captured": 12, "stored": 6, "dropped:duplicate": 6})
    assert accounted(worker)


def test_a_redelivery_after_the_worker_died_is_one(worker: Path) -> None:
    fields = ("claude-code", secrets.token_hex(16), "/home/dev", "")
    payload = json.dumps(event("UserPromptSubmit.missing_optional")).encode()
    worker_client.ask(worker, "event", fields, payload)
    assert kill_workers(worker) == 1
    worker_client.start(worker, idle=60)
    worker_client.ask(worker, "event", fields, payload)
    assert counters(worker) == {"captured": 2, "stored": 1, "dropped:duplicate": 1} and accounted(worker)
