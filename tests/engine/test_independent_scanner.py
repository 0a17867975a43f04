"""A scanner of other people's making looks over a store: nothing is left that it would report. Offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tui_memory import Memory
from tui_memory.redact.spans import PLACEHOLDER
from tui_memory.store import leaves
from tui_memory.store.db import Store

sdk = pytest.importorskip("kingfisher_sdk", reason="kingfisher-secret-scanner is not installed")

# Values of the shapes that providers give out, put together here so that no scanner finds them in this file.
PLANTED = {
    "GITHUB_TOKEN": "ghp_" + "".join(("16C7e42F29", "2c6912E7710c", "838347Ae178B4a")),
    "SLACK_BOT_TOKEN": "xoxb-" + "-".join(("263594206564", "2343594206574", "FGqddMF8t08v8N7Oq4i57vs1")),
    "DATABASE_URL": "postgres://orderly:" + "".join(("pR9x", "Lm42", "Qw7z")) + "@db.orders.internal/orderly",
    "STRIPE_KEY": "sk_live_" + "".join(("4eC39HqLyj", "WDarjtT1zd", "p7dc")),
    "GOOGLE_KEY": "AIza" + "".join(("SyD9x7Qw3R", "t5Yu8Io1Pa", "2Sd4Fg6Hj8", "Kl0Zx")),
}


@pytest.fixture(scope="module")
def scanner() -> Any:
    """Every built-in rule; one object for all tests, for the rules take seconds to compile."""
    return sdk.Scanner(sdk.Rules(cache=False))


def reported(scanner: Any, path: Path, texts: list[str]) -> list[str]:
    """What is reported in these texts, our placeholders aside: to a scanner they look like passwords."""
    path.write_text("\n".join(texts), "utf-8", "replace")
    seen = [finding for finding in scanner.scan_file(str(path)) if finding.visible]
    return [str(finding.to_dict()) for finding in seen if not PLACEHOLDER.match(finding.secret)]


def texts_of(store: Store) -> list[str]:
    """Every text of every observation and version."""
    found: list[str] = []
    for table, columns in (("observations", leaves.OBSERVATION), ("versions", leaves.VERSION)):
        for rows in leaves.batches(store.connection, table, list(columns)):
            found += [text for row in rows for text in leaves.of(row, columns)]
    return found


def events() -> list[dict[str, Any]]:
    """A session in which secrets come by in every usual way."""
    lines = [f"export {name}={value}" for name, value in PLANTED.items()]
    bash = {"hook_event_name": "PostToolUse", "tool_name": "Bash"}
    return [
        {"hook_event_name": "UserPromptSubmit", "prompt": "Use this:\n" + "\n".join(lines)},
        bash | {"tool_input": {"command": "env"}, "tool_response": {"stdout": "\n".join(lines).replace("export ", "")}},
        bash | {"tool_input": {"command": lines[0] + "; gh pr list"}, "tool_response": {"stdout": "none"}},
        *(bash | {"tool_input": {"command": f"curl -H 'Authorization: Bearer {value}' https://x.internal"},
                  "tool_response": {"stdout": f'{{"token": "{value}"}}'}} for value in PLANTED.values()),
        {"hook_event_name": "Stop", "last_assistant_message": "I put " + " and ".join(PLANTED.values()) + " in .env"},
    ]  # fmt: skip


def test_it_finds_them_where_they_are(scanner: Any, tmp_path: Path) -> None:
    assert len(reported(scanner, tmp_path / "raw.txt", [f"{name}={value}" for name, value in PLANTED.items()])) >= 3


def test_it_finds_nothing_in_the_store(memory: Memory, scanner: Any, tmp_path: Path) -> None:
    for event in events():
        memory.capture("claude-code", event | {"session_id": "s1", "cwd": "/nowhere/orderly"})
    memory.capture("claude-code", {"hook_event_name": "SessionEnd", "session_id": "s1", "cwd": "/nowhere/orderly"})
    memory.compress()
    texts = texts_of(memory.store)
    assert memory.count() and len(texts) > len(events())
    assert reported(scanner, tmp_path / "store.txt", texts) == []
    assert not [value for value in PLANTED.values() for text in texts if value in text]


def test_nor_in_the_sample(sampled: tuple[Memory, dict[str, int]], scanner: Any, tmp_path: Path) -> None:
    assert reported(scanner, tmp_path / "sample.txt", texts_of(sampled[0].store)) == []
