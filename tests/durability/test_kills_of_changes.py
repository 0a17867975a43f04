"""Two processes change, merge, purge and keep up one store, and are killed wherever they are: the store is whole.

Whole: the file is sound, rows, labels, words and journal agree, and whoever comes next can do all of it at once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from tests.store.test_journal_properties import check_rows
from tui_memory import Memory, config
from tui_memory.store import rows
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

TOGETHER = 2
AT_WORK = """
    import random, sys
    from tui_memory import Memory, config
    from tui_memory.errors import TuiMemoryError
    upkeep = config.UpkeepSettings(max_memories=60, max_bytes=3_000_000, grace_days=0, merge_duplicates=0.95)
    settings = config.Settings(compress=config.CompressSettings(routes=("extractive",)), upkeep=upkeep)
    memory, choose = Memory(sys.argv[1], embedding="none", settings=settings), random.Random(int(sys.argv[2]))
    WORDS = "retry pool order queue token index cache deadline".split()

    def text(length=12):
        return " ".join(choose.choices(WORDS, k=length))

    def pick(count=1):
        ids = [one.id for one in memory.memories(limit=200)]
        return choose.sample(ids, count)

    def add():
        memory.add_many([{"title": text(5), "text": text(), "labels": [text(1)]} for _ in range(choose.randint(1, 8))])

    def split():
        made = [one.id for one in memory.get(pick(10)) if one.merged_from]
        memory.split(choose.choice(made))

    def settle():
        case = choose.choice(memory.auditing.cases(limit=5))
        memory.auditing.settle(case.id, choose.choice(["accept", "reject", "snooze"]))

    DEEDS = [
        add, add, add, split, settle,
        lambda: memory.edit(pick()[0], text=text()),
        lambda: memory.merge(pick(2)),
        lambda: memory.supersede(*pick(2)),
        lambda: memory.delete(pick(2)),
        lambda: memory.undo(choose.randint(1, 3)),
        lambda: memory.redo(choose.randint(1, 3)),
        lambda: memory.purge(ids=pick(2), yes=True),
        lambda: memory.purge(match=text(3), yes=True),
        lambda: memory.upkeep.run(full=True),
    ]
    memory.store
    print("ready", flush=True)
    while True:
        try:
            choose.choice(DEEDS)()
        except (TuiMemoryError, ValueError, IndexError):
            pass  # refused, or too few to choose from
"""


def begun(home: Path, seed: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(AT_WORK), str(home), str(seed)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def check_journal(store: Store) -> None:
    """The last that the journal says of each memory is what it is, but for ties to what was purged since."""
    last: dict[int, dict[str, Any] | None] = {}
    for entry in reversed(Changes(store).history(limit=1_000_000)):
        last[entry.memory] = entry.after
    there = {row[0] for row in store.rows("SELECT id FROM memories")}
    for id_ in there:
        present = rows.state_of(store.connection, id_)
        said = last[id_]
        assert (said is not None) is rows.is_listed(present)
        if said is not None:
            tied = {name: said[name] if said[name] in there else None for name in ("superseded_by", "merged_into")}
            assert present == said | tied


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_is_killed_the_store_is_whole_and_the_next_goes_on(tmp_path: Path, seed: int) -> None:
    home, wait = tmp_path / "store", random.Random(seed)
    for turn in range(3):
        together = [begun(home, 100 * seed + 10 * turn + number) for number in range(TOGETHER)]
        time.sleep(wait.uniform(0.2, 1.2))
        for process in together:
            os.kill(process.pid, signal.SIGKILL)
        for process in together:
            process.communicate()
        with Memory(home, embedding="none", settings=config.Settings()) as memory:
            assert memory.store.rows("PRAGMA integrity_check")[0][0] == "ok"
            assert memory.store.rows("PRAGMA foreign_key_check") == []
            check_rows(memory.store)
            check_journal(memory.store)
            done = memory.upkeep.run(full=True)  # the lease died with its holder
            assert not done.refreshed.busy and not done.evicted.busy
