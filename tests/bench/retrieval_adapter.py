"""The retrieval benchmarks' view of this program: memories added and searched through `Memory`, default profile.

cd $TUI_MEMORY_BENCH && PYTHONPATH=CHECKOUT python episodic_eval.py tests.bench.retrieval_adapter:Ours --mode within
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tui_memory import Filters, Memory

_DATES = ("%I:%M %p on %d %B, %Y",)


class Ours:
    """One throw-away store; ids of the benchmark beside ours."""

    name = "tui-memory"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tui-memory-bench-")
        self.memory = Memory(Path(self._folder.name))
        self._theirs: dict[int, str] = {}

    def add(self, items: Sequence[Mapping[str, Any]]) -> None:
        """All of a benchmark's memories at once."""
        ids = self.memory.add_many([_item(item["text"], item["meta"]) for item in items])
        self._theirs.update(zip(ids, (str(item["id"]) for item in items), strict=True))

    def search(self, query: str, k: int, where: Mapping[str, str] | None) -> list[str]:
        """The benchmark's ids, best first."""
        filters = Filters(project=where["scope"]) if where else Filters()
        return [self._theirs[hit.id] for hit in self.memory.search(query, limit=k, filters=filters)]


def _item(text: str, meta: Mapping[str, Any]) -> dict[str, Any]:
    """A benchmark's memory in the words of `add_many`."""
    item: dict[str, Any] = {"text": text, "project": meta["scope"]}
    if meta.get("subject"):
        item["title"] = meta["subject"]
    if meta.get("files"):
        item["files"] = meta["files"]
    if meta.get("session") is not None:
        item["session"] = f"{meta['scope']}/{meta['session']}"
    moment = _moment(meta)
    return item | ({"created": moment} if moment else {})


def _moment(meta: Mapping[str, Any]) -> int:
    """Milliseconds since the epoch of a commit's seconds or a conversation's date, 0 where there is none."""
    stamp = meta.get("ts")
    if isinstance(stamp, int | float):
        return int(stamp * 1000)
    if isinstance(stamp, str):
        return int(datetime.fromisoformat(stamp).timestamp() * 1000)
    for form in _DATES:
        if meta.get("date"):
            return int(datetime.strptime(meta["date"], form).replace(tzinfo=UTC).timestamp() * 1000)
    return 0
