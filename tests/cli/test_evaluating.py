"""judge, profiles, evaluate and tune, as typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory

METRICS = {"recall@5", "recall@10", "precision@5", "mrr", "ndcg@10"}
SUBJECTS = ("retry", "websocket", "lint", "cache", "login", "export", "invoice", "search", "upload", "report")


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands ask no worker and load no model here: words are enough to measure by."""
    monkeypatch.setattr("tui_memory.engine.embedding.Embedding.encode", lambda *_: None)


@pytest.fixture
def ids(memory: Memory) -> list[int]:
    """A memory a subject."""
    return memory.add_many([{"title": f"The {one} step", "text": f"how {one} is done"} for one in SUBJECTS])


@pytest.fixture
def queries(tmp_path: Path, ids: list[int]) -> str:
    """A file of queries as a person writes one."""
    rows = [{"query": f"how is {one} done", "memories": [id_]} for one, id_ in zip(SUBJECTS, ids, strict=True)]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return str(tmp_path / "mine.jsonl")


def test_a_judgment_is_what_evaluate_measures_by(shell: Shell, ids: list[int]) -> None:
    said = shell("judge", "how is retry done", str(ids[0]), "--relevant", "--json").json
    assert said == {"query": "how is retry done", "memory": ids[0], "relevant": True, "project": None}
    shell("judge", "how is retry done", f"#{ids[1]}", "--irrelevant")
    found = shell("evaluate", "--json").json
    assert found["queries"] == 1
    measured = found["profiles"]["default"]
    assert set(measured) >= METRICS and set(measured["interval"]) == METRICS
    assert measured["mrr"] == 1


def test_judge_wants_to_know_which(shell: Shell, ids: list[int]) -> None:
    answer = shell("judge", "how is retry done", str(ids[0]))
    assert answer.code == 2 and "--relevant or --irrelevant" in answer.err
    assert shell("judge", "x", "999", "--relevant").code == 3


def test_a_judgment_reads_as_a_sentence(shell: Shell, ids: list[int]) -> None:
    said = shell("judge", "how is retry done", str(ids[0]), "--relevant").out
    assert said == f"#{ids[0]} answers “how is retry done”\n"
    assert "does not answer" in shell("judge", "how is retry done", str(ids[0]), "--irrelevant").out


def test_profiles_are_saved_shown_and_deleted(shell: Shell, ids: list[int]) -> None:
    saved = shell("profiles", "save", "mine", "--set", "names=0.4", "--set", "fusion=rank", "--json").json
    assert saved["settings"]["names"] == 0.4 and saved["differs"] == ["fusion", "names"]
    listed = shell("profiles", "--json").json["profiles"]
    assert [(one["name"], one["origin"], one["used"]) for one in listed] == [
        ("default", "built-in", True), ("mine", "saved", False),
    ]  # fmt: skip
    assert re.search(r"^\* names +0\.4$", shell("profiles", "show", "mine").out, re.MULTILINE)
    assert re.search(r"mine +saved +fusion, names", shell("profiles").out)
    assert shell("profiles", "delete", "mine", "--json").json == {"deleted": "mine"}
    assert shell("profiles", "show", "mine").code == 3


def test_a_profile_that_makes_no_sense_is_refused(shell: Shell, machine: Path) -> None:
    assert shell("profiles", "save", "default").code == 4
    assert shell("profiles", "save", "mine", "--set", "names").code == 2
    answer = shell("profiles", "save", "mine", "--set", "nmes=1")
    assert answer.code != 0 and "names" in answer.err


def test_profiles_are_measured_beside_each_other(shell: Shell, queries: str) -> None:
    shell("profiles", "save", "mine", "--set", "names=0.4")
    found = shell("evaluate", "--queries", queries, "--profile", "default", "--profile", "mine", "--json").json
    assert found["queries"] == 10 and set(found["profiles"]) == {"default", "mine"}
    shown = shell("evaluate", "--queries", queries, "--profile", "mine")
    assert "10 queries" in shown.out and re.search(r"mine +1\.000 \[1\.000, 1\.000\]", shown.out)
    assert "only words were searched" in shown.err


def test_nothing_judged_is_wrong_usage_with_a_way_on(shell: Shell, machine: Path) -> None:
    answer = shell("evaluate")
    assert answer.code == 2 and "tui-memory judge" in answer.err


def test_tune_reports_and_refuses_to_save_what_gained_nothing(shell: Shell, queries: str) -> None:
    answer = shell("tune", "--queries", queries, "--save", "tuned")
    assert answer.code == 4 and "was not saved" in answer.err
    assert "on 5 queries, measured on 5 others" in answer.out
    found = shell("tune", "--queries", queries, "--json").json
    assert found["queries"] == {"learned_on": 5, "reported_on": 5} and found["saved"] is None
    assert set(found["before"]) >= METRICS and set(found["after"]) >= METRICS
    assert [one["name"] for one in shell("profiles", "--json").json["profiles"]] == ["default"]


def test_every_query_has_its_interval(shell: Shell, queries: str) -> None:
    each = shell("evaluate", "--queries", queries, "--json").json["profiles"]["default"]["by_query"]
    assert len(each) == 10 and all(set(one["interval"]) == METRICS for one in each)


def test_a_judgment_is_taken_back(shell: Shell, ids: list[int]) -> None:
    shell("judge", "how is retry done", str(ids[0]), "--relevant")
    assert shell("judge", "how is retry done", str(ids[0]), "--take-back", "--json").json["taken_back"] is True
    assert "Nothing was said" in shell("judge", "how is retry done", str(ids[0]), "--take-back").out
    assert shell("evaluate").code == 2
    assert shell("judge", "how is retry done", str(ids[0]), "--take-back", "--relevant").code == 2


def test_judgments_go_out_as_qrels_and_come_back(shell: Shell, ids: list[int], tmp_path: Path) -> None:
    for id_ in ids[:3]:
        shell("judge", "how is it done", str(id_), "--relevant")
    file = tmp_path / "mine.qrels"
    written = shell("judge", "--export", str(file), "--json").json
    assert (written["queries"], written["judgments"]) == (1, 3) and Path(written["queries_file"]).is_file()
    assert shell("judge", "--export", str(file)).code == 4
    assert "Wrote 3 judgments of 1 query " in shell("judge", "--export", str(file), "--yes").out
    for id_ in ids[:3]:
        shell("judge", "how is it done", str(id_), "--take-back")
    assert shell("judge", "--import", str(file), "--json").json["judgments"] == 3
    assert shell("evaluate", "--json").json["queries"] == 1
    assert shell("judge", "--import", str(tmp_path / "absent")).code == 3
    assert shell("judge", "--import", str(file), "--export", str(file)).code == 2
    assert shell("judge", "how is it done", "--export", str(file)).code == 2
    assert shell("judge", "how is it done").code == 2
