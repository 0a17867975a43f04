"""Who can come in and where anything goes out: nothing but a socket of this user's, and no address at all."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hook.running import event, run, until
from tui_memory.engine import worker_client

_TABLES = ("tcp", "tcp6", "udp", "udp6", "udplite", "raw", "raw6")


def internet_sockets(pid: int) -> list[str]:
    """The process's sockets that are in one of the kernel's tables of internet sockets."""
    own = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            own.add(os.readlink(link))
        except OSError:
            continue  # closed meanwhile
    rows = []
    for name in _TABLES:
        table = Path(f"/proc/{pid}/net/{name}")
        if table.exists():
            rows += [line.split() for line in table.read_text().splitlines()[1:]]
    return [row[9] for row in rows if len(row) > 9 and f"socket:[{row[9]}]" in own]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's tables are Linux's")
def test_the_worker_opens_no_internet_socket(worker: Path) -> None:
    pid = worker_client.status(worker)["pid"]
    run(worker, event())
    worker_client.drain(worker)
    assert until(lambda: worker_client.status(worker)["model"])
    assert worker_client.embed(worker, ["a query"], query=True) is not None
    assert internet_sockets(pid) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's tables are Linux's")
def test_the_look_at_the_kernels_tables_sees_one() -> None:
    before = set(internet_sockets(os.getpid()))  # what other tests of this process have not let go of yet
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        assert len(set(internet_sockets(os.getpid())) - before) == 1


def test_everything_it_leaves_is_its_owners_alone_and_mended_at_the_next_opening(worker: Path) -> None:
    run(worker, event())
    worker_client.drain(worker)
    every = [worker, *worker.rglob("*")]
    assert {stat.S_IMODE(path.lstat().st_mode) & 0o077 for path in every} == {0}
    assert {"hook.sock", "worker.json", "settings.json", "worker.log"} <= {path.name for path in every}
    for path in every:
        path.chmod(0o777 if path.is_dir() else 0o666)
    from tui_memory.store.db import Store

    Store(worker).close()
    assert {stat.S_IMODE(path.lstat().st_mode) & 0o077 for path in [worker, *worker.rglob("*")]} == {0}


def test_the_suite_itself_reaches_nowhere() -> None:
    with socket.socket() as channel:
        with pytest.raises(AssertionError, match="leave this machine"):
            channel.connect(("192.0.2.1", 9))
        with pytest.raises(AssertionError, match="every address"):
            channel.bind(("", 0))


ASKING = """
import os, socket, sys
uid = int(sys.argv[1])
if uid:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
channel = socket.socket(socket.AF_UNIX)
channel.settimeout(20)
channel.connect("hook.sock")
try:
    channel.sendall(b"TM1\\n" + (6).to_bytes(4, "big") + bytes(4) + b"status")
    sys.stdout.write(channel.recv(1).decode())
except (BrokenPipeError, ConnectionResetError):
    pass
"""


def answer_to(uid: int, home: Path) -> str:
    """The first byte that a user is answered where the modes let him in; `narrowed` where the worker has seen that."""
    home.chmod(0o711)
    (home / "hook.sock").chmod(0o666)
    asking = [sys.executable, "-c", ASKING, str(uid)]
    done = subprocess.run(asking, cwd=home, capture_output=True, text=True, timeout=60)
    return "narrowed" if "PermissionError" in done.stderr else done.stdout + done.stderr


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_hung_up_on_even_where_the_modes_let_him_in(worker: Path) -> None:
    assert until(lambda: answer_to(0, worker) == "A")
    told = next(said for _ in range(50) if (said := answer_to(65_534, worker)) != "narrowed")
    assert told == ""
    assert worker_client.running(worker)
