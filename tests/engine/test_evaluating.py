"""Judgments, profiles, evaluation and tuning, through the engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tui_memory import Memory, config
from tui_memory.engine import sample
from tui_memory.engine.evaluating import refusal
from tui_memory.errors import ConfigError, NotFoundError, RefusedError, UsageError
from tui_memory.retrieve import tuning

METRICS = {"recall@5", "recall@10", "precision@5", "mrr", "ndcg@10"}
SUBJECTS = ("retry", "websocket", "lint", "cache", "login", "export", "invoice", "search", "upload", "report",
            "webhook", "schema")  # fmt: skip


@pytest.fixture
def known(memory: Memory) -> dict[str, int]:
    """A memory a subject, its title asking and its text answering."""
    ids = memory.add_many([{"title": f"The {one} step", "text": f"how {one} is done here"} for one in SUBJECTS])
    return dict(zip(SUBJECTS, ids, strict=True))


def judge_all(memory: Memory, known: dict[str, int]) -> None:
    """Each subject's question is answered by its memory."""
    for subject, id_ in known.items():
        memory.evaluating.judge(f"how is {subject} done", id_, relevant=True)


def test_what_was_judged_is_measured(memory: Memory, known: dict[str, int]) -> None:
    judge_all(memory, known)
    shown = memory.evaluating.evaluate().public()
    assert shown["queries"] == len(SUBJECTS)
    assert set(shown["profiles"]) == {"default"}
    measured = shown["profiles"]["default"]
    assert set(measured["interval"]) == METRICS <= set(measured)
    assert measured["mrr"] == measured["recall@5"] == 1
    assert measured["precision@5"] == pytest.approx(0.2)
    assert [one["mrr"] for one in measured["by_query"]] == [1.0] * len(SUBJECTS)


def test_a_later_judgment_takes_the_place_of_an_earlier_one(memory: Memory, known: dict[str, int]) -> None:
    memory.evaluating.judge("how is lint done", known["lint"], relevant=False)
    memory.evaluating.judge("how is lint done", known["retry"], relevant=True)
    assert memory.evaluating.evaluate().judged[0].relevant == {known["retry"]}
    memory.evaluating.judge("how is lint done", known["lint"], relevant=True)
    assert memory.evaluating.evaluate().judged[0].relevant == {known["retry"], known["lint"]}


def test_a_judged_query_is_masked_before_it_is_kept(memory: Memory, known: dict[str, int]) -> None:
    address = "@".join(("erika.mustermann", "firma.de"))
    judged = memory.evaluating.judge(f"mail to {address}", known["lint"], relevant=True)
    assert address not in judged.query
    assert address not in str([tuple(row) for row in memory.store.rows("SELECT query FROM judgments")])


def test_what_does_not_exist_is_not_judged(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.evaluating.judge("anything", 99, relevant=True)
    with pytest.raises(UsageError, match="empty"):
        memory.evaluating.judge(" ", 99, relevant=True)


def test_a_query_counts_in_the_project_it_was_asked_in(memory: Memory) -> None:
    ours, theirs = (memory.add(title="Deploy by tag", project=name) for name in ("orderly", "ledger"))
    memory.evaluating.judge("deploy by tag", ours, relevant=True, project="orderly")
    assert memory.evaluating.evaluate().public()["profiles"]["default"]["mrr"] == 1
    memory.evaluating.judge("deploy by tag", theirs, relevant=True, project="orderly")
    assert memory.evaluating.evaluate().public()["profiles"]["default"]["recall@10"] == 0.5


def test_relevance_follows_a_merge_and_leaves_out_what_is_gone(memory: Memory, known: dict[str, int]) -> None:
    memory.evaluating.judge("how is lint done", known["lint"], relevant=True)
    memory.evaluating.judge("how is cache done", known["cache"], relevant=True)
    merged = memory.merge([known["lint"], known["retry"]])
    memory.delete(known["cache"])
    found = memory.evaluating.evaluate()
    assert [one.relevant for one in found.judged] == [{merged}]
    assert found.left_out == 1


def test_nothing_judged_says_how_to_judge(memory: Memory) -> None:
    with pytest.raises(UsageError, match="tui-memory judge"):
        memory.evaluating.evaluate()


def written(path: Path, *rows: object) -> Path:
    """A file of queries."""
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", "utf-8")
    return path


def test_a_file_names_memories_by_id_or_uid(memory: Memory, known: dict[str, int], tmp_path: Path) -> None:
    uid = memory.get(known["retry"])[0].uid
    file = written(
        tmp_path / "q.jsonl",
        {"query": "how is lint done", "memories": [known["lint"]]},
        {"query": "how is retry done", "memories": [uid]},
    )
    found = memory.evaluating.evaluate(file)
    assert [one.relevant for one in found.judged] == [{known["lint"]}, {known["retry"]}]
    assert memory.store.rows("SELECT COUNT(*) FROM judgments")[0][0] == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1: it is not JSON"),
        ("[1]", 'a text under "query"'),
        ('{"query": "x"}', 'no list under "memories"'),
        ('{"query": "x", "memories": [77]}', "no memory 77"),
        ('{"query": "x", "observations": [77]}', "no observation 77"),
        ('{"query": "x", "memories": [], "project": "absent"}', "absent"),
    ],
)
def test_a_wrong_line_of_a_file_is_named(memory: Memory, tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(line, "utf-8")
    with pytest.raises(UsageError, match=said):
        memory.evaluating.evaluate(file)


def test_a_file_that_is_not_there_is_not_found(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no file"):
        memory.evaluating.evaluate(tmp_path / "absent.jsonl")


def test_the_samples_own_questions_are_measured(sampled: tuple[Memory, dict[str, int]]) -> None:
    memory, stored = sampled
    shown = memory.evaluating.evaluate(sample.folder() / "queries.jsonl").public()
    assert shown["queries"] + shown["left_out"] == len(sample.queries())
    assert shown["left_out"] <= 4
    assert shown["degraded"] == []
    assert shown["profiles"]["default"]["mrr"] > 0.7
    assert memory.evaluating._labels(sample.folder() / "queries.jsonl") == stored


def test_a_saved_profile_is_used_by_its_name(memory: Memory, known: dict[str, int]) -> None:
    memory.evaluating.save_profile("mine", {"cap": 2})
    assert [(one.name, one.origin, one.used) for one in memory.evaluating.profiles()] == [
        ("default", "built-in", True), ("mine", "saved", False),
    ]  # fmt: skip
    assert len(memory.search("step", profile="mine")) == 2 < len(memory.search("step"))
    memory.evaluating.save_profile("ours", {"age": 0.1}, base="mine")
    assert memory.evaluating.profile("ours").values == {"cap": 2, "age": 0.1}
    memory.evaluating.delete_profile("mine")
    with pytest.raises(NotFoundError, match="mine"):
        memory.search("step", profile="mine")


def test_a_profile_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(ConfigError, match="dense"):
        memory.evaluating.save_profile("mine", {"dens": 0.3})
    with pytest.raises(ConfigError, match="from 0 to 1"):
        memory.evaluating.save_profile("mine", {"dense": 3})
    with pytest.raises(UsageError, match="name"):
        memory.evaluating.save_profile(" ", {})
    with pytest.raises(RefusedError, match="own"):
        memory.evaluating.save_profile("default", {})
    with pytest.raises(RefusedError, match="own"):
        memory.evaluating.delete_profile("default")
    with pytest.raises(NotFoundError):
        memory.evaluating.delete_profile("absent")


def test_the_settings_file_comes_before_what_was_saved(tmp_path: Path) -> None:
    own = config.Settings(retrieve=config.RetrieveSettings(profile="fresh", profiles={"fresh": {"age": 0.2}}))
    with Memory(tmp_path / "store", embedding="none", settings=own) as memory:
        assert memory.evaluating.profile().public()["settings"]["age"] == 0.2
        with pytest.raises(RefusedError, match="settings file"):
            memory.evaluating.save_profile("fresh", {})


def distracted(memory: Memory) -> None:
    """Questions that a profile of names alone answers worst: the answer is in the text, titles mislead."""
    for subject in SUBJECTS:
        answer = memory.add(title="A note", text=f"{subject} waits for the deadline and stops")
        memory.add(title=f"{subject} deadline stops", text="unrelated")
        memory.evaluating.judge(f"{subject} waits deadline stops", answer, relevant=True)
    memory.evaluating.save_profile(
        "names", {"dense": 0, "passage": 0, "lexical": 0.02, "names": 1, "coverage": 0.05, "title": 0, "phrase": 0}
    )


def test_tuning_mends_weights_that_are_wrong_and_saves_them(memory: Memory) -> None:
    distracted(memory)
    told: list[tuple[int, int]] = []
    done = memory.evaluating.tune(base="names", save="tuned", on_progress=lambda *at: told.append(at))
    shown = done.public()
    assert shown["saved"] == "tuned" and shown["regressed"] == []
    assert shown["queries"] == {"learned_on": 6, "reported_on": 6}
    assert shown["after"]["mrr"] > shown["before"]["mrr"]
    assert shown["difference"]["mrr"] == pytest.approx(shown["after"]["mrr"] - shown["before"]["mrr"], abs=1e-3)
    assert told[-1] == (tuning.TRIALS, tuning.TRIALS)
    tuned = memory.evaluating.profile("tuned").public()["settings"]
    assert all(tuned[name] == pytest.approx(after) for name, (_, after) in done.changed.items())


def test_tuning_comes_to_the_same_every_time(memory: Memory) -> None:
    distracted(memory)
    first, second = (memory.evaluating.tune(base="names").public() for _ in range(2))
    assert first == second
    assert first["changed"]


def test_what_gained_nothing_is_not_saved(memory: Memory, known: dict[str, int]) -> None:
    judge_all(memory, known)
    done = memory.evaluating.tune(save="mine")
    assert done.saved is None and done.changed == {}
    assert "no better weights" in refusal(done, "mine").message
    assert [one.name for one in memory.evaluating.profiles()] == ["default"]


def test_what_regresses_on_the_other_half_is_named_and_not_saved(memory: Memory) -> None:
    distracted(memory)
    done = memory.evaluating.tune(base="names")
    worse = replace(done, tuned=replace(done.tuned, before=np.ones_like(done.tuned.before), after=done.tuned.after * 0))
    assert set(worse.regressed) == METRICS
    assert "worse in recall@5" in refusal(worse, "mine").message


def test_a_tuning_that_is_stopped_saves_nothing(memory: Memory) -> None:
    distracted(memory)
    seen: list[int] = []
    done = memory.evaluating.tune(
        base="names", save="mine", on_progress=lambda tried, _: seen.append(tried), cancelled=lambda: len(seen) >= 5
    )
    assert done.tuned.cancelled and done.tuned.tried == 5 and done.saved is None
    assert "stopped" in refusal(done, "mine").message


def test_tuning_needs_enough_questions(memory: Memory, known: dict[str, int]) -> None:
    memory.evaluating.judge("how is lint done", known["lint"], relevant=True)
    with pytest.raises(UsageError, match="needs 10"):
        memory.evaluating.tune()


def test_a_profile_of_the_settings_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    """Whoever searches learns which profile it is, where it stands, and what to do; `doctor` says the same."""
    broken = config.RetrieveSettings(profile="mine", profiles={"mine": {"names": 7}})
    with Memory(tmp_path / "store", embedding="none", settings=config.Settings(retrieve=broken)) as memory:
        with pytest.raises(ConfigError, match=r"'mine' \(settings\) cannot be used: names must be .* Nothing was"):
            memory.search("retries")
        assert memory.search("retries", profile="default") == []
        [check] = [one for one in memory.doctor()["checks"] if one["id"] == "values"]
        assert not check["ok"] and "'mine' (settings)" in check["what"]
