"""The hook and a worker that answers, is slow, hangs, lies, or dies in between."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hook.running import counters, event, patience, run, silent, until

Talk = Callable[[socket.socket], None]


@contextlib.contextmanager
def listening(home: Path, talk: Talk) -> Iterator[list[bytes]]:
    """A stand-in for the worker at the store's socket; the requests' headers as they came."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(home / "hook.sock"))
    server.listen()
    headers: list[bytes] = []

    def serve() -> None:
        with contextlib.suppress(OSError):  # closed by the test's end
            while True:
                peer, _ = server.accept()
                with peer:
                    headers.append(read(peer))
                    talk(peer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield headers
    finally:
        server.close()


def read(peer: socket.socket) -> bytes:
    """One request, its header returned."""
    stream = peer.makefile("rb")
    head = stream.read(12)
    assert head[:4] == b"TM1\n"
    header = stream.read(int.from_bytes(head[4:8], "big"))
    stream.read(int.from_bytes(head[8:], "big"))
    return header


def says(status: bytes, body: bytes = b"") -> Talk:
    """A worker with one answer."""
    return lambda peer: peer.sendall(status + len(body).to_bytes(4, "big") + body)


def test_an_acknowledged_event_is_not_stored_again(home: Path) -> None:
    with listening(home, says(b"A")) as headers:
        assert silent(
            run(home, event(), env={"CLAUDE_PROJECT_DIR": "/home/dev/orderly", "API_TOKEN": "not-a-real-one-1"})
        )
    operation, agent, delivery, cwd, project, *known = headers[0].split(b"\0")
    assert (operation, agent, project) == (b"event", b"claude-code", b"/home/dev/orderly")
    assert len(delivery) == 32 and cwd == str(home.parent).encode() and b"API_TOKEN=not-a-real-one-1" in known
    assert not (home / "memory.db").exists()


def test_the_answer_is_printed_as_it_came(home: Path) -> None:
    with listening(home, says(b"A", b'{"hookSpecificOutput": {}}')):
        assert run(home, event("SessionStart.startup")).stdout == b'{"hookSpecificOutput": {}}'


def test_an_event_the_worker_drops_is_done(home: Path) -> None:
    with listening(home, says(b"D")):
        assert silent(run(home, event()))
    assert not (home / "memory.db").exists()


@pytest.mark.parametrize(
    "talk",
    [
        says(b"E", b"The disk is full."),
        lambda peer: None,
        lambda peer: peer.sendall(b"A\xff\xff\xff\xff"),
        lambda peer: peer.sendall(b"A"),
    ],
    ids=["failed", "hung up", "lies about the length", "half an answer"],
)
def test_what_is_no_acknowledgement_is_stored_by_the_hook(home: Path, talk: Talk) -> None:
    with listening(home, talk):
        assert silent(run(home, event()))
    assert counters(home) == {"captured": 1, "stored": 1}


def test_a_worker_that_hangs_costs_less_than_the_deadline(home: Path) -> None:
    release = threading.Event()

    def hang(peer: socket.socket) -> None:
        release.wait(10)

    with listening(home, hang):
        limit, began = patience(), time.monotonic()
        assert silent(run(home, event(), wait=False))
        assert time.monotonic() - began < limit
        release.set()
    assert until(lambda: counters(home).get("stored") == 1)


def test_a_worker_that_is_slow_at_every_step_leaves_the_child_its_time(home: Path) -> None:
    """Busy when it reads and at each byte of its answer: every wait is short, together they go past the deadline."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(home / "hook.sock"))
    server.listen()
    over = threading.Event()

    def serve() -> None:
        with contextlib.suppress(OSError, AssertionError), server.accept()[0] as peer:  # the hook has left
            over.wait(0.4)
            read(peer)
            for _ in range(4):
                over.wait(0.4)
                peer.sendall(b"A")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert silent(run(home, event(tool_response={"stdout": "x" * 1_000_000, "stderr": ""})))
    stored = until(lambda: counters(home).get("stored") == 1, 10)
    over.set()
    server.close()
    assert stored


def test_a_socket_nobody_listens_on_is_no_worker(home: Path) -> None:
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(str(home / "hook.sock"))
    left.close()
    assert silent(run(home, event()))
    assert counters(home) == {"captured": 1, "stored": 1}
