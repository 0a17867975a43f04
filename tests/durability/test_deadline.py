"""The hook's deadline at any step of its way, and what else ends it: the agent goes on, the event is stored once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from tests.durability.looking import accounted, kill_workers, stored
from tests.hook.running import (
    HANDOVER,
    HOOK,
    command,
    counters,
    environment,
    event,
    hooks,
    no_worker,
    patience,
    run,
    silent,
    storing,
    until,
)
from tui_memory.engine import worker_client

DRIVER = Path(__file__).with_name("interrupted.py")
AT_ONCE = 6


def rung_at(home: Path, step: int) -> bool:
    """Have a hook's deadline come at a step of its way; whether its way was that long."""
    mark = home.parent / f"mark_{step}"
    driven = [sys.executable, "-I", "-S", str(DRIVER), str(step), str(mark), str(HANDOVER), "claude-code"]
    given = json.dumps(event(tool_use_id=f"toolu_{step}")).encode()
    done = subprocess.run(driven, input=given, env=environment(home), capture_output=True, timeout=60)
    assert silent(done), (step, done.stderr)
    return mark.exists()


def every_step(home: Path) -> set[str]:
    """The deadline at each step in turn; the ids of the events."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for first in count(1, AT_ONCE):
            steps = range(first, first + AT_ONCE)
            if not all(threads.map(rung_at, [home] * AT_ONCE, steps)):
                assert first > 20  # lines of the hook's way, at least
                return {f"toolu_{step}" for step in range(1, first + AT_ONCE)}
    raise AssertionError


def test_whenever_the_deadline_comes_the_event_is_stored_once_without_a_worker(tmp_path: Path) -> None:
    home = tmp_path / "store"
    with no_worker(home):
        run(home, event(tool_use_id="toolu_0"))
        sent = every_step(home) | {"toolu_0"}
        assert until(lambda: not storing(home))
    assert stored(home) == dict.fromkeys(sent, 1) and accounted(home)


def test_whenever_the_deadline_comes_the_event_is_stored_once_with_one(worker: Path) -> None:
    sent = every_step(worker)
    assert until(lambda: not storing(worker))
    assert until(lambda: stored(worker) == dict.fromkeys(sent, 1)) and accounted(worker)


def given(key: str) -> bytes:
    """A large event: more than a pipe holds."""
    return json.dumps(event(tool_use_id=key, tool_response={"stdout": "x" * 200_000, "stderr": ""})).encode()


def started(home: Path) -> subprocess.Popen[bytes]:
    """A hook that waits for its event; its streams are the agent's."""
    return subprocess.Popen(
        command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(home)
    )


@pytest.mark.parametrize("sooner", [0, 1, 150_000], ids=["nothing", "one byte", "most"])
def test_an_agent_that_is_slow_to_write_is_left_in_time_and_read_to_the_end(worker: Path, sooner: int) -> None:
    whole, limit, began = given("toolu_slow"), patience(), time.monotonic()
    with started(worker) as hook:
        assert hook.stdin is not None and hook.stdout is not None
        hook.stdin.write(whole[:sooner])
        hook.stdin.flush()
        assert hook.stdout.read() == b""  # its end: nobody else holds what the agent waits for
        assert hook.wait(limit) == 0 and time.monotonic() - began < limit
        assert len(hooks(worker)) == 1 and stored(worker) == {}
        hook.stdin.write(whole[sooner:])
        hook.stdin.close()
    assert until(lambda: stored(worker) == {"toolu_slow": 1}) and until(lambda: not storing(worker))
    assert accounted(worker)


def test_an_agent_that_never_says_that_it_is_done_is_not_waited_for_forever(home: Path) -> None:
    """What is whole by then is stored, half an event is counted, and of none there is a line."""
    with no_worker(home):
        for number, said in enumerate((given("toolu_open"), given("toolu_half")[:-1], b"")):
            with started(home) as hook:
                assert hook.stdin is not None
                hook.stdin.write(said)
                hook.stdin.flush()
                assert hook.wait(patience()) == 0
                [left] = hooks(home)
                os.kill(left, signal.SIGALRM)  # its time is up
                assert until(lambda: not storing(home)), number
        assert stored(home) == {"toolu_open": 1}
        assert counters(home) == {"captured": 2, "stored": 1, "dropped:error": 1}
        [line] = (home / "log" / "hook.log").read_text().splitlines()
    assert "'claude-code' TimeoutError after " in line and line.endswith(": not stored")


@pytest.mark.parametrize("late", [False, True], ids=["sooner", "at its deadline"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_ends_the_hook_does_not_end_the_event(home: Path, number: signal.Signals, late: bool) -> None:
    whole = given("toolu_ended")
    with no_worker(home), started(home) as hook:
        assert hook.stdin is not None
        hook.stdin.write(whole[:150_000])  # more than a pipe holds: it is being read
        hook.stdin.flush()
        if late:  # both are there when the process is next given time
            hook.send_signal(signal.SIGSTOP)
            hook.send_signal(signal.SIGALRM)
        hook.send_signal(number)
        hook.send_signal(signal.SIGCONT)
        assert hook.wait(patience()) == 0
        hook.stdin.write(whole[150_000:])
        hook.stdin.close()
    assert stored(home) == {"toolu_ended": 1} and accounted(home)


def test_a_worker_killed_before_it_has_committed_costs_nothing(worker: Path) -> None:
    """It has read the event, and waits for the store: what it has not acknowledged, the hook stores."""
    run(worker, event(tool_use_id="toolu_first"))
    holder = sqlite3.connect(worker / "memory.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with started(worker) as hook:
        assert hook.stdin is not None
        hook.stdin.write(given("toolu_next"))
        hook.stdin.close()
        time.sleep(0.1)
        assert kill_workers(worker) == 1 and hook.wait(patience()) == 0
    holder.execute("ROLLBACK")
    holder.close()
    assert until(lambda: not storing(worker)) and stored(worker) == {"toolu_first": 1, "toolu_next": 1}
    assert accounted(worker)


def test_an_acknowledgement_comes_after_the_commit(worker: Path) -> None:
    """A worker killed the moment that it has answered leaves the event in the store, whoever looks first."""
    for number in range(5):
        worker_client.start(worker, idle=60)
        answer = worker_client.ask(
            worker, "event", ("claude-code", f"{number:032x}", "/", ""), given(f"toolu_{number}")
        )
        assert answer == b"" and kill_workers(worker) == 1
        assert stored(worker)[f"toolu_{number}"] == 1
    assert accounted(worker)


def partly(folder: Path) -> list[str]:
    """A program that is being replaced: of the package there is only what the hook itself runs."""
    folder.mkdir()
    for file in (HOOK, HANDOVER):
        shutil.copy(file, folder)
    return [*command()[:3], str(folder / "hook.py"), "claude-code"]


def test_a_program_that_is_being_replaced_stores_the_event_when_it_is_there(tmp_path: Path) -> None:
    home, program = tmp_path / "store", partly(tmp_path / "tui_memory")
    with no_worker(home):
        done = subprocess.run(program, input=given("toolu_late"), env=environment(home), capture_output=True)
        assert silent(done)
        shutil.copytree(HOOK.parent, tmp_path / "tui_memory", dirs_exist_ok=True)
        assert until(lambda: stored(home) == {"toolu_late": 1}) and accounted(home)


def test_a_program_of_which_a_part_stays_away_leaves_a_line(tmp_path: Path) -> None:
    home, said = tmp_path / "store", tmp_path / "store" / "log" / "hook.log"
    program = partly(tmp_path / "tui_memory")
    assert silent(subprocess.run(program, input=given("toolu_gone"), env=environment(home), capture_output=True))
    assert until(lambda: said.exists() and said.read_text().endswith(": not stored\n"))
    assert "ImportError" in said.read_text()
    assert {path.stat().st_mode & 0o077 for path in (home, said.parent, said)} == {0}
