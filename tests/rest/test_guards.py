"""On a port: only who holds the token, from no web page, under our own name. Everywhere: no body without end."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tui_memory.engine.memory import Memory
from tui_memory.surfaces.rest import app, guards

PORT = 8765
TOKEN = "-".join(["a", "token", "of", "this", "test"])
RIGHT = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def port(memory: Memory) -> Iterator[TestClient]:
    """The application as it is on a port."""
    api = app.create(memory, logging.getLogger("test"), port=PORT, token=TOKEN)
    with TestClient(api, base_url=f"http://127.0.0.1:{PORT}") as client:
        yield client


def test_with_the_token_it_serves(port: TestClient) -> None:
    assert port.get("/healthz", headers=RIGHT).json()["ok"] is True
    assert port.get("/healthz", headers=RIGHT | {"Host": f"localhost:{PORT}"}).status_code == 200


@pytest.mark.parametrize("given", [{}, {"Authorization": "Bearer x"}, {"Authorization": f"Basic {TOKEN}"}])
@pytest.mark.parametrize("target", ["/healthz", "/openapi.json", "/v1/memories", "/nowhere"])
def test_without_it_nothing_is_told(port: TestClient, given: dict[str, str], target: str) -> None:
    answer = port.get(target, headers=given)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:8765"])
def test_another_host_is_refused_whatever_it_resolves_to(port: TestClient, host: str) -> None:
    assert port.get("/healthz", headers=RIGHT | {"Host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://localhost"])
def test_another_origin_is_refused_and_no_answer_allows_one(port: TestClient, origin: str) -> None:
    answer = port.get("/healthz", headers=RIGHT | {"Origin": origin})
    assert answer.status_code == 403
    preflight = port.options("/v1/memories", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
    assert preflight.status_code == 403
    assert not [name for name in (*answer.headers, *preflight.headers) if name.startswith("access-control-")]


def test_a_port_s_document_says_that_a_token_is_needed(port: TestClient) -> None:
    document = port.get("/openapi.json", headers=RIGHT).json()
    assert document["components"]["securitySchemes"] == {"HTTPBearer": {"type": "http", "scheme": "bearer"}}


def test_a_body_over_the_limit_is_refused_told_or_not(client: TestClient, memory: Memory) -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"title": "'
        for _ in range(guards.BODY_LIMIT // 65_536 + 1):
            yield b"x" * 65_536

    for body in (b"x" * (guards.BODY_LIMIT + 1), endless()):
        answer = client.post("/v1/memories", content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")
    assert memory.count() == 0


def test_watching_is_no_sign_of_life(memory: Memory) -> None:
    lives: list[int] = []
    with TestClient(app.create(memory, logging.getLogger("test"), touched=lambda: lives.append(1))) as client:
        client.get("/healthz")
        client.get("/metrics")
        assert lives == []
        client.get("/v1/memories")
    assert lives == [1]
