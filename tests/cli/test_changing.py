"""Commands that change memories: what they say, what they answer programs, and the way back."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli import processes
from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory


@pytest.fixture
def three(memory: Memory) -> list[int]:
    """Three memories for all projects."""
    return memory.add_many([{"title": f"Memory {n}", "text": f"The text of {n}."} for n in (1, 2, 3)])


def states(memory: Memory, ids: list[int]) -> list[str]:
    return [one.state for one in memory.get(ids)]


def test_delete_acts_on_many_at_once_and_names_the_way_back(shell: Shell, memory: Memory, three: list[int]) -> None:
    answer = shell("delete", *map(str, three))
    assert answer.out == "Deleted 3 memories · tui-memory undo takes it back\n"
    assert (answer.code, answer.err) == (0, "")
    assert states(memory, three) == ["trash"] * 3


def test_undo_takes_the_whole_of_it_back_and_redo_brings_it_again(
    shell: Shell, memory: Memory, three: list[int]
) -> None:
    shell("delete", *map(str, three))
    answer = shell("undo")
    assert answer.out.startswith("Took back: delete of 3 memories (")
    assert "tui-memory redo" in answer.err
    assert states(memory, three) == ["active"] * 3
    assert shell("redo").out.startswith("Brought again: delete of 3 memories (")
    assert states(memory, three) == ["trash"] * 3


def test_what_is_so_already_is_said_and_not_journaled(shell: Shell, three: list[int]) -> None:
    first, second, _ = map(str, three)
    shell("delete", first)
    assert shell("delete", first, second).out == (
        "Deleted 1 memory, 1 was in the trash already · tui-memory undo takes it back\n"
    )
    assert shell("delete", first).out == "Nothing was changed: 1 memory was in the trash already\n"


@pytest.mark.parametrize(
    "command",
    [
        ["delete", "{0}"], ["pin", "{0}"], ["supersede", "{0}", "{1}"], ["edit", "{0}", "--title", "Another"],
        ["edit", "{0}", "--label", "x", "--file", "a.py", "--kind", "decision"], ["edit", "{0}", "--text", "Other"],
        ["edit", "{0}", "--everywhere"], ["edit", "{0}", "--project", "orderly"],
    ],
)  # fmt: skip
def test_what_changes_nothing_names_no_way_back(
    shell: Shell, memory: Memory, three: list[int], command: list[str]
) -> None:
    """Who followed it would take back what they did before."""
    shell("add", "--title", "Makes the project", "--project", "orderly")
    told = []
    for _ in range(3):
        before = len(memory.history())
        answer = shell(*(word.format(*three) for word in command))
        assert answer.code == 0, answer.err
        told.append(answer.out)
        assert ("undo takes it back" in answer.out) == (len(memory.history()) > before), answer.out
        assert answer.out.startswith("Nothing was changed: ") != ("undo takes it back" in answer.out)
    assert told[1] == told[2] and told[2].startswith("Nothing was changed: ")


@pytest.mark.parametrize(
    ("command", "past", "state", "pinned"),
    [("pin", "Pinned", "active", True), ("delete", "Deleted", "trash", False)],
)
def test_a_program_gets_the_memories_as_they_are_now(
    shell: Shell, three: list[int], command: str, past: str, state: str, pinned: bool
) -> None:
    given = shell(command, str(three[0]), "--json").json
    assert given["action"] == command
    assert [(one["id"], one["state"], one["pinned"]) for one in given["memories"]] == [(three[0], state, pinned)]
    assert "text" not in given["memories"][0]


def test_unpin_and_restore_are_the_ways_back(shell: Shell, memory: Memory, three: list[int]) -> None:
    one = str(three[0])
    shell("pin", one)
    assert shell("unpin", one).out.startswith("Unpinned 1 memory")
    shell("delete", one)
    assert shell("restore", one).out.startswith("Restored 1 memory")
    assert (memory.get(one)[0].pinned, memory.get(one)[0].state) == (False, "active")


def test_ids_may_be_numbers_marked_numbers_and_uids(shell: Shell, memory: Memory, three: list[int]) -> None:
    uid = memory.get(three[2])[0].uid
    assert shell("delete", str(three[0]), f"#{three[1]}", uid.upper()).out.startswith("Deleted 3 memories")


def test_the_same_id_twice_is_one_memory(shell: Shell, three: list[int]) -> None:
    assert shell("delete", str(three[0]), f"#{three[0]}").out.startswith("Deleted 1 memory ·")


def test_supersede_says_which_replaces_which(shell: Shell, memory: Memory, three: list[int]) -> None:
    old, new = three[:2]
    assert shell("supersede", str(old), str(new)).out.startswith(f"#{old} is replaced by #{new} · ")
    assert memory.get(old)[0].superseded_by == new


def test_merge_shows_the_result_first_where_asked(shell: Shell, memory: Memory, three: list[int]) -> None:
    answer = shell("merge", *map(str, three[:2]), "--title", "Both", "--dry-run")
    assert answer.out.startswith("Both\n") and "The text of 1." in answer.out and "The text of 2." in answer.out
    assert re.fullmatch(r"Nothing was changed: 2 memories, 0\.\d\d alike, would become this one\.\n", answer.err)
    assert states(memory, three) == ["active"] * 3
    preview = shell("merge", *map(str, three[:2]), "--dry-run", "--json").json["preview"]
    assert preview["title"] == "Memory 2" and "The text of 1." in preview["text"]


def test_merge_and_split(shell: Shell, memory: Memory, three: list[int]) -> None:
    merged = shell("merge", *map(str, three[:2]), "--title", "Both", "--json").json["memories"][0]
    assert (merged["title"], merged["merged_from"]) == ("Both", three[:2])
    assert states(memory, three) == ["merged", "merged", "active"]
    answer = shell("split", str(merged["id"]))
    assert answer.out == f"Took the merge apart: #{three[0]} #{three[1]} are back · tui-memory undo takes it back\n"
    assert states(memory, three) == ["active"] * 3


def test_merge_says_what_became_of_what(shell: Shell, three: list[int]) -> None:
    answer = shell("merge", *map(str, three), "--title", "All")
    assert answer.out == f"Merged 3 memories into #{three[-1] + 1} All · tui-memory undo takes it back\n"


def test_across_projects_it_needs_a_yes(shell: Shell, memory: Memory) -> None:
    ids = [str(id_) for id_ in memory.add_many([{"title": "a", "project": "one"}, {"title": "b", "project": "two"}])]
    assert "of 2 projects: merging them needs --yes" in shell("merge", *ids, "--dry-run").err
    refused = shell("merge", *ids)
    assert refused.code == 4 and "one, two" in refused.err and memory.count() == 2
    assert shell("merge", *ids, "--yes", "--json").json["memories"][0]["project"] is None
    shell("undo")
    assert shell("merge", *ids, "--yes", "--project", "two", "--json").json["memories"][0]["project"] == "two"


def test_a_merge_is_counted_by_its_originals_when_it_is_taken_back_or_apart(shell: Shell, three: list[int]) -> None:
    one, other = three[:2]
    made = shell("merge", str(one), str(other), "--yes", "--json").json["memories"][0]["id"]
    said = f"merge of 2 memories into #{made} (#{one} #{other})\n"
    assert shell("undo").out == f"Took back: {said}"
    assert shell("redo").out == f"Brought again: {said}"
    shell("split", str(made))
    assert shell("undo").out == f"Took back: split of #{made} into 2 memories (#{one} #{other})\n"


def test_a_merge_that_no_model_can_word_is_by_rule_and_says_why(shell: Shell, three: list[int]) -> None:
    answer = shell("merge", *map(str, three[:2]), "--written", "--dry-run")
    assert answer.code == 0 and "Not worded by a model: " in answer.err and "The text of 1." in answer.out


def test_any_entry_can_be_taken_back_by_its_id(shell: Shell, memory: Memory, three: list[int]) -> None:
    with Memory(embedding="none", actor="upkeep") as upkeep:
        upkeep.delete(three[0])
    shell("pin", str(three[1]))
    entry = next(one for one in shell("history", "--json").json["entries"] if one["actor"] == "upkeep")
    answer = shell("undo", "--entry", str(entry["id"]))
    assert answer.out.startswith(f"Took back: delete of #{three[0]}")
    assert (memory.get(three[0])[0].state, memory.get(three[1])[0].pinned) == ("active", True)
    assert shell("undo", "--entry", str(entry["id"])).code == 4
    assert shell("undo", "--entry", "999999").code == 3
    assert shell("undo", "2", "--entry", str(entry["id"])).code == 2
    undoing = shell("history", "--json").json["entries"][0]
    assert shell("undo", "--entry", str(undoing["id"])).out.startswith("Brought again: ")
    assert memory.get(three[0])[0].state == "trash"


def test_undo_says_where_it_stops(shell: Shell, memory: Memory, three: list[int]) -> None:
    version = memory.get(three[0])[0].version
    memory.edit(three[0], title="new words")
    memory.pin(three[1])
    memory.pin(three[2])
    with memory.store.transaction() as connection:  # as where old texts are given up for room
        connection.execute("DELETE FROM versions WHERE id = ?", (version,))
    answer = shell("undo", "9")
    assert answer.code == 0 and "2 of 9: that is as far back as undo reaches" in answer.err
    assert memory.get(three[0])[0].title == "new words"
    answer = shell("undo")
    assert answer.code == 4 and "no longer kept" in answer.err and "Nothing was changed" in answer.err


def test_a_refusal_shows_both_versions(shell: Shell, memory: Memory, three: list[int]) -> None:
    shell("edit", str(three[0]), "--text", "first line\nas a person left it")
    with Memory(embedding="none", actor="agent:codex") as agent:
        agent.edit(three[0], text="first line\nas an agent has it")
    answer = shell("undo")
    assert answer.code == 4
    assert "text, as left: “as a person left it”" in answer.err and "text, now:     “as an agent has it”" in answer.err


def test_one_memory_is_nothing_to_merge(shell: Shell, three: list[int]) -> None:
    answer = shell("merge", str(three[0]))
    assert answer.code == 2 and "at least 2 IDs" in answer.err


def test_history_is_every_change_newest_first(shell: Shell, memory: Memory, three: list[int]) -> None:
    shell("delete", str(three[0]))
    shell("undo")
    entries = shell("history", str(three[0]), "--json").json["entries"]
    assert {"id", "time", "actor", "action", "memory", "before", "after", "undone"} <= set(entries[0])
    assert [entry["action"] for entry in entries][-2:] == ["delete", "add"]
    shown = shell("history", str(three[0])).out.splitlines()
    assert shown[0].split() == ["ENTRY", "AGE", "WHO", "ACTION", "MEMORY", "TITLE", "CHANGED"]
    assert any("active → trash" in line and line.endswith("taken back") for line in shown)


def test_nothing_to_take_back_is_said_and_is_no_failure(shell: Shell, memory: Memory) -> None:
    for command, key in (("undo", "undone"), ("redo", "redone")):
        answer = shell(command)
        assert (answer.code, answer.out) == (0, "") and answer.err.startswith("There is nothing to")
        assert shell(command, "--json").json == {key: []}


def test_add_tells_the_new_id_and_keeps_every_field(shell: Shell) -> None:
    answer = shell(
        "add", "--title", "Retries stop at the deadline", "--text", "-", "--kind", "convention", "--label", "http",
        "--label", "retry", "--file", "net/client.py", "--everywhere", stdin="Never beyond it.\n日本 é\n",
    )  # fmt: skip
    assert answer.out == "Added #1 Retries stop at the deadline (for all projects) · tui-memory undo takes it back\n"
    kept = shell("show", "1", "--json").json["memories"][0]
    assert (kept["text"].strip(), kept["kind"], kept["labels"]) == (
        "Never beyond it.\n日本 é",
        "convention",
        ["http", "retry"],
    )
    assert (kept["files"], kept["project"], kept["made_by"]["route"]) == (["net/client.py"], None, "person")


def test_add_takes_its_title_from_the_text(shell: Shell) -> None:
    made = shell("add", "--text", "Use httpx.\nNot requests.", "--json").json["memories"][0]
    assert made["title"] == "Use httpx."


def test_add_without_anything_says_what_to_give(shell: Shell) -> None:
    answer = shell("add")
    assert answer.code == 2 and "--title T" in answer.err and "--text -" in answer.err


def test_add_refuses_what_is_not_text(shell: Shell) -> None:
    answer = shell("add", "--text", "-", stdin=b"\xff\xfe\x00")
    assert answer.code == 2 and "not UTF-8" in answer.err


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", ""])
def test_add_refuses_what_is_not_text_whatever_the_locale(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, locale: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 4)
    with open(tmp_path / "noise") as noise:
        code, out, err = processes.finish(processes.start("add", "--text", "-", stdin=noise.fileno()))
    assert (code, out) == (2, "") and "not UTF-8" in err
    assert shell("list", "--all-projects", "--json").json["memories"] == []


def test_add_from_an_input_that_is_closed_says_so(shell: Shell) -> None:
    command = f'"{sys.executable}" -m tui_memory add --text - <&-'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, cwd=processes.ROOT)
    assert done.returncode == 2 and "Standard input is closed" in done.stderr and "defect" not in done.stderr


def test_edit_changes_what_is_named_and_nothing_else(shell: Shell, three: list[int]) -> None:
    answer = shell("edit", str(three[0]), "--title", "Better", "--label", "http")
    assert answer.out == f"Changed #{three[0]} Better (for all projects) · tui-memory undo takes it back\n"
    kept = shell("show", str(three[0]), "--json").json["memories"][0]
    assert (kept["title"], kept["text"], kept["labels"]) == ("Better", "The text of 1.", ["http"])
    shell("undo")
    assert shell("show", str(three[0]), "--json").json["memories"][0]["title"] == "Memory 1"


def test_edit_of_nothing_says_what_can_be_changed(shell: Shell, three: list[int]) -> None:
    answer = shell("edit", str(three[0]))
    assert answer.code == 2 and "Nothing to change was named" in answer.err


@pytest.mark.parametrize("command", ["add", "edit"])
def test_everywhere_and_a_project_exclude_each_other(shell: Shell, three: list[int], command: str) -> None:
    which = [str(three[0])] if command == "edit" else []
    answer = shell(command, *which, "--title", "x", "--everywhere", "--project", "orderly")
    assert answer.code == 2 and "exclude each other" in answer.err
