"""Each route does what the method of its name does, and says what is wrong as a problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tui_memory.engine.memory import Memory
from tui_memory.model import Filters

DEADLINE = "Retries stop at the deadline"


def add(client: TestClient, **fields: Any) -> int:
    """A memory's id."""
    answer = client.post("/v1/memories", json=fields)
    assert answer.status_code == 201
    made = answer.json()["memories"][0]
    assert answer.headers["location"] == f"/v1/memories/{made['id']}"
    return int(made["id"])


def problem(answer: Any, status: int) -> str:
    """The detail of a problem that is one."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    value = answer.json()
    assert value["status"] == status and value["type"] and value["title"]
    return str(value["detail"])


def test_a_memory_is_added_read_changed_trashed_and_brought_back(client: TestClient, memory: Memory) -> None:
    id_ = add(client, title=DEADLINE, kind="convention", labels=["retry"], created="2026-11-20T10:00:00Z")
    whole = client.get(f"/v1/memories/{id_}").json()["memories"][0]
    assert (whole["title"], whole["kind"], whole["tier"], whole["labels"], whole["created"]) == (
        DEADLINE, "convention", "semantic", ["retry"], "2026-11-20T10:00:00.000Z",
    )  # fmt: skip
    changed = client.patch(f"/v1/memories/{whole['uid']}", json={"text": "Each try is billed."}).json()
    assert changed["memories"][0]["text"] == "Each try is billed." and changed["memories"][0]["title"] == DEADLINE
    assert client.delete(f"/v1/memories/{id_}").json() == {"action": "delete", "memories": [id_]}
    assert memory.get(id_)[0].state == "trash"
    assert [entry["action"] for entry in client.post("/v1/undo", json={}).json()["undone"]] == ["delete"]
    assert memory.get(id_)[0].state == "active"


def test_lists_are_filtered_sorted_and_paged(client: TestClient, tmp_path: Path) -> None:
    for number, kind in enumerate(("bugfix", "convention", "bugfix")):
        add(client, title=f"Memory {number}", kind=kind, project="orderly" if number else None)
    titles = [one["title"] for one in client.get("/v1/memories?kind=bugfix&sort=title").json()["memories"]]
    assert titles == ["Memory 0", "Memory 2"]
    page = client.get("/v1/memories?project=orderly&limit=1&offset=1&sort=title").json()["memories"]
    assert [one["title"] for one in page] == ["Memory 1"] and "text" not in page[0]


def test_search_answers_with_scores_and_says_what_was_missing(client: TestClient) -> None:
    add(client, title=DEADLINE)
    found = client.post("/v1/search", json={"query": "deadline"}).json()
    assert [hit["title"] for hit in found["results"]] == [DEADLINE] and found["degraded"] == ["model"]
    assert found["results"][0]["score"] > 0 and "lexical" in found["results"][0]["scores"]


def test_merge_and_timeline(client: TestClient) -> None:
    first, second = (add(client, title=title) for title in (DEADLINE, "Retries stop"))
    merged = client.post("/v1/memories/merge", json={"ids": [first, second], "title": "Both"})
    assert merged.status_code == 201 and merged.json()["memories"][0]["merged_from"] == [first, second]
    around = client.get(f"/v1/timeline/{merged.json()['memories'][0]['id']}").json()["memories"]
    assert [one["title"] for one in around] == ["Both"]


def test_an_event_is_redacted_and_becomes_an_observation(client: TestClient, tmp_path: Path) -> None:
    secret = "ghp_" + "R4nd0mX9kQ2v" * 3
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": f"use {secret}"}
    stored = client.post("/v1/events/claude-code", json=event | {"cwd": str(tmp_path)}).json()["observation"]
    seen = client.get("/v1/observations?agent=claude-code").json()["observations"]
    assert [one["id"] for one in seen] == [stored] and seen[0]["kind"] == "prompt"
    assert secret not in seen[0]["text"] and "[redacted:" in seen[0]["text"]


def test_an_event_has_no_file_read_for_it(client: TestClient, memory: Memory, tmp_path: Path) -> None:
    place = tmp_path / "session-state" / "s1"
    place.mkdir(parents=True)
    record = '{"type":"assistant.message","data":{"content":"what stands in a file"}}\n'
    (place / "events.jsonl").write_text(record)
    event = {"hook_event_name": "agentStop", "sessionId": "s1", "cwd": str(tmp_path), "timestamp": 1}
    for name in ("transcript_path", "transcriptPath"):
        answer = client.post("/v1/events/copilot", json=event | {name: str(place / "events.jsonl")})
        assert answer.status_code == 200
    assert all("what stands in a file" not in one.text for one in memory.observations(Filters()))


def test_context_is_what_an_agent_would_be_given(client: TestClient, memory: Memory) -> None:
    add(client, title=DEADLINE, kind="convention")
    given = client.get("/v1/context?budget=500").json()
    assert DEADLINE in given["text"] and given["ids"] == [1] and 0 < given["tokens"] <= 500
    assert given["degraded"] == []
    prompted = client.get("/v1/context", params={"prompt": DEADLINE}).json()
    assert prompted["degraded"] == ["model"] and "Found by words alone" in prompted["text"]


@pytest.mark.parametrize(
    ("method", "target", "body", "status"),
    [
        ("GET", "/v1/memories/99", None, 404),
        ("GET", "/v1/memories?project=nowhere", None, 404),
        ("GET", "/v1/memories?colour=red", None, 422),
        ("GET", "/v1/memories?since=lately", None, 422),
        ("POST", "/v1/memories", {}, 422),
        ("POST", "/v1/memories", {"title": "x", "colour": "red"}, 422),
        ("POST", "/v1/memories/merge", {"ids": [1, 1]}, 404),
        ("POST", "/v1/events/nobody", {}, 422),
        ("POST", "/v1/embed", {"texts": ["x"]}, 503),
        ("POST", "/v1/search", {"query": "x", "profile": "none"}, 404),
        ("GET", "/nowhere", None, 404),
        ("PUT", "/v1/undo", {}, 405),
    ],
)
def test_what_is_wrong_is_a_problem(client: TestClient, method: str, target: str, body: Any, status: int) -> None:
    assert problem(client.request(method, target, json=body), status)


def test_what_the_engine_refuses_is_forbidden_and_a_conflict_is_one(client: TestClient, memory: Memory) -> None:
    ids = [add(client, title="a", project="one"), add(client, title="b", project="two")]
    assert "different projects" in problem(client.post("/v1/memories/merge", json={"ids": ids}), 403)
    client.delete(f"/v1/memories/{ids[0]}")
    Memory(memory.home, actor="upkeep", embedding="none").restore(ids[0])
    assert problem(client.post("/v1/undo", json={}), 409)


def test_a_defect_is_a_problem_without_its_text(
    client: TestClient, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("what was captured")

    monkeypatch.setattr(memory, "undo", broken)
    assert "captured" not in problem(client.post("/v1/undo", json={}), 500)


def test_text_that_is_no_text_and_json_without_end_are_refused(client: TestClient) -> None:
    for body in ('{"title": "x\\ud800"}', "[" * 100_000, '{"title": '):
        answer = client.post("/v1/memories", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), body[:20]
        problem(answer, answer.status_code)


def test_the_document_has_every_route_and_no_page_that_loads_from_elsewhere(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert {(method.upper(), path) for path, methods in paths.items() for method in methods} == {
        ("POST", "/v1/events/{agent}"), ("GET", "/v1/observations"), ("GET", "/v1/memories"),
        ("GET", "/v1/audit"), ("GET", "/v1/audit/report"), ("POST", "/v1/audit/{case}"),
        ("POST", "/v1/memories"), ("GET", "/v1/memories/{id}"), ("PATCH", "/v1/memories/{id}"),
        ("DELETE", "/v1/memories/{id}"), ("POST", "/v1/memories/merge"), ("POST", "/v1/search"),
        ("GET", "/v1/context"), ("GET", "/v1/timeline/{id}"), ("POST", "/v1/undo"), ("POST", "/v1/embed"),
        ("GET", "/v1/stream"), ("GET", "/healthz"), ("GET", "/metrics"),
    }  # fmt: skip
    assert client.get("/docs").status_code == client.get("/redoc").status_code == 404


def test_metrics_are_prometheus_text_of_the_same_counts(client: TestClient, tmp_path: Path) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "hello", "cwd": str(tmp_path)}
    client.post("/v1/events/claude-code", json=event)
    lines = client.get("/metrics").text.splitlines()
    assert "tui_memory_captured_events_total 1.0" in lines and "tui_memory_worker_up 0.0" in lines
