"""What makes no sense as asked is a sentence, through the library and on the command line; nothing is a defect."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tui_memory import Filters, Memory
from tui_memory.errors import UsageError

HALF = "half \udcff"
HUGE = 10**30


@pytest.mark.parametrize("limit", [-1, 0, HUGE, "3", 1.5])
def test_a_search_wants_a_limit_that_is_one(memory: Memory, limit: Any) -> None:
    with pytest.raises(UsageError, match="limit"):
        memory.search("anything", limit=limit)


@pytest.mark.parametrize(
    "wrong", [{"since": "garbage"}, {"until": 1.5}, {"since": True}, {"branch": "main"}, {"label": (1,)}]
)
def test_filters_of_another_type_are_named(memory: Memory, wrong: dict[str, Any]) -> None:
    filters = Filters(**wrong)
    for ask in (memory.memories, memory.count, memory.facets, memory.observations):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            ask(filters)
    with pytest.raises(UsageError, match=next(iter(wrong))):
        memory.search("anything", filters=filters)


def test_what_no_store_can_hold_is_a_sentence(memory: Memory) -> None:
    with pytest.raises(UsageError, match="larger than"):
        memory.memories(limit=HUGE)
    with pytest.raises(UsageError, match="no characters"):
        memory.memories(Filters(label=(HALF,)))


def test_half_a_character_is_asked_for_like_any_text(memory: Memory) -> None:
    id_ = memory.add(title=HALF, text=HALF, labels=[HALF], files=[HALF])
    assert memory.get(id_)[0].title == "half \ufffd"
    assert [hit.id for hit in memory.search(HALF)] == [id_]
    assert memory.context(prompt=HALF).memories in ([], [id_])
    assert memory.evaluating.judge(HALF, id_, relevant=True).query == "half \ufffd"


@pytest.mark.parametrize(
    "arguments",
    [
        ["context", "--prompt", b"a\xff"], ["list", "--label", b"a\xff"], ["search", b"a\xff"],
        ["add", "--title", b"\xfe"], ["search", "x", "--limit", "0"], ["timeline", "1", "--before", str(HUGE)],
        ["judge", b"a\xff", "1", "--relevant"], ["list", "--limit", str(HUGE)], ["history", "--limit", str(HUGE)],
        ["observations", "--limit", str(2**63)],
    ],
)  # fmt: skip
def test_a_command_says_so_and_leaves_with_2(arguments: list[str | bytes]) -> None:
    command: list[str | bytes] = [sys.executable, "-m", "tui_memory", *arguments]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONPATH": str(Path.cwd())}, timeout=60)
    said = done.stderr.decode()
    assert done.returncode == 2 and done.stdout == b""
    assert said.startswith("tui-memory: ") and "defect" not in said and "Traceback" not in said
