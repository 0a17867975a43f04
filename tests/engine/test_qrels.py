"""Judgments written as TREC qrels and read back: here, in another store, and what a wrong file says."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tui_memory import Memory
from tui_memory.engine import qrels
from tui_memory.errors import NotFoundError, RefusedError, UsageError


@pytest.fixture
def judged(memory: Memory) -> Memory:
    """Two queries of two places, one of them in two lines and with hostile text."""
    ids = memory.add_many([{"title": f"Note {n}", "text": "a text", "project": "orderly"} for n in range(3)])
    memory.evaluating.judge("why\nthe \u202eretry\tstops", ids[0], relevant=True, project="orderly")
    memory.evaluating.judge("why\nthe \u202eretry\tstops", ids[1], relevant=False, project="orderly")
    memory.evaluating.judge("記憶はどこに", ids[2], relevant=True)
    return memory


def said(memory: Memory) -> list[tuple[object, ...]]:
    """Every judgment, without its row's number and time."""
    return [tuple(row) for row in memory.store.rows(
        "SELECT j.query, m.uid, j.relevant, p.name FROM judgments j JOIN memories m ON m.id = j.memory_id"
        " LEFT JOIN projects p ON p.id = j.project_id ORDER BY j.query, m.uid"
    )]  # fmt: skip


def test_what_was_written_is_read_back_to_the_letter(judged: Memory, tmp_path: Path) -> None:
    before, file = said(judged), tmp_path / "mine.qrels"
    written = judged.evaluating.export_judgments(file)
    assert (written.queries, written.judgments) == (2, 3)
    for line in file.read_text("utf-8").splitlines():
        named, nought, uid, grade = line.split(" ")
        assert named.startswith("q-") and nought == "0" and len(uid) == 36 and grade in "01"
    for query, id_ in (("why\nthe \u202eretry\tstops", 1), ("why\nthe \u202eretry\tstops", 2), ("記憶はどこに", 3)):
        assert judged.evaluating.take_back(query, id_)
    assert said(judged) == []
    read = judged.evaluating.import_judgments(file)
    assert (read.queries, read.judgments, read.unknown_memories) == (2, 3, 0)
    assert said(judged) == before
    again = judged.evaluating.export_judgments(tmp_path / "again.qrels")
    assert Path(again.path).read_bytes() == file.read_bytes()
    assert Path(again.queries_path).read_bytes() == Path(written.queries_path).read_bytes()


def test_another_store_keeps_what_it_has_memories_for_and_counts_the_rest(judged: Memory, tmp_path: Path) -> None:
    judged.evaluating.export_judgments(tmp_path / "mine.qrels")
    with Memory(tmp_path / "other", embedding="none") as other:
        read = other.evaluating.import_judgments(tmp_path / "mine.qrels")
        assert (read.judgments, read.unknown_memories, read.unknown_projects) == (0, 3, 1)


def test_a_querys_id_is_the_same_everywhere_and_another_in_another_project() -> None:
    assert qrels.query_id("why", None) == qrels.query_id("why", None) == "q-" + qrels.query_id("why", None)[2:]
    assert len({qrels.query_id("why", None), qrels.query_id("why", "p"), qrels.query_id("whyp", None)}) == 3


def test_grades_above_nought_are_relevant_and_others_are_not(judged: Memory, tmp_path: Path) -> None:
    uids = [judged.get(n)[0].uid for n in (1, 2, 3)]
    file, queries = tmp_path / "trec.qrels", tmp_path / "topics.jsonl"
    file.write_text("\n".join(f"301 0 {uid} {grade}" for uid, grade in zip(uids, (3, 0, -2), strict=True)) + "\n\n")
    queries.write_text(json.dumps({"id": "301", "query": "a graded one"}))
    judged.evaluating.import_judgments(file, queries)
    assert judged.evaluating.judged("a graded one") == {1: True, 2: False, 3: False}


@pytest.mark.parametrize(
    ("line", "topics", "message"),
    [
        ("q-1 0 uid", '{"id": "q-1", "query": "x"}', "line 1: not `query-id 0 memory-uid grade`"),
        ("q-1 0 uid high", '{"id": "q-1", "query": "x"}', "line 1: not `query-id"),
        ("q-2 0 uid 1", '{"id": "q-1", "query": "x"}', "does not have q-2"),
        ("q-1 0 uid 1", "{", 'line 1: not an object with "id"'),
        ("q-1 0 uid 1", '["q-1"]', 'line 1: not an object with "id"'),
        ("q-1 0 uid 1", '{"id": "q-1", "query": " "}', "is no text"),
        ("q-1 0 uid 1", '{"id": "q-1", "query": "x", "project": 3}', "is no text"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_read(
    judged: Memory, tmp_path: Path, line: str, topics: str, message: str
) -> None:
    before = said(judged)
    (tmp_path / "f").write_text(line)
    (tmp_path / "f.queries.jsonl").write_text(topics)
    with pytest.raises(UsageError, match=message):
        judged.evaluating.import_judgments(tmp_path / "f")
    assert said(judged) == before


def test_a_file_is_its_owners_is_never_written_over_and_a_purge_names_it(judged: Memory, tmp_path: Path) -> None:
    file = tmp_path / "mine.qrels"
    written = judged.evaluating.export_judgments(file)
    for place in (written.path, written.queries_path):
        assert stat.S_IMODE(Path(place).stat().st_mode) == 0o600
    with pytest.raises(RefusedError, match="--yes"):
        judged.evaluating.export_judgments(file)
    judged.evaluating.export_judgments(file, yes=True)
    with pytest.raises(RefusedError, match="inside the store"):
        judged.evaluating.export_judgments(Path(judged.home) / "mine.qrels")
    with pytest.raises(NotFoundError, match="no folder"):
        judged.evaluating.export_judgments(tmp_path / "none" / "mine.qrels")
    with pytest.raises(NotFoundError, match="no file"):
        judged.evaluating.import_judgments(tmp_path / "absent")
    outside = judged.purge(ids=[1], yes=True).outside
    assert {written.path, written.queries_path} <= {str(Path(place)) for place in outside}


def test_a_purge_takes_the_judgments_of_what_it_forgets(judged: Memory) -> None:
    judged.purge(ids=[3], yes=True)
    assert [row[0] for row in said(judged)] == ["why\nthe \u202eretry\tstops"] * 2


def test_secrets_of_a_file_are_masked_on_their_way_in(judged: Memory, tmp_path: Path) -> None:
    address = "@".join(("erika.mustermann", "firma.de"))
    (tmp_path / "f").write_text(f"1 0 {judged.get(1)[0].uid} 1")
    (tmp_path / "f.queries.jsonl").write_text(json.dumps({"id": "1", "query": f"mail to {address}"}))
    judged.evaluating.import_judgments(tmp_path / "f")
    assert address not in str(said(judged))
