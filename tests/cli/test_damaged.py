"""A store whose file is damaged, wherever: every command says so in a sentence, and none calls it its own defect."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.shell import Answer, Shell
from tests.damage import settled
from tui_memory.engine.memory import Memory

COMMANDS: list[list[str]] = [
    ["list", "--all-projects"], ["list"], ["show", "1"], ["search", "retries"], ["timeline", "1"], ["context"],
    ["observations"], ["history"], ["add", "--title", "a", "--text", "b"], ["edit", "1", "--title", "c"],
    ["delete", "1"], ["undo"], ["pin", "2"], ["audit"], ["judge", "q", "1", "--relevant"], ["evaluate"],
    ["profiles"], ["purge", "--id", "1", "--dry-run"], ["scrub", "--dry-run"], ["pause"], ["upkeep", "--dry-run"],
    ["rebuild", "--search"], ["compress", "--now"], ["worker", "status"], ["project", "list"], ["project", "show"],
    ["stats"], ["doctor"], ["hub", "status"], ["export", "--all-projects", "all.jsonl"],
]  # fmt: skip


@pytest.fixture
def whole(machine: Path) -> Path:
    """A store's file with a few memories, all of it in the file itself."""
    with Memory(embedding="none") as memory:
        for number in range(3):
            memory.add(title=f"Retries stop at {number}", text="at the deadline")
    return settled(machine / "store")


def damaged(file: Path) -> Iterator[str]:
    """The file, damaged at the first page of one of its tables or indexes after the other: what is damaged."""
    content = file.read_bytes()
    with closing(sqlite3.connect(file)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        roots = connection.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage").fetchall()
    for name, page in roots[:: max(1, len(roots) // 5)]:
        begin = (page - 1) * size
        for ending in ("-wal", "-shm"):
            Path(f"{file}{ending}").unlink(missing_ok=True)
        file.write_bytes(content[:begin] + b"\xee" * size + content[begin + size :])
        yield name


def is_a_sentence(answer: Answer) -> bool:
    said = answer.out + answer.err
    return answer.code in range(6) and "defect" not in said and "Traceback" not in said


def test_no_command_takes_a_damaged_store_for_its_own_defect(whole: Path, shell: Shell) -> None:
    places = list(damaged(whole))
    assert len(places) >= 5
    for place in damaged(whole):
        for command in COMMANDS:
            answer = shell(*command)
            assert is_a_sentence(answer), (place, command, answer)


def test_the_doctor_names_the_damage_and_what_mends_it(whole: Path, shell: Shell) -> None:
    for place in damaged(whole):
        found = json.loads(shell("doctor", "--json").out)
        store = next(check for check in found["checks"] if check["id"] == "store")
        assert not found["ok"] and "damaged" in store["what"] and "restore-backup" in store["fix"], (place, store)
