"""The frame: what the hook sends is what the worker reads, and what is no frame does no harm."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from pathlib import Path

import numpy as np
import pytest

from tests.hook.running import event, run, until
from tui_memory import handover
from tui_memory.engine import worker_client
from tui_memory.errors import WorkerError
from tui_memory.surfaces.worker import frame


async def parsed(data: bytes) -> frame.Request | None:
    """What the worker makes of a connection's bytes."""
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return await frame.read(reader)


def packed(operation: str, *fields: str, body: bytes = b"") -> bytes:
    """A request as hook and client write it."""
    header = b"\0".join(os.fsencode(part) for part in (operation, *fields))
    return handover.MAGIC + len(header).to_bytes(4, "big") + len(body).to_bytes(4, "big") + header + body


def test_hook_worker_and_client_mean_the_same() -> None:
    assert handover.MAGIC == frame.MAGIC == worker_client.MAGIC
    assert handover.PAYLOAD_LIMIT <= frame.BODY_LIMIT


async def test_fields_and_body_arrive_as_sent() -> None:
    found = await parsed(
        packed("event", "claude-code", "1" * 32, "/a b/é", "", "A=\udcff=", body=b'{"x": "\\u0000"}\x00')
    )
    assert found == frame.Request(
        "event", ["claude-code", "1" * 32, "/a b/é", "", "A=\udcff="], b'{"x": "\\u0000"}\x00'
    )


@pytest.mark.parametrize("cut", [0, 3, 11, 12, 20, -1])
async def test_a_request_cut_short_is_none(cut: int) -> None:
    assert await parsed(packed("event", "a", body=b"12345")[:cut]) is None


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n\r\n", b"TM1\n\xff\xff\xff\xff\0\0\0\0", b"TM1\n\0\0\0\1\xff\xff\xff\xffx"]
)
async def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(frame.FrameError):
        await parsed(data)


def raw(home: Path, data: bytes) -> bytes:
    """What a worker answers to bytes, until it hangs up."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
        channel.settimeout(10)
        channel.connect(str(home / "hook.sock"))
        channel.sendall(data)
        channel.shutdown(socket.SHUT_WR)
        answer = b""
        while part := channel.recv(65536):
            answer += part
        return answer


def test_nonsense_is_answered_and_the_worker_goes_on(shared: Path) -> None:
    for data in (b"", b"GET / HTTP/1.1\r\n\r\n", packed("fly"), packed("embed", "query", body=b"{"), packed("event")):
        raw(shared, data)
    assert raw(shared, packed("fly"))[:1] == b"E"
    assert worker_client.status(shared)["running"]


def test_two_requests_on_one_connection_are_both_answered(shared: Path) -> None:
    answer = raw(shared, packed("refresh") * 2)
    assert answer == b"A\0\0\0\0" * 2


def test_an_unknown_operation_is_an_error_that_says_so(shared: Path) -> None:
    with pytest.raises(WorkerError, match="knows no operation"):
        worker_client.ask(shared, "fly")


def test_vectors_come_back_normalised(shared: Path) -> None:
    assert until(lambda: worker_client.status(shared)["model"], 30)
    vectors = worker_client.embed(shared, ["money is Decimal", "a cat"], query=True)
    assert vectors is not None and vectors.shape == (2, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    empty = worker_client.embed(shared, [])
    assert empty is not None and empty.shape == (0, 384)


def test_the_log_holds_no_word_of_what_was_said(shared: Path) -> None:
    run(shared, event("UserPromptSubmit.missing_optional", prompt="zebrafish pancakes"))
    worker_client.drain(shared)
    assert "zebrafish" not in "".join(path.read_text() for path in (shared / "log").iterdir())


def test_every_documented_event_passes_through_the_hook_in_silence_or_with_an_answer(shared: Path) -> None:
    """Exit 0, and stdout empty or an object with only the keys that event allows."""
    fixtures = Path(__file__).parent.parent / "fixtures"
    for agent in ("claude-code", "codex"):
        for file in sorted((fixtures / agent).glob("*.json")):
            done = run(shared, file.read_bytes(), agent=agent)
            assert (done.returncode, done.stderr) == (0, b""), file.name
            if done.stdout:
                said = json.loads(done.stdout)
                assert set(said) == {"hookSpecificOutput"}, file.name
                assert set(said["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}, file.name
                assert said["hookSpecificOutput"]["hookEventName"] == file.name.split(".")[0], file.name
