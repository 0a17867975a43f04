"""export and import, as typed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory


def test_what_was_written_is_said_and_can_be_read_again(shell: Shell, memory: Memory, tmp_path: Path) -> None:
    ids = memory.add_many([{"title": "Retries stop", "text": "at the deadline"}, {"title": "gone"}])
    memory.delete(ids[1])
    file = tmp_path / "m.jsonl"
    answer = shell("export", str(file), "--journal")
    assert answer.code == 0 and f"Exported 2 memories, 3 changes to {file}" in answer.out
    assert "1 of them is in the trash" in answer.out
    report = shell("import", str(file), "--json").json
    assert (report["new"], report["changed"], report["known"]) == (0, 0, 2)


def test_the_ending_says_the_format_and_the_option_says_it_louder(shell: Shell, memory: Memory, tmp_path: Path) -> None:
    memory.add_many([{"title": "Retries stop"}])
    assert shell("export", str(tmp_path / "m.md"), "--json").json["format"] == "markdown"
    assert "## Retries stop" in (tmp_path / "m.md").read_text()
    assert shell("export", str(tmp_path / "m.txt"), "--format", "markdown", "--json").json["format"] == "markdown"


def test_filters_are_the_lists_filters(shell: Shell, memory: Memory, tmp_path: Path) -> None:
    memory.add_many([{"title": "a", "project": "one", "kind": "bugfix"}, {"title": "b", "project": "two"}])
    file = str(tmp_path / "m.jsonl")
    assert shell("export", file, "--project", "one", "--json").json["memories"] == 1
    assert shell("export", file, "--kind", "decision", "--json", "--yes").json["memories"] == 0
    assert shell("export", file, "--all-projects", "--json", "--yes").json["memories"] == 2


def test_exit_codes(shell: Shell, memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("# Mine\n")
    refused = shell("export", str(tmp_path / "mine.md"))
    assert refused.code == 4 and "--yes" in refused.err and (tmp_path / "mine.md").read_text() == "# Mine\n"
    assert shell("export", str(tmp_path / "mine.md"), "--yes").code == 0
    again = shell("export", str(tmp_path / "mine.md"))
    assert again.code == 4 and "is an earlier export. Nothing was written. --yes writes over it." in again.err
    assert shell("export", str(tmp_path / "none" / "m.jsonl")).code == 3
    assert shell("export", str(tmp_path / "m.md"), "--journal").code == 2
    assert shell("export").code == 2
    assert shell("export", os.path.join(os.environ["TUI_MEMORY_HOME"], "m.jsonl")).code == 4


def test_a_broken_file_is_refused_by_its_line(shell: Shell, memory: Memory, tmp_path: Path) -> None:
    memory.add_many([{"title": "a"}, {"title": "b"}])
    file = tmp_path / "m.jsonl"
    shell("export", str(file))
    parts = file.read_text().splitlines()
    file.write_text("\n".join([*parts[:2], parts[2][:40]]))
    answer = shell("import", str(file))
    assert answer.code == 2 and "line 3: it was cut off" in answer.err and "Nothing was imported" in answer.err


def test_another_store_takes_it_and_undo_takes_it_back(
    shell: Shell, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add_many([{"title": "Retries stop", "kind": "decision"}])
    file = tmp_path / "m.jsonl"
    shell("export", str(file))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "second"))
    assert "1 would be added" in shell("import", str(file), "--dry-run").out
    answer = shell("import", str(file))
    assert "1 added, 0 changed, 0 known already · tui-memory undo takes it back" in answer.out
    assert [one["title"] for one in shell("list", "--json").json["memories"]] == ["Retries stop"]
    shell("undo")
    assert shell("list", "--state", "all", "--json").json == {"memories": []}


def test_the_file_holds_no_ids_of_this_store(shell: Shell, memory: Memory, tmp_path: Path) -> None:
    memory.add_many([{"title": "a"}])
    shell("export", str(tmp_path / "m.jsonl"))
    record = json.loads((tmp_path / "m.jsonl").read_text().splitlines()[1])
    assert record["uid"] == memory.memories()[0].uid and "id" not in record
