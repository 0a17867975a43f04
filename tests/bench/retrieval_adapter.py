"""The retrieval benchmarks' view of this program: memories added and searched through `Memory`, default profile.

cd $TUI_MEMORY_BENCH && PYTHONPATH=CHECKOUT python episodic_eval.py tests.bench.retrieval_adapter:Ours --mode within

A store is made once a set of memories and kept in the temporary directory: the model takes minutes for it, and each
run and each form of the questions asks the same one. It is made anew where chunks, tokens or tables would be others.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from tui_memory import Filters, Memory
from tui_memory.engine import bodies
from tui_memory.index import chunking
from tui_memory.redact import engine
from tui_memory.store import rows, search_text
from tui_memory.store.migrations import m001_first

_MAKERS = (chunking, search_text, bodies, rows, engine, m001_first)
"""Modules whose code says what a kept store holds."""
_DATES = ("%I:%M %p on %d %B, %Y",)


class Ours:
    """One store a set of memories; ids of the benchmark beside ours."""

    name = "tui-memory"

    def __init__(self) -> None:
        self._theirs: dict[int, str] = {}

    def add(self, items: Sequence[Mapping[str, Any]]) -> None:
        """All of a benchmark's memories at once; what an interrupted run had embedded is not embedded again."""
        given = [_item(item["text"], item["meta"]) for item in items]
        home = _home(given)
        self.memory = Memory(home)
        named = home / "ids.json"
        if not named.exists():
            named.write_text(json.dumps(self.memory.add_many(given, embed=False)))
        self.memory.embedding.embed_missing()
        ids = json.loads(named.read_text())
        self._theirs.update(zip(ids, (str(item["id"]) for item in items), strict=True))

    def search(self, query: str, k: int, where: Mapping[str, str] | None) -> list[str]:
        """The benchmark's ids, best first."""
        filters = Filters(project=where["scope"]) if where else Filters()
        return [self._theirs[hit.id] for hit in self.memory.search(query, limit=k, filters=filters)]


def _home(given: list[dict[str, Any]]) -> Path:
    """Where the store of these memories is kept, as today's program would make it."""
    made = sha256(json.dumps(given).encode())
    for maker in _MAKERS:
        made.update(Path(str(maker.__file__)).read_bytes())
    return Path(tempfile.gettempdir()) / f"tui-memory-bench-retrieval-{made.hexdigest()[:12]}"


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
