"""What older rules stored comes back raw in none of the smaller lists either, before anything is scrubbed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.engine.conftest import RULES_ONLY
from tui_memory import Memory
from tui_memory.surfaces.mcp.desk import Desk
from tui_memory.surfaces.mcp.tools import Get, Search, Timeline

TOKEN = "ghp_" + "".join(("16C7e42F29", "2c6912E7710c", "838347Ae178B4a"))


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Memory]:
    """A store that an older program wrote, with a secret in every list; opened by this one."""
    home = tmp_path / "store"
    with Memory(home, embedding="none", settings=RULES_ONLY) as memory:
        id_ = memory.add(title="Kept quokka", text="x", project="orderly")
        payload = {"session_id": "s1", "cwd": "/nowhere/orderly", "hook_event_name": "UserPromptSubmit", "prompt": "x"}
        memory.capture("claude-code", payload)
        memory.capture("claude-code", payload | {"hook_event_name": "SessionEnd"})
        memory.pin(id_)
        memory.evaluating.judge("x", id_, relevant=True)
        memory.evaluating.save_profile("mine", {})
        with memory.store.transaction() as connection:
            for sql in (
                "UPDATE projects SET name = 'about ' || ?1", "UPDATE project_aliases SET value = '/x/' || ?1 || kind",
                "UPDATE sessions SET branch = 'fix/' || ?1, session = ?1",
                "UPDATE judgments SET query = 'what is ' || ?1",
                "UPDATE profiles SET name = ?1", "UPDATE queue SET state = 'failed', last_error = 'bad: ' || ?1",
                "UPDATE observations SET branch = ?1, parent = ?1",
                "UPDATE memories SET branch = ?1, title = ?1 || ' quokka'",
                "UPDATE versions SET flagged = json_array(?1), title = ?1 || ' quokka', labels = json_array(?1)",
                "UPDATE journal SET before = json_set(before, '$.branch', ?1), after = json_set(after, '$.branch', ?1)",
            ):  # fmt: skip
                connection.execute(sql, (TOKEN,))
            connection.execute("UPDATE meta SET value = json_set(value, '$.code', 'older') WHERE key = 'rules'")
    with Memory(home, embedding="none", settings=RULES_ONLY) as memory:
        yield memory


def test_no_list_of_the_engine(old: Memory) -> None:
    told = {
        "memories": [one.public() for one in old.get([1])],
        "observations": [one.public() for one in old.observations()],
        "sessions": [asdict(one) for one in old.sessions()],
        "projects": [asdict(one) for one in old.projects()],
        "project": old.project_details(old.projects()[0].uid).public(),
        "profiles": [one.public() for one in old.evaluating.profiles()],
        "history": [one.public() for one in old.history()],
        "evaluate": old.evaluating.evaluate().public(),
        "search": old.search_result("quokka").public(),
        "facets": old.facets(),
        "purge": old.purge(match="quokka", dry_run=True).public(),
        "context": old.context(project=old.projects()[0].uid).text,
        "failures": repr(old.observing._failures()),
    }
    assert [name for name, value in told.items() if TOKEN in json.dumps(value, default=str)] == []
    assert all(told.values())


def test_no_tool_of_an_agents(old: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk("claude-code", old.home)
    monkeypatch.setattr(Desk, "_have_model", lambda _desk: None)
    for asked in (
        Search.model_validate({"query": "quokka", "project": "*"}),
        Get(ids=[1]),
        Timeline.model_validate({"id": 1}),
    ):
        answer = desk.answer(asked)
        assert "quokka" in answer and TOKEN not in answer
    desk.close()
