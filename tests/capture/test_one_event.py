"""One event is one observation, however often and through whosever configuration it comes; two events are two."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.capture.payloads import names, payload
from tui_memory.config import CaptureSettings
from tui_memory.store import ingest
from tui_memory.store.connection import connect, migrate, store_key

DELIVERIES = count(1)
NOW = 1_796_030_412_500
WITHOUT_ANY_ID = {"UserPromptSubmit.missing_optional"}
"""A person's prompt from a version that gives it no id: told twice, it was said twice."""
EVERY = [
    (agent, name)
    for agent in ("claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode")
    for name in names(agent)
    if name not in WITHOUT_ANY_ID
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An empty store."""
    with closing(connect(tmp_path / "store")) as connection:
        migrate(connection, tmp_path / "store")
        yield connection


def deliver(store: sqlite3.Connection, agent: str, value: dict[str, Any], id_: str = "", at: int = NOW) -> str:
    """What becomes of an event."""
    home = Path(store.execute("PRAGMA database_list").fetchone()["file"]).parent
    sent = ingest.Delivery(id_ or f"{next(DELIVERIES):032x}", agent, at)
    return ingest.receive(store, sent, value, CaptureSettings(), store_key(home)).outcome


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("gemini-cli", "AfterTool.run_shell_command"),
        ("gemini-cli", "BeforeAgent"),
        ("gemini-cli", "AfterAgent"),
        ("copilot", "postToolUse.bash"),
        ("copilot", "userPromptSubmitted"),
        ("copilot", "agentStop"),
    ],
)
def test_an_event_without_an_id_that_happened_twice_is_two_and_a_redelivery_is_one(
    store: sqlite3.Connection, agent: str, name: str
) -> None:
    value = payload(agent, name)
    later = value | {"timestamp": "2026-11-29T23:00:00.001Z" if agent == "gemini-cli" else 1_796_030_412_777}
    assert deliver(store, agent, value, "a" * 32) == "stored"
    assert deliver(store, agent, value, "a" * 32) == "duplicate"
    assert deliver(store, agent, value) == "duplicate"
    assert deliver(store, agent, later) == "stored"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("cursor", "postToolUse.Shell"),
        ("cursor", "beforeSubmitPrompt.null_email_no_transcript"),
        ("cursor", "stop"),
        ("copilot", "PostToolUse.pascal"),
        ("copilot", "UserPromptSubmit.pascal"),
        ("copilot", "SessionEnd.pascal"),
    ],
)
@pytest.mark.parametrize("first", ["own", "claude-code"])
def test_two_configurations_make_one_observation(store: sqlite3.Connection, agent: str, name: str, first: str) -> None:
    value = payload(agent, name)
    ways = [agent, "claude-code"] if first == "own" else ["claude-code", agent]
    assert [deliver(store, way, value) for way in ways] == ["stored", "duplicate"]
    assert [row["agent"] for row in store.execute("SELECT agent FROM observations")] == [agent]


def test_opencodes_two_ways_of_telling_a_call_make_one_observation(store: sqlite3.Connection) -> None:
    names = ("tool.execute.after.edit", "event.message.part.updated.tool_completed")
    assert [deliver(store, "opencode", payload("opencode", name)) for name in names] == ["stored", "duplicate"]


def test_two_agents_with_one_id_are_two(store: sqlite3.Connection) -> None:
    ours = payload("cursor", "postToolUse.Shell")
    theirs = payload("codex", "PostToolUse.Bash", tool_use_id=ours["tool_use_id"], session_id=ours["conversation_id"])
    assert deliver(store, "cursor", ours) == deliver(store, "codex", theirs) == "stored"


@pytest.mark.parametrize(("agent", "name"), EVERY)
def test_the_hook_in_two_configurations_of_one_agent_makes_one_observation(
    store: sqlite3.Connection, agent: str, name: str
) -> None:
    """As with the user's settings and the project's: the same words twice, a moment apart."""
    value, between = payload(agent, name), 900
    again = value | ({"ts": value["ts"] + between} if "ts" in value else {})
    first = deliver(store, agent, value, at=NOW - NOW % 2_000 + 1_990)  # the next is in another moment
    second = deliver(store, agent, again, at=NOW - NOW % 2_000 + 1_990 + between)
    assert (first, second) in {("stored", "duplicate"), ("ignored", "ignored"), ("ignored", "duplicate")}


@pytest.mark.parametrize("name", ["SessionStart.compact", "PreCompact.auto", "SessionEnd.other"])
def test_what_happens_again_later_is_another(store: sqlite3.Connection, name: str) -> None:
    for later in (0, 4_000, 60_000):
        assert deliver(store, "claude-code", payload("claude-code", name), at=NOW + later) == "stored"
