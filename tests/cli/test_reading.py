"""Commands that show memories and observations: the contract's JSON, and what people read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory

HOSTILE = "Title \x1b[31mred\x1b[0m \x1b]52;c;eA==\x07 \u202ereversed \x9b2J [bold]x[/] \x00end"
MEMORY_FIELDS = {
    "id", "uid", "title", "summary", "tier", "kind", "labels", "files", "project", "branch", "session", "created",
    "updated", "state", "pinned", "tokens", "uses", "last_used", "sources", "made_by", "grounding", "superseded_by",
    "merged_from",
}  # fmt: skip


def add(memory: Memory, title: str, **fields: object) -> int:
    return memory.add_many([{"title": title, **fields}])[0]


def test_list_has_the_contracts_shape(shell: Shell, memory: Memory) -> None:
    add(memory, "One", text="Whole text.", facts=["A fact."])
    found = shell("list", "--json").json
    assert set(found) == {"memories"}
    assert set(found["memories"][0]) >= MEMORY_FIELDS
    assert not {"text", "facts"} & set(found["memories"][0])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found["memories"][0]["created"])


def test_show_has_the_contracts_shape(shell: Shell, memory: Memory) -> None:
    one = add(memory, "One", text="Whole text.", facts=["A fact."])
    found = shell("show", str(one), "--json").json["memories"]
    assert set(found[0]) >= MEMORY_FIELDS | {"text", "facts"}
    assert (found[0]["text"], found[0]["facts"]) == ("Whole text.", ["A fact."])
    assert set(found[0]["made_by"]) >= {"route", "model", "prompt_version"}
    assert set(found[0]["grounding"]) >= {"retained", "flagged"}


def test_list_is_a_table_newest_first(shell: Shell, memory: Memory) -> None:
    first = add(memory, "The older one", created="2026-01-05T10:00:00Z", kind="decision")
    second = add(memory, "The newer one", kind="bugfix")
    memory.pin(first)
    shown = shell("list").out.splitlines()
    assert shown[0].split() == ["ID", "TITLE", "KIND", "TOKENS", "AGE"]
    assert re.fullmatch(rf" *{second}  The newer one +bugfix +\d+ +now", shown[1])
    assert re.match(rf" *{first}  ▲ The older one +decision", shown[2])


def test_an_empty_list_says_where_to_look(shell: Shell, memory: Memory) -> None:
    memory.delete(memory.add(title="gone"))
    answer = shell("list")
    assert (answer.code, answer.out) == (0, "") and "--all-projects" in answer.err
    assert shell("list", "--json").json == {"memories": []}


def test_a_cut_list_says_of_how_many(shell: Shell, memory: Memory) -> None:
    memory.add_many([{"title": f"Memory {n}"} for n in range(5)])
    answer = shell("list", "--limit", "2")
    assert len(answer.out.splitlines()) == 3
    assert answer.err == "2 of 5 · --limit shows more\n"
    assert shell("list", "--limit", "5").err == ""


def test_filters_of_one_kind_are_any_of_and_of_several_all_of(shell: Shell, memory: Memory) -> None:
    add(memory, "A", kind="bugfix", labels=["http"], files=["net/client.py"])
    add(memory, "B", kind="decision", labels=["http"], files=["docs/adr.md"])
    add(memory, "C", kind="decision", labels=["db"], created="2026-01-05T10:00:00Z")

    def titles(*args: str) -> set[str]:
        return {one["title"] for one in shell("list", "--json", *args).json["memories"]}

    assert titles("--kind", "bugfix", "--kind", "decision") == {"A", "B", "C"}
    assert titles("--kind", "decision", "--label", "http") == {"B"}
    assert titles("--ext", "py") == titles("--ext", ".py") == titles("--path", "net/*") == {"A"}
    assert titles("--since", "1d") == {"A", "B"}
    assert titles("--until", "2026-01-05") == {"C"}
    assert titles("--until", "2026-01-04") == set()


def test_lists_of_another_state_say_which(shell: Shell, memory: Memory) -> None:
    one = add(memory, "Gone")
    memory.delete(one)
    assert shell("list").out == ""
    assert re.search(rf"{one} +Gone +trash ", shell("list", "--state", "all").out)


def test_show_reads_as_a_page(shell: Shell, memory: Memory) -> None:
    one = add(
        memory, "Retries must stop at the deadline", summary="One line.", text="First.\n\n日本 second.\n",
        facts=["Twice at most."], labels=["http"], files=["net/client.py"], kind="convention",
    )  # fmt: skip
    memory.pin(one)
    shown = shell("show", str(one)).out
    assert shown.startswith(
        f"Retries must stop at the deadline\n#{one} · convention · semantic · all projects · active · ▲ pinned\n"
        "\nOne line.\n\nFirst.\n\n日本 second.\n\nFacts\n  · Twice at most.\n\n"
    )
    for line in (
        r"labels +http",
        r"files +net/client.py",
        r"created +\d{4}-.*\(just now\)",
        r"used +never",
        r"uid +\w+-",
    ):
        assert re.search(f"^{line}", shown, re.MULTILINE), line


def test_show_keeps_the_order_asked(shell: Shell, memory: Memory) -> None:
    ids = memory.add_many([{"title": "A"}, {"title": "B"}])
    shown = shell("show", str(ids[1]), str(ids[0])).out
    assert shown.index("B\n#") < shown.index("A\n#")


@pytest.mark.parametrize("command", [["list"], ["show", "1"], ["search", "title"], ["history"], ["timeline", "1"]])
def test_nothing_in_a_memory_reaches_the_terminal_as_a_command(
    shell: Shell, memory: Memory, command: list[str]
) -> None:
    add(memory, HOSTILE, text=HOSTILE, summary=HOSTILE, labels=[HOSTILE], files=[HOSTILE], facts=[HOSTILE])
    for extra in ([], ["--json"]):
        shown = shell(*command, *extra).out
        assert "reversed" in shown
        assert all(line.isprintable() for line in shown.splitlines()), repr(shown)
    assert "[bold]x[/]" in shell(*command).out


def test_timeline_points_at_the_memory_asked_for(shell: Shell, memory: Memory) -> None:
    ids = memory.add_many([{"title": f"M{n}", "created": f"2026-01-0{n}T10:00:00Z"} for n in range(1, 6)])
    shown = shell("timeline", str(ids[2]), "--before", "1", "--after", "1")
    assert [line.split()[1] for line in shown.out.splitlines()[1:]] == ["M2", "▸", "M4"]
    found = shell("timeline", str(ids[2]), "--json").json["memories"]
    assert [one["title"] for one in found] == ["M1", "M2", "M3", "M4", "M5"]


def test_observations_and_a_memorys_sources(shell: Shell, memory: Memory) -> None:
    memory.capture(
        "claude-code",
        {
            "hook_event_name": "UserPromptSubmit", "session_id": "s-1", "cwd": str(Path.cwd()),
            "prompt": "Why do the retry tests\nfail?",
        },
    )  # fmt: skip
    found = shell("observations", "--all-projects", "--json").json["observations"]
    assert set(found[0]) >= {
        "id", "uid", "session", "agent", "project", "branch", "turn", "kind", "tool", "time", "text", "files",
        "size", "redactions", "state", "reason",
    }  # fmt: skip
    assert re.search(r"1  prompt  Why do the retry tests fail\? +captured +claude-code", shell("observations").out)
    one = add(memory, "From it", sources=[found[0]["id"]])
    shown = shell("show", str(one), "--sources").out
    assert "    Why do the retry tests\n    fail?" in shown
    assert shell("show", str(one), "--sources", "--json").json["observations"] == found
    assert "observations" not in shell("show", str(one), "--json").json


def test_showing_is_a_use_where_an_agent_asks_and_none_where_a_person_does(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = shell("add", "--title", "Retries stop at the deadline", "--json").json["memories"][0]["id"]

    def uses() -> int:
        return int(shell("list", "--json").json["memories"][0]["uses"])

    shell("show", str(one))
    assert uses() == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    shell("show", str(one))
    assert uses() == 1


@pytest.mark.parametrize("given", [(), ("--all-projects",), ("--all-projects", "--state", "all"), ("--kind", "bugfix")])
def test_an_empty_store_is_not_told_to_list_everything(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TUI_MEMORY_HOME", str(tmp_path / "empty"))
    answer = shell("list", *given)
    assert answer.code == 0 and not answer.out
    assert answer.err.startswith("Nothing is remembered yet.") and "--state all" not in answer.err
