"""A purge while the application is on a terminal, an agent's memory server runs and the worker serves: gone at once."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.store.erased import found
from tui_memory import Memory
from tui_memory.store.db import Store

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "tui_memory"]
WORD = "quokkabolt41"


def drawn(terminal: int, seconds: float) -> bytes:
    """What the application draws in a while."""
    seen, until = b"", time.monotonic() + seconds
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)
    return seen


def test_no_byte_is_left_while_all_are_open_nor_when_they_have_gone(tmp_path: Path) -> None:
    home = tmp_path / "store"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    with Memory(home, embedding="worker") as memory:
        memory.start_worker()
        gone = memory.add(title=f"The vault {WORD}", text=f"It opens with {WORD}.", labels=[WORD])
        memory.add(title="The door", text="It opens with a key.")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, PROGRAM, environment)
    server = subprocess.Popen(
        [*PROGRAM, "mcp"], cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert server.stdin is not None and server.stdout is not None
        start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        for one in (
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "memory_get", "arguments": {"ids": [gone]}}},
        ):  # fmt: skip
            server.stdin.write(json.dumps(one).encode() + b"\n")
        server.stdin.flush()
        assert WORD in [server.stdout.readline().decode() for _ in range(2)][1]
        os.write(terminal, b"2")
        assert WORD.encode() in drawn(terminal, 8)
        done = subprocess.run([*PROGRAM, "purge", "--match", WORD, "--yes"], env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert found(home, WORD) == []
        drawn(terminal, 2)
    finally:
        os.kill(pid, signal.SIGHUP)  # the terminal is closed
        os.close(terminal)
        os.waitpid(pid, 0)
        if server.stdin is not None:
            server.stdin.close()
        server.wait(30)
        with Memory(home, embedding="none") as memory:
            memory.stop_worker()
    assert found(home, WORD) == []
    with Store(home) as store:
        assert store.rows("SELECT 1 FROM search_terms WHERE term LIKE 'quokka%'") == []
        assert store.rows("SELECT count(*) FROM vectors")[0][0] <= 1
