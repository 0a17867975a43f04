"""The audit on the command line: listed, shown, settled, taken back, reported."""

from __future__ import annotations

import re

import pytest

from tests.cli.shell import Shell
from tests.upkeep.audit.cases import MAKE, SECRET, every_family
from tui_memory.engine.memory import Memory


@pytest.fixture
def cases(memory: Memory) -> dict[str, list[int]]:
    """A case of every family."""
    return every_family(memory)


def test_cases_are_listed_riskiest_first(shell: Shell, cases: dict[str, list[int]]) -> None:
    answer = shell("audit", "--all-projects")
    lines = answer.out.splitlines()
    assert lines[0].split() == ["CASE", "RISK", "FAMILY", "MEMORIES", "WHAT", "PROPOSED"]
    assert "possible leak" in lines[1] and lines[1].endswith("mask")
    assert "Use requests for outgoing calls ↔ Outgoing calls go through httpx" in lines[3]
    assert "0 settled this week" in answer.err and SECRET not in answer.out


def test_json_is_the_contracts(shell: Shell, cases: dict[str, list[int]]) -> None:
    (case,) = shell("audit", "--all-projects", "--family", "contradiction", "--json").json["cases"]
    assert set(case) >= {"id", "family", "risk", "memories", "evidence", "proposed", "actions"}
    assert case["memories"] == cases["contradiction"] and case["proposed"] == "supersede"


def test_a_case_is_shown_with_both_sides_and_its_actions(shell: Shell, cases: dict[str, list[int]]) -> None:
    case = shell("audit", "--all-projects", "--family", "contradiction", "--json").json["cases"][0]["id"]
    out = shell("audit", "show", str(case)).out
    for text in ("Outgoing calls go through requests.", "instead of requests", "Which of these holds?", "keep both"):
        assert text in out
    assert "accept means supersede" in out


def test_settle_undo_and_what_is_said_of_them(shell: Shell, cases: dict[str, list[int]]) -> None:
    case = str(shell("audit", "--all-projects", "--family", "leak", "--json").json["cases"][0]["id"])
    assert "Kept as it is: #1 · tui-memory undo takes it back" in shell("audit", "settle", case, "reject").out
    again = shell("audit", "settle", case, "accept")
    assert again.code == 4 and "settled already" in again.err
    assert "audit keep of #1" in shell("undo").out
    done = shell("audit", "settle", case, "snooze", "--until", "3d", "--json").json
    assert done == {"action": "audit snooze", "case": int(case), "memories": [1]}
    assert [one["id"] for one in shell("audit", "--all-projects", "--snoozed", "--json").json["cases"]] == [int(case)]


def test_what_is_masked_is_masked_for_good_and_undo_passes_over_it_with_a_sentence(
    shell: Shell, cases: dict[str, list[int]]
) -> None:
    case = str(shell("audit", "--all-projects", "--family", "leak", "--json").json["cases"][0]["id"])
    shell("pin", "5")
    masked, outside, place = shell("audit", "settle", case, "accept").out.splitlines()
    assert masked == "Masked: #1 · nothing brings it back"
    assert outside == "Outside of the store it may still be in:" and place.endswith("place"), "where it was synced"
    done = shell("undo")
    assert "Took back: pin of #5" in done.out
    assert "Passed over, for nothing brings it back: the audit mask of #1." in done.err
    assert shell("redo", "--json").json.keys() == {"redone"}
    again = shell("undo", "--json").json
    assert again["skipped"] == ["Passed over, for nothing brings it back: the audit mask of #1."]
    assert "nothing brings it back" in shell("undo", "--entry", str(mask_entry(shell))).err


def mask_entry(shell: Shell) -> int:
    """The entry of the journal that masked."""
    entries = shell("history", "--json").json["entries"]
    return next(int(one["id"]) for one in entries if one["action"] == "audit mask")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("settle", "1"), 2),
        (("settle", "first", "accept"), 2),
        (("settle", "99", "accept"), 3),
        (("settle", "1", "dance"), 2),
        (("settle", "1", "keep", "--until", "3d"), 2),
        (("settle", "--family", "leak", "--all-projects"), 4),
        (("settle", "--family", "colours", "--yes"), 3),
        (("settle", "--family", "leak", "keep", "accept"), 2),
        (("--family", "colours"), 3),
        (("show", "99"), 3),
    ],
)
def test_what_cannot_be_done_is_a_sentence_with_its_code(
    shell: Shell, memory: Memory, words: tuple[str, ...], code: int
) -> None:
    MAKE["leak"](memory)
    memory.auditing.look()
    answer = shell("audit", *words)
    assert answer.code == code and answer.err and "Traceback" not in answer.err
    assert len(memory.auditing.queue()) == 1


def test_purge_wants_yes(shell: Shell, memory: Memory) -> None:
    (number,) = MAKE["leak"](memory)
    memory.auditing.look()
    assert shell("audit", "settle", "1", "purge").code == 4
    assert "Forgotten for good: #1" in shell("audit", "settle", "1", "purge", "--yes").out
    assert shell("show", str(number)).code == 3


def test_a_family_in_one_step(shell: Shell, cases: dict[str, list[int]]) -> None:
    assert "Merged: #5 #6 #14" in shell("audit", "settle", "--family", "duplicate", "--all-projects", "--yes").out
    assert shell("audit", "--all-projects", "--family", "duplicate", "--json").json["cases"] == []
    assert "no case of this family" in shell("audit", "settle", "--family", "duplicate", "--all-projects", "--yes").out


def test_nothing_to_audit_is_said(shell: Shell, memory: Memory) -> None:
    answer = shell("audit")
    assert answer.code == 0 and answer.out == "" and "Nothing to audit" in answer.err
    assert "No case sleeps" in shell("audit", "--snoozed").err


def test_the_report_in_both_forms(shell: Shell, cases: dict[str, list[int]]) -> None:
    shell("audit", "settle", "--family", "leak", "--all-projects", "--yes")
    text = shell("audit", "report", "--since", "1d").out
    assert text.startswith("# Audit of ") and "- possible leak: 1 masked" in text
    report = shell("audit", "report", "--since", "1d", "--format", "json").json["report"]
    assert report["settled"] == {"leak": {"mask": 1}} and report["came_in"]["memories"] == 13
    assert shell("audit", "report", "--json").json["report"].keys() == report.keys()


@pytest.mark.parametrize(
    "command",
    [["audit", "settle", "--family", "duplicate", "--all-projects", "accept"], ["project", "merge", "here", "there"],
     ["install", "claude-code"]],
)  # fmt: skip
def test_where_nobody_can_be_asked_only_options_are_named_that_the_command_has(
    shell: Shell, memory: Memory, cases: dict[str, list[int]], command: list[str]
) -> None:
    for name in ("here", "there"):
        memory.add(title=f"Of {name}", project=name)
    answer = shell(*command, stdin="")
    assert answer.code == 4 and "nobody to ask" in answer.err
    known = shell(*(command[:2] if command[0] != "install" else command[:1]), "--help").out
    named = re.findall(r"--[a-z-]+", answer.err)
    assert "--yes" in named and all(f"{one} " in known for one in named)
