"""What an Ollama has on hand, from a real socket, and every way that its answer is none."""

from __future__ import annotations

import http.server
import json
from collections.abc import Iterator

import pytest

from tests.loopback import LoopbackServer
from tui_memory.compress import on_hand
from tui_memory.compress.on_hand import Model
from tui_memory.engine.observing import Models
from tui_memory.errors import ModelError

TAGS = {"models": [{"name": "small:latest", "size": 900}, {"name": "large:70b", "size": "much"}, {"size": 3}, "x"]}
PS = {"models": [{"name": "large:70b"}]}


class Server(http.server.BaseHTTPRequestHandler):
    """Answers `answers[path]`: a status and bytes."""

    answers: dict[str, tuple[int, bytes]]

    def do_GET(self) -> None:
        """One answer."""
        status, body = self.answers.get(self.path, (404, b"{}"))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Location", "http://127.0.0.1:1/")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def url() -> Iterator[str]:
    """A server with two models, one of them loaded."""
    Server.answers = {"/api/tags": (200, json.dumps(TAGS).encode()), "/api/ps": (200, json.dumps(PS).encode())}
    with LoopbackServer(Server) as server:
        yield server.url


def test_models_are_told_by_name_with_what_is_loaded(url: str) -> None:
    assert on_hand.models((), host=url) == [Model("large:70b", 0, True), Model("small:latest", 900, False)]


@pytest.mark.parametrize(
    "answer", [(200, b"<html>"), (200, b"[]"), (200, b'{"models": 7}'), (500, b"{}"), (302, b"{}"), (200, b"\xff")]
)
def test_what_answers_otherwise_is_no_ollama(url: str, answer: tuple[int, bytes]) -> None:
    Server.answers["/api/tags"] = answer
    with pytest.raises(ModelError, match="is no Ollama"):
        on_hand.models((), host=url)


def test_nobody_there_is_said_with_what_starts_it() -> None:
    with pytest.raises(ModelError, match="`ollama serve`"):
        on_hand.models((), host="http://127.0.0.1:9")


def test_another_machine_is_not_asked_unless_it_is_named() -> None:
    with pytest.raises(ModelError, match=r"remote\.allowed_hosts"):
        on_hand.models((), host="http://gpu.invalid:11434")


def test_a_name_without_a_tag_is_the_latest() -> None:
    here = [Model(name, 1, False) for name in ("small:latest", "host:5000/own:latest", "small:1b")]
    found = Models(("small", "host:5000/own"), tuple(here))
    assert [found.find(name) for name in ("small", "small:1b", "host:5000/own", "mall")] == [
        found.here[0], found.here[2], found.here[1], None,
    ]  # fmt: skip
    assert [one.name for one in found.others] == ["small:1b"]
