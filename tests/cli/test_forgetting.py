"""purge, scrub, pause, resume as they are typed: counts, refusals with their codes, what programs get."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.store.erased import found, reader
from tui_memory.engine.memory import Memory
from tui_memory.store import erasing

WORD = "quokkabolt41"


@pytest.fixture
def three(memory: Memory) -> list[int]:
    """Three memories of one project, the first with a word of its own."""
    return memory.add_many([
        {"title": f"Memory {n}", "text": WORD if n == 1 else "kept", "project": "orderly"} for n in (1, 2, 3)
    ])  # fmt: skip


def test_a_dry_run_says_the_count_first_and_how_to_go_on(shell: Shell, three: list[int]) -> None:
    answer = shell("purge", "--match", WORD, "--dry-run")
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "1 would be purged: 1 memory, 0 observations",
        "  orderly: 1 of 3 memories, 0 of 0 observations",
    ]
    assert "Nothing was changed" in answer.err and "--expect 1" in answer.err


def test_a_purge_is_refused_until_it_is_meant(shell: Shell, memory: Memory, three: list[int]) -> None:
    for typed in ("--yes", f"--match {WORD}", "--project orderly --yes", "--id 1 --yes --expect 2"):
        answer = shell("purge", *typed.split())
        assert (answer.code, answer.out) == (4, ""), typed
        assert "Nothing was changed" in answer.err
    assert memory.count() == 3


@pytest.mark.parametrize(
    "arguments",
    [["--match", "("], ["--match", ".*"], ["--id", "1", "--match", "x"], ["--id", "none"], ["1"]],
    ids=" ".join,
)
def test_what_makes_no_sense_is_wrong_usage(shell: Shell, three: list[int], arguments: list[str]) -> None:
    assert shell("purge", *arguments, "--yes").code == 2


def test_what_was_never_there(shell: Shell, three: list[int]) -> None:
    assert shell("purge", "--id", "99", "--yes").code == 3
    assert shell("purge", "--session", "none", "--yes").code == 3


def test_it_is_gone_and_says_so(shell: Shell, memory: Memory, machine: Path, three: list[int]) -> None:
    answer = shell("purge", "--id", str(three[0]), "--yes")
    assert answer.out.splitlines()[0] == "1 purged: 1 memory, 0 observations"
    assert "cannot be undone" in answer.out
    assert found(machine / "store", WORD) == []
    assert shell("show", str(three[0])).code == 3 and "was purged" in shell("show", str(three[0])).err
    assert re.search(r"purge +1 +\(purged\)", shell("history", str(three[0])).out)
    assert shell("history", "--json").json["entries"][0]["after"] is None


def test_several_ids_and_the_count(shell: Shell, memory: Memory, three: list[int]) -> None:
    ids = [str(id_) for id_ in three[:2]]
    assert shell("purge", "--id", *ids, "--yes").code == 4
    given = shell("purge", "--id", *ids, "--yes", "--expect", "2", "--json").json
    assert (given["count"], given["memories"], given["dry_run"], given["resumed"]) == (2, 2, False, False)
    assert given["projects"][0]["of_memories"] == 3
    assert memory.count() == 1


def test_a_reader_makes_it_unfinished_and_the_same_command_finishes_it(
    shell: Shell, machine: Path, three: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "PATIENCE", 0.1)
    command = ("purge", "--match", WORD, "--yes")
    with reader(machine / "store", transaction=True):
        answer = shell(*command)
        assert answer.code == 5 and "same" in answer.err and "command again" in answer.err
    again = shell(*command)
    assert again.code == 0 and "Nothing of it is left" in again.out
    assert found(machine / "store", WORD) == []


def test_scrub_reports_by_kind(shell: Shell, memory: Memory, machine: Path) -> None:
    password = "".join(("Tr0ub4dor", "Zx9", "kLm2"))
    memory.add(title="x")
    assert "nothing that today's rules would mask" in shell("scrub").out
    with memory.store.transaction() as connection:
        connection.execute("UPDATE versions SET text = ?", (f"password = {password}",))
    assert shell("scrub", "--dry-run").out.splitlines() == [
        "1 rows would be masked, of 1 looked at", "  versions: 1", "  [password] 1",
    ]  # fmt: skip
    given = shell("scrub", "--json").json
    assert (given["changed"], given["kinds"], given["finished"]) == ({"versions": 1}, {"password": 1}, True)
    assert found(machine / "store", password) == []


def test_pause_and_resume(shell: Shell, memory: Memory) -> None:
    memory.add(title="x", project="orderly")
    assert "tui-memory resume takes it back" in shell("pause", "--for", "2h").out
    assert shell("pause", "--project", "orderly", "--json").json == {"project": "orderly", "until": None}
    resumed = shell("resume")
    assert resumed.out == "Capture goes on\n" and "Still paused: orderly" in resumed.err
    assert shell("resume", "--project", "orderly", "--json").json == {
        "project": "orderly", "resumed": True, "paused": [],
    }  # fmt: skip
    assert shell("resume").out == "Nothing was paused\n"
    assert shell("pause", "--for", "soon").code == 2
    refused = shell("pause", "--for", "0h")
    assert refused.code == 2 and "say how long" in refused.err and shell("resume").out == "Nothing was paused\n"
    assert shell("pause", "--project", "none-such").code == 3
