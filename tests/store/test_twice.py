"""Events of agents that give them no ids: what really happened twice is two, what comes again is one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui_memory.config import CaptureSettings
from tui_memory.store.connection import store_key
from tui_memory.store.db import Store
from tui_memory.store.ingest import Delivery, receive

FIXTURES = Path(__file__).parent.parent / "fixtures"
AGENTS = ("gemini-cli", "copilot")
EVENTS = [(agent, path) for agent in AGENTS for path in sorted((FIXTURES / agent).glob("*.json"))]


@pytest.mark.parametrize(("agent", "path"), EVENTS, ids=lambda one: one if isinstance(one, str) else one.name)
def test_the_same_words_a_moment_later_are_another_event_and_a_redelivery_is_none(
    tmp_path: Path, agent: str, path: Path
) -> None:
    first = json.loads(path.read_text("utf-8"))
    stamp = first["timestamp"]
    second = first | {"timestamp": stamp + 1 if isinstance(stamp, int) else f"{stamp[:19]}.777Z"}
    with Store(tmp_path / "store") as store:
        key = store_key(store.home)

        def arrives(payload: dict[str, Any], delivery: str) -> str:
            sent = Delivery(delivery, agent, 1_700_000_000_000)
            return receive(store.connection, sent, payload, CaptureSettings(), key).outcome

        outcomes = [arrives(first, "a"), arrives(first, "a"), arrives(first, "b"), arrives(second, "c")]
        if outcomes[0] == "ignored":
            assert "stored" not in outcomes
        else:
            assert outcomes == ["stored", "duplicate", "duplicate", "stored"]
