"""`doctor` and `/metrics` say how old a hub is and what was wrong; without one they say nothing of it."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.hub.conftest import Query
from tui_memory.engine.memory import Memory
from tui_memory.errors import RemoteError
from tui_memory.store import marks
from tui_memory.surfaces.rest import app


def check(memory: Memory) -> dict[str, Any] | None:
    """Doctor's word on the hub."""
    return next((one for one in memory.doctor()["checks"] if one["id"] == "hub"), None)


def metrics(memory: Memory) -> str:
    with TestClient(app.create(memory, logging.getLogger("test"))) as client:
        return client.get("/metrics").text


def test_without_a_hub_nothing_is_said(tmp_path: Any) -> None:
    with Memory(tmp_path / "alone", embedding="none") as alone:
        assert check(alone) is None
        assert "hub" not in metrics(alone)


def test_its_age_is_said(ana: Memory) -> None:
    found = check(ana)
    assert found is not None and found["ok"] and "nothing was pushed or pulled yet" in found["what"]
    ana.hub.push()
    ana.hub.pull()
    found = check(ana)
    assert found is not None and found["ok"] and "pushed at 2" in found["what"] and "pulled at 2" in found["what"]
    for name in ("push", "pull"):
        pushed = marks.get(ana.store, f"hub_{name}ed") / 1000
        line = next(
            line for line in metrics(ana).splitlines()
            if line.startswith(f"tui_memory_hub_last_{name}_timestamp_seconds ")
        )  # fmt: skip
        assert float(line.split()[1]) == pytest.approx(pushed, abs=1)


def test_its_last_error_is_said_until_it_goes_well(ana: Memory, sql: Query) -> None:
    ana.hub.push()
    sql("keeper", "UPDATE tui_memory.meta SET value = '99' WHERE key = 'schema'")
    with pytest.raises(RemoteError):
        ana.hub.push()
    found = check(ana)
    assert found is not None and not found["ok"]
    assert "newer schema" in found["what"] and found["fix"] == "tui-memory hub status"
    assert "tui_memory_hub_last_failure_timestamp_seconds" in metrics(ana)
    sql("keeper", "UPDATE tui_memory.meta SET value = '2' WHERE key = 'schema'")
    ana.hub.push()
    found = check(ana)
    assert found is not None and found["ok"] and ana.hub.status()["error"] == ""


def test_a_damaged_file_of_the_link_is_a_sentence(ana: Memory) -> None:
    (ana.home / "hub.json").write_text("{")
    found = check(ana)
    assert found is not None and not found["ok"] and found["fix"] == "tui-memory hub disconnect"
    assert ana.search_result("anything").results == []
    ana.hub.disconnect()
    assert check(ana) is None
