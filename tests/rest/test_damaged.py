"""A store whose file is damaged under the server: each question is answered with what is wrong and what to do."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.damage import damage
from tui_memory.engine.memory import Memory


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/memories/1", "/v1/observations", "/v1/timeline/1"])
def test_damage_is_a_problem_of_the_store_and_no_defect(memory: Memory, client: TestClient, path: str) -> None:
    memory.add(title="Retries stop at the deadline", text="after 30 seconds")
    damage(memory.home)
    answer = client.get(path)
    assert answer.status_code == 503, answer.text
    assert answer.json()["exit_code"] == 5 and "damaged" in answer.json()["detail"]
