"""Every surface used once over one store, as processes: what a watcher of their system calls looks at.

Run with the store's, the settings' and a folder's places in the environment; it prints what it came by, as JSON.
"""

from __future__ import annotations

import http.client
import json
import os
import pty
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(os.environ["TUI_MEMORY_HOME"])
WORK = os.environ["WORK"]
PROGRAM = [sys.executable, "-m", "tui_memory"]
HOOK = [sys.executable, "-I", "-S", str(ROOT / "tui_memory" / "hook.py"), "claude-code"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
seen: dict[str, Any] = {}


def command(*args: str, typed: str = "") -> str:
    """A command's stdout; its exit code is kept."""
    done = subprocess.run(
        [*PROGRAM, *args], cwd=WORK, env=ENVIRONMENT, input=typed, capture_output=True, text=True, timeout=120
    )
    seen[" ".join(args[:2])] = done.returncode
    return done.stdout


def hook(event: str, **payload: Any) -> None:
    """One event of an agent."""
    whole = {"session_id": "s1", "cwd": WORK, "hook_event_name": event} | payload
    done = subprocess.run(HOOK, cwd=WORK, env=ENVIRONMENT, input=json.dumps(whole).encode(), capture_output=True)
    seen[f"hook {event}"] = done.returncode


def agent() -> None:
    """A turn of an agent, from its start to its end: the first event finds no worker."""
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt=os.environ.get("SAID", "Why do the retries stop at the deadline?"))
    bash = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": {"stdout": "3 passed"}}
    hook("PostToolUse", tool_use_id="t1", **bash)
    hook("Stop", last_assistant_message="The retries stop because the deadline is checked first.")
    hook("SessionEnd", reason="exit")


def commands() -> None:
    """Most of the command line."""
    command("worker", "start")
    command("add", "--title", "Money is Decimal", "--text", "Floats lost a cent.", "--kind", "decision")
    for args in (
        ("compress", "--now"), ("search", "why Decimal"), ("context", "--prompt", "money"), ("list",), ("show", "1"),
        ("stats",), ("doctor",), ("observations",), ("history",), ("index-git", WORK), ("project", "list"),
        ("judge", "why Decimal", "1", "--relevant"), ("evaluate",), ("profiles",), ("scrub", "--dry-run"),
        ("purge", "--id", "1", "--dry-run"), ("lab", "--observations", "2", "--config", "extractive"),
    ):  # fmt: skip
        command(*args)


def mcp() -> None:
    """An agent's memory server: a search."""
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "older", "version": "1"}}
    sent: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
         "params": {"name": "memory_search", "arguments": {"query": "Decimal"}}},
    ]  # fmt: skip
    with subprocess.Popen(
        [*PROGRAM, "mcp"], cwd=WORK, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in sent))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        seen["mcp"] = answers[1]["result"]["content"][0]["text"]


def rest() -> None:
    """The worker's socket, and a port that is asked with the token."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.connect(str(HOME / "rest.sock"))
        door.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        seen["rest"] = door.recv(100).decode().split("\r\n")[0]
    with subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0"], cwd=WORK, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        said = ""
        while "http://127.0.0.1:" not in said:
            line = process.stdout.readline().decode()
            assert line, said
            said += line
        port = int("".join(c for c in said.partition("http://127.0.0.1:")[2][:6] if c.isdigit()))
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        token = (HOME / "token").read_text().strip()
        asked.request("GET", "/v1/memories", headers={"Authorization": f"Bearer {token}"})
        seen["port"] = asked.getresponse().status
        process.terminate()


def application() -> None:
    """The application at a terminal, for as long as it takes to show its screens."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(WORK)
        os.execve(sys.executable, PROGRAM, ENVIRONMENT)
    drawn = b""
    for keys, seconds in ((b"", 6.0), (b"2", 2.0), (b"3", 2.0), (b"4", 2.0), (b"5", 2.0), (b"6", 2.0), (b"q", 3.0)):
        os.write(terminal, keys)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    drawn += os.read(terminal, 65536)
                except OSError:
                    break
    try:
        os.close(terminal)
    finally:
        seen["application"] = len(drawn)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    agent()
    commands()
    mcp()
    rest()
    application()
    command("worker", "stop")
    print(json.dumps(seen))
