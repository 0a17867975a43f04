"""Upkeep by the worker: pairs as memories arrive, stale names after a commit, limits; nobody has to ask."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.hook.running import until
from tests.upkeep import labelled
from tui_memory import Memory
from tui_memory.engine import worker_client


@pytest.fixture
def quick(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A worker with a small limit."""
    Path(os.environ["TUI_MEMORY_CONFIG"]).write_text("upkeep: {max_memories: 5, merge_duplicates: 0.8}\n")
    worker_client.start(home, idle=60)
    return home


def test_the_worker_finds_merges_and_evicts(quick: Path, tmp_path: Path) -> None:
    folder = tmp_path / "orderly"
    folder.mkdir()
    (folder / "client.py").write_text("class PaylaneClient: pass\n")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "Begin"), ("rm", "-q", "client.py"),
                      ("commit", "-qm", "Remove")):  # fmt: skip
        who = ["git", "-c", "user.name=Robin", "-c", "user.email=robin@example.com", "-C", str(folder)]
        subprocess.run([*who, *arguments], check=True, capture_output=True)
    told = labelled.pairs("same")[1]
    with Memory(quick, embedding="worker") as memory:
        pair = memory.add_many([
            {"title": text.title, "text": text.text, "kind": "decision", "project": str(folder)}
            for text in (told.one, told.other)
        ])  # fmt: skip
        named = memory.add(title="Client", text="`PaylaneClient` retries.", kind="decision", project=str(folder))
        assert until(lambda: {one.state for one in memory.get(pair)} == {"merged"}, 90)
        assert until(lambda: memory.get(named)[0].gone == ["PaylaneClient"], 90)
        entry = next(entry for entry in memory.history(pair[0]) if entry.action == "merge")
        assert entry.actor == "upkeep"
