"""Whatever an agent sends: never an exception, every delivery accounted for, no secret in the database's bytes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.erased import found
from tui_memory import capture
from tui_memory.config import CaptureSettings
from tui_memory.store import connection, counters, ingest
from tui_memory.store.db import Store

SECRETS = (
    "ghp_" + "".join(("Ab3dEf6hIj", "9lMn2pQr5t", "Uv8xYz1bCd", "4fGh6")) + "0aBcD",
    "sk-ant-api03-" + "".join(("q7Rt", "Yw2Zx9Cv", "Bn4MkLp8")) * 4 + "-AA",
)
KNOWN = "".join(("Sh0rt", "But", "Known!", "7"))

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40)
names = st.sampled_from([
    "session_id", "cwd", "hook_event_name", "prompt", "tool_name", "tool_input", "tool_response", "tool_use_id",
    "command", "file_path", "content", "stdout", "error", "source", "reason", "message", "sha", "branch", "files",
]) | st.text(max_size=12)  # fmt: skip
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5), max_leaves=12
)
events = st.sampled_from(["UserPromptSubmit", "PostToolUse", "PreToolUse", "Stop", "SessionStart", "SessionEnd", "???"])
tools = st.sampled_from(["Bash", "Read", "Edit", "Write", "Grep", "mcp__x__y"])


@st.composite
def payloads(draw: st.DrawFn) -> dict[str, Any]:
    """An agent's event with anything in it, a secret among that."""
    secret = draw(st.sampled_from([*SECRETS, KNOWN]))
    text = f"{draw(st.text(max_size=30))} {secret} {draw(st.text(max_size=30))}"
    holder = draw(st.sampled_from(["prompt", "command", "stdout", "content", "message"]))
    value: dict[str, Any] = draw(st.dictionaries(names, values, max_size=6))
    value |= {"hook_event_name": draw(events), "tool_name": draw(tools), "session_id": draw(st.text(max_size=8))}
    inside = draw(st.sampled_from(["tool_input", "tool_response", ""]))
    return value | ({inside: {holder: text}} if inside else {holder: text})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(payloads() | st.binary(max_size=60), min_size=1, max_size=5), st.sampled_from(capture.AGENTS))
def test_nothing_is_raised_everything_is_counted_and_no_secret_is_written(
    sent: list[dict[str, Any] | bytes], agent: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "store"
        with Store(home) as store:
            key = connection.store_key(home)
            for n, payload in enumerate(sent):
                body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
                delivery = ingest.Delivery(f"d{n}", agent, 1_000 + n, "/home/dev", known=(f"SERVICE_TOKEN={KNOWN}",))
                ingest.receive(store.connection, delivery, body, CaptureSettings(), key)
            counted = counters.all(store)
            dropped = sum(number for name, number in counted.items() if name.startswith("dropped:"))
            assert counted["captured"] == len(sent) == counted.get("stored", 0) + dropped
            texts = [str(tuple(row)) for row in store.rows("SELECT text, detail, files, branch FROM observations")]
            assert not [text for text in texts for secret in (*SECRETS, KNOWN) if secret in text]
            assert found(home, *SECRETS, KNOWN) == []
