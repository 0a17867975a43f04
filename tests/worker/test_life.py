"""One worker a store: started, shared, killed, replaced, told to stop, gone when idle."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.durability.looking import accounted, stored
from tests.hook.running import counters, environment, event, rows, run, silent, until
from tui_memory import Memory, __version__, launch, places
from tui_memory.engine import worker_client
from tui_memory.errors import StoreError, WorkerError
from tui_memory.store.text import ANALYSER_VERSION
from tui_memory.surfaces.worker import standing

STARTERS = 100


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_status_has_the_contracts_fields(home: Path) -> None:
    wanted = {"running", "pid", "version", "model", "queue", "idle_s"}
    off = worker_client.status(home)
    on = worker_client.start(home)
    assert off == {"running": False, "pid": None, "version": None, "model": None, "queue": 0, "idle_s": None}
    assert wanted <= set(on) and on["running"] is True and on["version"] == __version__
    assert worker_client.start(home)["pid"] == on["pid"]
    assert worker_client.stop(home) is True and worker_client.stop(home) is False
    assert not places.worker_file(home).exists() and not (home / "hook.sock").exists()


def test_one_that_does_not_listen_yet_is_stopped_as_well(home: Path) -> None:
    ended = worker_client.spawn(home)
    lock = home / "worker.lock"
    assert until(lambda: lock.exists() and worker_client.locked(home))
    assert worker_client.stop(home) is True
    os.read(ended, 1)  # its end
    os.close(ended)
    assert not worker_client.running(home)


def test_of_many_starts_one_stays(home: Path) -> None:
    command = [sys.executable, "-m", "tui_memory.surfaces.worker", "--home", str(home), "--idle", "60"]
    many = [subprocess.Popen(command, env=os.environ | {"PYTHONPATH": os.getcwd()}) for _ in range(STARTERS)]
    assert until(lambda: sum(process.poll() is None for process in many) == 1 and worker_client.running(home), 60)
    stays = next(process for process in many if process.poll() is None)
    assert worker_client.status(home)["pid"] == stays.pid
    assert all(process.returncode == 0 for process in many if process is not stays)
    worker_client.stop(home)
    assert stays.wait(60) == 0


def test_it_is_a_session_of_its_own_without_our_streams(worker: Path) -> None:
    pid = worker_client.status(worker)["pid"]
    assert os.getsid(pid) == pid != os.getsid(0)
    assert all(os.readlink(f"/proc/{pid}/fd/{number}") == os.devnull for number in (0, 1, 2))


def test_modes_are_private_whatever_the_umask(home: Path) -> None:
    before = os.umask(0)
    try:
        worker_client.start(home)
        worker_client.refresh(home)
    finally:
        os.umask(before)
    modes = {path.relative_to(home): path.stat().st_mode & 0o777 for path in home.rglob("*")}
    assert home.stat().st_mode & 0o777 == 0o700
    assert {mode for path, mode in modes.items() if not (home / path).is_dir()} == {0o600}
    assert {mode for path, mode in modes.items() if (home / path).is_dir()} <= {0o700}


def test_a_killed_worker_is_replaced_at_the_next_event(worker: Path) -> None:
    pid = worker_client.status(worker)["pid"]
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: not alive(pid))
    assert (worker / "hook.sock").exists()
    assert silent(run(worker, event()))
    assert counters(worker)["stored"] == 1
    assert until(lambda: worker_client.running(worker))
    assert worker_client.status(worker)["pid"] != pid


def test_a_killed_worker_is_replaced_at_the_next_search(worker: Path) -> None:
    before = worker_client.status(worker)["pid"]
    with Memory(worker, embedding="worker") as memory:
        memory.add(title="Money is Decimal", text="Never float.", project="orderly")
        assert until(lambda: rows(worker, "SELECT count(*) FROM vectors") == [(1,)])
        os.kill(before, signal.SIGKILL)
        assert until(lambda: not worker_client.running(worker))
        memory.search("amounts of currency")
    assert until(lambda: worker_client.running(worker) and worker_client.status(worker)["pid"] != before)


def test_the_hooks_worker_belongs_to_nobody(home: Path) -> None:
    before = home.parent / "config.yaml"
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True) as agent:
        run(home, event(), env={"SERVICE_TOKEN": "not-a-real-one-1", "PYTHONPATH": "/nowhere"})
        assert until(lambda: worker_client.running(home)) and not before.exists()
        agent.terminate()
    pid = worker_client.status(home)["pid"]
    assert os.getsid(pid) == pid
    assert b"SERVICE_TOKEN" not in Path(f"/proc/{pid}/environ").read_bytes()
    inherited = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
    assert not [name for name in inherited if name.startswith("pipe:")]


def test_it_leaves_when_idle_and_status_does_not_keep_it(home: Path) -> None:
    pid = worker_client.start(home, idle=1.0)["pid"]
    assert until(lambda: not worker_client.status(home)["running"])
    assert until(lambda: not alive(pid)) and not (home / "hook.sock").exists()


def test_a_signal_ends_it_cleanly(worker: Path) -> None:
    run(worker, event())
    pid = worker_client.status(worker)["pid"]
    os.kill(pid, signal.SIGTERM)
    assert until(lambda: not alive(pid))
    assert counters(worker)["stored"] == 1 and not places.worker_file(worker).exists()


def test_an_older_version_is_asked_to_leave_and_a_newer_one_is_not(
    worker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = worker_client.status(worker)["pid"]
    monkeypatch.setattr(worker_client, "__version__", "0.0.9")
    assert worker_client.start(worker)["pid"] == first
    monkeypatch.setattr(worker_client, "__version__", "9.0.0")
    assert worker_client.start(worker)["pid"] != first


def test_two_versions_on_one_store_hand_over_and_lose_nothing(worker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newer asks the older to leave while hooks go on; the older, started again, leaves the newer alone."""
    first, sent = worker_client.status(worker)["pid"], 16
    with ThreadPoolExecutor(2) as agents:
        answers = [agents.submit(run, worker, event(tool_use_id=f"toolu_{number}")) for number in range(sent)]
        assert until(lambda: counters(worker).get("stored", 0) > 2)
        monkeypatch.setattr(worker_client, "__version__", "9.0.0")
        second = worker_client.start(worker)["pid"]
        assert all(silent(answer.result()) for answer in answers)
    monkeypatch.setattr(worker_client, "__version__", "0.0.9")
    assert second != first and not alive(first) and worker_client.start(worker)["pid"] == second
    assert stored(worker) == {f"toolu_{number}": 1 for number in range(sent)} and accounted(worker)


def test_search_text_of_an_older_analyser_is_made_anew(home: Path) -> None:
    with Memory(home, embedding="none") as memory:
        memory.add(title="Retries are capped", embed=False)
        memory.store.connection.execute("UPDATE meta SET value = '0' WHERE key = 'analyser'")
        memory.store.connection.execute("DELETE FROM search_text")
        worker_client.start(home)
        assert until(lambda: rows(home, "SELECT value FROM meta WHERE key = 'analyser'") == [(str(ANALYSER_VERSION),)])
        assert [hit.memory.title for hit in memory.search("retries capped")] == ["Retries are capped"]


def test_two_hundred_sessions_leave_nothing_growing_and_nothing_running(worker: Path) -> None:
    def resident() -> int:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

    def session(number: int) -> None:
        who: dict[str, Any] = {"session_id": f"s{number}", "cwd": str(worker.parent)}
        for name in ("SessionStart.subdirectory", "UserPromptSubmit.missing_optional", "PostToolUse.Bash", "Stop"):
            payload = json.dumps(event(name, **who, tool_use_id=f"toolu_{number}")).encode()
            worker_client.ask(worker, "event", ("claude-code", secrets.token_hex(16), "", ""), payload, timeout=30)
        end = json.dumps({"hook_event_name": "SessionEnd", **who}).encode()
        worker_client.ask(worker, "event", ("claude-code", secrets.token_hex(16), "", ""), end, timeout=30)

    pid = worker_client.status(worker)["pid"]
    for number in range(100):
        session(number)
    worker_client.drain(worker)
    half = resident()
    for number in range(100, 200):
        session(number)
    worker_client.drain(worker)
    assert resident() < half + 120  # MB; the allocator breathes
    assert len(list(Path(f"/proc/{pid}/fd").iterdir())) < 100
    assert counters(worker)["captured"] == counters(worker)["stored"] == 1000
    assert worker_client.stop(worker) and until(lambda: not alive(pid))
    assert not [one for one in children() if str(worker).encode() in one]


def children() -> list[bytes]:
    """The command lines of all processes."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.append((process / "cmdline").read_bytes())
    return found


def test_a_path_too_long_for_a_socket_gets_one_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = Path(tempfile.mkdtemp(prefix="r"))  # tmp_path can be too long itself
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    home = tmp_path / ("long" * 20) / "store"
    home.parent.mkdir()
    try:
        worker_client.start(home)
        assert silent(run(home, event()))
        assert worker_client.status(home)["events"] == 1
        assert [path.stat().st_mode & 0o777 for path in runtime.iterdir()] == [0o600, 0o600]  # hooks, and REST
    finally:
        worker_client.stop(home)
    runtime.rmdir()  # nothing was left in it


def test_a_shared_directory_is_no_place_for_the_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tmp_path / "r"
    runtime.mkdir(mode=0o777)
    runtime.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with pytest.raises(WorkerError, match="not this user's alone"):
        standing.bind(tmp_path / ("long" * 30) / "store")


def test_where_it_cannot_start_the_client_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_client, "START_PATIENCE", 10.0)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="point TUI_MEMORY_HOME at another"):
        worker_client.start(tmp_path / "file" / "store")
    with pytest.raises(StoreError, match="is a directory"):
        worker_client.start(tmp_path / "file")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "memory.db").write_bytes(os.urandom(40_000))
    with pytest.raises(StoreError, match=r"not a database.*move it aside"):
        worker_client.start(tmp_path / "damaged")
    (tmp_path / "sound").mkdir()
    monkeypatch.setattr(launch, "command", lambda *_: [sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(WorkerError, match=r"did not start.*doctor"):
        worker_client.start(tmp_path / "sound")


def test_a_closed_door_is_a_sentence(home: Path) -> None:
    with pytest.raises(WorkerError, match="worker start"):
        worker_client.ask(home, "drain")
    assert worker_client.embed(home, ["x"]) is None and worker_client.refresh(home) is False


def test_a_socket_left_behind_is_replaced(home: Path) -> None:
    home.mkdir()
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(str(home / "hook.sock"))
    left.close()
    assert worker_client.start(home)["running"]


def test_it_leaves_when_its_store_was_removed_and_touches_nothing_of_the_next(worker: Path) -> None:
    pid = worker_client.status(worker)["pid"]
    shutil.rmtree(worker)
    fresh = worker_client.start(worker)["pid"]
    assert until(lambda: not alive(pid))
    assert worker_client.status(worker)["pid"] == fresh


def test_it_leaves_when_its_program_was_replaced(tmp_path: Path) -> None:
    program = tmp_path / "program" / "tui_memory"
    shutil.copytree(Path(worker_client.__file__).parent.parent, program)
    home = tmp_path / "store"
    command = [sys.executable, "-m", "tui_memory.surfaces.worker", "--home", str(home), "--idle", "60"]
    env = environment(home) | {"PYTHONPATH": str(program.parent)}
    with subprocess.Popen(command, env=env, cwd=tmp_path) as process:
        assert until(lambda: worker_client.running(home))
        os.utime(program / "__init__.py", (1, 1))
        worker_client.refresh(home)
        assert process.wait(60) == 0
