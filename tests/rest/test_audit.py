"""The audit over REST: cases are listed, settled and reported; what cannot be settled is a problem that says why."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tui_memory.engine.memory import Memory

KEY = "aZ4kQ9" + "xT2mPp7Lw0" + "Rv8Yb3Nn6"


@pytest.fixture
def leaking(memory: Memory) -> int:
    """A memory with what looks like a secret in it."""
    return memory.add(title="How we deploy", text=f"The deployment answers to {KEY} only.", embed=False)


def only(client: TestClient) -> dict[str, object]:
    """The one open case."""
    (case,) = client.get("/v1/audit").json()["cases"]
    found: dict[str, object] = case
    return found


def test_a_case_is_listed_settled_and_open_again_after_an_undo(client: TestClient, leaking: int) -> None:
    case = only(client)
    assert (case["family"], case["memories"], case["proposed"]) == ("leak", [leaking], "mask")
    assert KEY not in client.get("/v1/audit").text
    done = client.post(f"/v1/audit/{case['id']}", json={"action": "reject"}).json()
    assert done == {"action": "audit keep", "case": case["id"], "memories": [leaking]}
    assert client.get("/v1/audit").json()["cases"] == []
    assert client.post("/v1/undo", json={}).json()["skipped"] == []
    assert only(client)["id"] == case["id"]


def test_what_is_masked_is_masked_for_good_and_undo_says_what_it_passes_over(client: TestClient, leaking: int) -> None:
    done = client.post(f"/v1/audit/{only(client)['id']}", json={"action": "accept"}).json()
    assert (done["action"], done["memories"]) == ("audit mask", [leaking])
    told = client.post("/v1/undo", json={}).json()
    assert [entry["action"] for entry in told["undone"]] == ["add"]
    assert told["skipped"] == [f"Passed over, for nothing brings it back: the audit mask of #{leaking}."]


def test_families_filters_and_sleep(client: TestClient, leaking: int) -> None:
    assert client.get("/v1/audit?family=oversized").json()["cases"] == []
    assert client.get("/v1/audit?family=nothing").status_code == 404
    case = only(client)["id"]
    later = {"action": "snooze", "until": "2100-01-01T00:00:00Z"}
    assert client.post(f"/v1/audit/{case}", json=later).status_code == 200
    assert client.get("/v1/audit").json()["cases"] == []
    (asleep,) = client.get("/v1/audit?snoozed=true").json()["cases"]
    assert asleep["until"] == "2100-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("case", "sent", "status"),
    [
        (99, {"action": "accept"}, 404),
        (1, {"action": "dance"}, 422),
        (1, {"action": "snooze", "until": "2001-01-01"}, 422),
        (1, {"action": "purge"}, 403),
        (1, {}, 422),
    ],
)
def test_what_cannot_be_settled_is_a_problem(
    client: TestClient, leaking: int, case: int, sent: dict[str, str], status: int
) -> None:
    only(client)
    answer = client.post(f"/v1/audit/{case}", json=sent)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert only(client)["state"] == "open"


def test_a_memory_that_changed_meanwhile_is_a_conflict(client: TestClient, memory: Memory, leaking: int) -> None:
    case = only(client)["id"]
    memory.edit(leaking, text="Nothing of it is left.")
    answer = client.post(f"/v1/audit/{case}", json={"action": "accept"})
    assert answer.status_code == 409 and "has changed since" in answer.json()["detail"]


def test_the_report_is_json_and_markdown_without_what_was_masked(client: TestClient, leaking: int) -> None:
    client.post(f"/v1/audit/{only(client)['id']}", json={"action": "accept"})
    told = client.get("/v1/audit/report?since=1d")
    assert told.json()["report"]["settled"] == {"leak": {"mask": 1}}
    assert "- possible leak: 1 masked" in told.json()["markdown"]
    assert KEY not in told.text
