"""One story for every agent: it reads, fails, edits, writes and closes; the next session is told of it."""

from __future__ import annotations

import html
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.session import Machine, agents
from tests.hook.running import storing, until
from tui_memory.engine import worker_client
from tui_memory.surfaces.install import install

PROMPT = "The model tests fail since we upgraded pydantic, please fix them"
CLOSING = "Done: models.py uses pydantic v2's field_validator with @classmethod now; NOTES.md records the convention."
QUESTION = "What did we decide about pydantic validators?"
OLD, NEW = "from pydantic import BaseModel, validator", "from pydantic import BaseModel, field_validator"
NOTES = "# Notes\n\n- We are on pydantic v2: use field_validator, never validator.\n"
ERROR = "ImportError: PydanticImportError: validator is gone in v2"


def secret() -> str:
    """A value that looks like a secret, built at run time."""
    return "ghp_" + "".join(("R4nd", "0mX9", "kQ2v", "T7bL", "m3Zs", "Y8wC", "d5Hf", "J6pN", "a1Gu"))


def failing() -> str:
    """A command that shows a secret and fails."""
    return f"echo token={secret()}; python3 -c \"raise ImportError('PydanticImportError: validator is gone in v2')\""


@contextmanager
def installed(agent: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A prepared machine with the agent's hooks installed; its worker is stopped at the end."""
    made = Machine(root)
    made.prepare()
    for name in ("CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    install(agent)
    yield made
    until(lambda: not storing(made.store))
    worker_client.stop(made.store)


def rows(machine: Machine, sql: str) -> list[tuple[Any, ...]]:
    """A query on the store; nothing where there is none yet."""
    if not (machine.store / "memory.db").exists():
        return []
    with closing(sqlite3.connect(machine.store / "memory.db")) as connection:
        return connection.execute(sql).fetchall()


def wait_for(machine: Machine, sql: str, seconds: float) -> list[tuple[Any, ...]]:
    """The rows of a query once there are any; empty where none came in time."""
    end = time.monotonic() + seconds
    while not (found := rows(machine, sql)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def tell(machine: Machine, agent: str, script: list[dict[str, Any]], *extra: str) -> list[tuple[str, str]]:
    """Run the first session; what was captured of it, as (kind, tool), after what holds for every agent was checked."""
    where = agents()
    assert where is not None
    machine.run(agent, where, script, PROMPT, "first", *extra)
    assert wait_for(machine, "SELECT 1 FROM observations WHERE text LIKE 'Session ended%'", 5), rows(
        machine, "SELECT kind, tool, text FROM observations"
    )
    texts = dict(rows(machine, "SELECT kind, text FROM observations ORDER BY id DESC"))
    assert (texts["prompt"], texts["response"]) == (PROMPT, CLOSING)
    error = json.loads(str(rows(machine, "SELECT detail FROM observations WHERE kind = 'error'")[0][0]))
    assert error["error"] == ERROR and "[redacted:" in texts["error"]
    assert secret().encode() not in b"".join(path.read_bytes() for path in machine.store.iterdir() if path.is_file())
    edited = [json.loads(str(row[0])) for row in rows(machine, "SELECT files FROM observations WHERE kind = 'edit'")]
    assert edited == [["orderly/models.py"], ["NOTES.md"]]
    counts: dict[str, int] = dict(rows(machine, "SELECT name, value FROM counters"))
    dropped = sum(count for name, count in counts.items() if name.startswith("dropped:"))
    assert counts["captured"] == counts["stored"] + dropped
    told = [(str(kind), str(tool)) for kind, tool in rows(machine, "SELECT kind, tool FROM observations ORDER BY id")]
    return sorted(told[:2]) + told[2:]  # some agents run the hooks of start and prompt side by side


def recall(machine: Machine, agent: str, *extra: str) -> None:
    """Run a second session: its model is told what the first one left, and that is not captured again."""
    where = agents()
    assert where is not None
    assert wait_for(machine, "SELECT 1 FROM memories WHERE state = 'active'", 30)
    worker_client.drain(machine.store)
    title = str(rows(machine, "SELECT title FROM memories WHERE state = 'active' ORDER BY id LIMIT 1")[0][0])
    asked = machine.run(agent, where, [{"text": "Fine."}], QUESTION, "second", *extra)
    requests = [line for line in asked.splitlines() if QUESTION in line and '"tools"' in line]
    told = html.unescape(requests[0])
    assert json.dumps(title)[1:-1] in told and "<tui-memory note=" in told
    assert wait_for(machine, f"SELECT 1 FROM observations WHERE kind = 'prompt' AND text = '{QUESTION}'", 5)
    assert not rows(machine, "SELECT 1 FROM observations WHERE text LIKE '%tui-memory note=%'")
