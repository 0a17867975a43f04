"""The real sockets: the worker's, which is ours alone, and a port that a person opens."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hook.running import until
from tests.rest.asking import Connection, ask
from tui_memory.engine import worker_client
from tui_memory.engine.memory import Memory
from tui_memory.errors import RefusedError
from tui_memory.retrieve.search import Searcher
from tui_memory.surfaces.rest import door, doors, stream
from tui_memory.surfaces.rest import service as service_module
from tui_memory.surfaces.rest.service import Service
from tui_memory.surfaces.worker import standing


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Path]:
    """The socket of a server that runs on a thread of this process."""
    place = tmp_path / "rest.sock"
    service = Service(tmp_path / "store", logging.getLogger("test"))
    thread = threading.Thread(target=service.run, args=(door.bind(place),))
    thread.start()
    yield place
    service.stop()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directory of a store whose worker is up."""
    root = tmp_path_factory.mktemp("rest")
    before = dict(os.environ)
    os.environ |= {"TUI_MEMORY_CONFIG": str(root / "config.yaml"), "HOME": str(root)}
    worker_client.start(root / "store", idle=60)
    os.environ.clear()
    os.environ.update(before)
    yield root / "store"
    worker_client.stop(root / "store")


def test_the_worker_s_socket_is_for_this_user_alone_and_serves(home: Path) -> None:
    place = door.path(worker_client.socket_path(home))
    assert place.stat().st_mode & 0o777 == 0o600
    assert ask(place, "GET", "/healthz")[1]["ok"] is True
    assert ask(place, "POST", "/v1/memories", {"title": "Retries stop at the deadline"})[0] == 201
    until(lambda: bool(worker_client.status(home)["model"]))
    status, vectors = ask(place, "POST", "/v1/embed", {"texts": ["one", "two"], "kind": "query"})
    assert (status, vectors["dimension"], len(vectors["vectors"])) == (200, 384, 2)
    assert sum(value * value for value in vectors["vectors"][0]) == pytest.approx(1, abs=1e-3)


def test_a_process_that_has_a_searcher_searches_with_that_one(tmp_path: Path) -> None:
    asked: list[str] = []
    with Memory(tmp_path / "store", embedding="none") as memory:
        memory.add(title="The socket leaks")
        searcher = Searcher(memory.store, embed=lambda texts, _query: asked.extend(texts))
        service = Service(tmp_path / "store", logging.getLogger("test"), searcher=searcher)
        thread = threading.Thread(target=service.run, args=(door.bind(tmp_path / "rest.sock"),))
        thread.start()
        status, found = ask(tmp_path / "rest.sock", "POST", "/v1/search", {"query": "socket"})
        service.stop()
        thread.join(10)
    assert (status, len(found["results"]), asked) == (200, 1, ["socket"])


def test_serve_says_where_the_worker_s_socket_is(home: Path) -> None:
    environment = os.environ | {"TUI_MEMORY_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "tui_memory", "serve"], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, str(home / "rest.sock"), "")
    assert (home / "rest.sock").is_socket()


def test_hooks_pay_nothing_for_it_until_somebody_asks(tmp_path: Path) -> None:
    code = (
        "import sys, tui_memory.surfaces.worker.server; print([n for n in ('fastapi', 'uvicorn') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_another_user_s_process_is_hung_up_on(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(served, "GET", "/healthz")[0] == 200
    monkeypatch.setattr(standing, "is_ours", lambda _socket: False)
    with pytest.raises(OSError):
        ask(served, "GET", "/healthz")


def test_the_stream_tells_what_changed_and_can_be_taken_up_again(served: Path, tmp_path: Path) -> None:
    memory = Memory(tmp_path / "store", embedding="none")
    first = memory.add(title="Retries stop at the deadline")
    connection = Connection(served)
    connection.request("GET", "/v1/stream")
    answer = connection.getresponse()
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = iter(answer.readline, b"")
    start = next(lines).decode().removeprefix("id: ").strip()
    second = memory.add(title="Invoices round half even")
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello", "cwd": str(tmp_path)}
    memory.capture("claude-code", payload)
    told = [json.loads(line[6:]) for line in take(lines, 2)]
    assert {(one.get("action"), one.get("memory"), one.get("kind")) for one in told} == {
        ("add", second, None), (None, None, "prompt"),
    }  # fmt: skip
    assert "hello" not in json.dumps(told) and first != second
    connection.close()

    again = Connection(served)
    again.request("GET", "/v1/stream", headers={"Last-Event-ID": start})
    assert [json.loads(line[6:])["id"] for line in take(iter(again.getresponse().readline, b""), 2)]
    again.close()


def take(lines: Iterator[bytes], count: int) -> list[bytes]:
    """The next data lines."""
    found: list[bytes] = []
    while len(found) < count:
        line = next(lines)
        found += [line] if line.startswith(b"data: ") else []
    return found


def test_a_port_is_loopback_with_a_token_that_is_made_once(home: Path) -> None:
    environment = os.environ | {"TUI_MEMORY_HOME": str(home)}
    command = [sys.executable, "-m", "tui_memory", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[0]
        token = (home / "token").read_text().strip()
        assert (home / "token").stat().st_mode & 0o777 == 0o600 and address.startswith("http://127.0.0.1:")
        request = urllib.request.Request(f"{address}/healthz", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert json.loads(answer.read())["ok"] is True
        process.send_signal(signal.SIGINT)
        process.wait(20)
    assert doors.token(home) == token


def test_a_token_file_open_to_others_is_mended_and_an_empty_one_refused(tmp_path: Path) -> None:
    made = doors.token(tmp_path)
    doors.token_file(tmp_path).chmod(0o644)
    assert doors.token(tmp_path) == made and doors.token_file(tmp_path).stat().st_mode & 0o777 == 0o600
    doors.token_file(tmp_path).write_text("")
    with pytest.raises(RefusedError, match="holds no token"):
        doors.token(tmp_path)


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(RefusedError, match="cannot be listened on"):
            doors.on_port(tmp_path / "store", other.getsockname()[1], lambda *_: None)


def test_a_long_path_has_its_socket_beside_the_hooks(tmp_path: Path) -> None:
    assert door.path(tmp_path / "hook.sock") == tmp_path / "rest.sock"
    assert door.path(tmp_path / "tui-memory-12ab.sock") == tmp_path / "tui-memory-12ab-rest.sock"


def test_a_reader_is_told_where_more_happened_than_is_told_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST", 16)
    with Memory(tmp_path / "store", embedding="none") as memory:
        place = stream.Place.start(memory, "")
        memory.add_many({"title": f"Memory {number}"} for number in range(15))
        assert [frame.splitlines()[1] for frame in place.news(memory)] == ["event: memory"] * 15
        memory.add_many({"title": f"Memory {number}"} for number in range(20))
        frames = place.news(memory)
        assert frames[0].startswith("event: gap") and len(frames) == 17
        assert place.news(memory) == []


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: ",
        b"POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    ],
)
def test_who_does_not_get_a_request_out_is_hung_up_on(
    tmp_path: Path, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "REQUEST_PATIENCE", 0.3)
    place = tmp_path / "rest.sock"
    service = Service(tmp_path / "store", logging.getLogger("test"))
    thread = threading.Thread(target=service.run, args=(door.bind(place),))
    thread.start()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as slow:
            slow.settimeout(20)
            slow.connect(str(place))
            slow.sendall(start)
            with contextlib.suppress(ConnectionResetError):  # an abort may be told as one
                assert slow.recv(1) == b""
        assert ask(place, "GET", "/healthz")[0] == 200
    finally:
        service.stop()
        thread.join(10)
