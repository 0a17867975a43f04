"""Merges: what they would be, in a rule's words or a model's, within a project and across."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.compress.double import Double
from tui_memory import Memory, config
from tui_memory.errors import RefusedError

from .conftest import RULES_ONLY

CHARGE = {
    "title": "Charging retries with one idempotency key per order",
    "summary": "A timeout said nothing about the payment.",
    "text": "PaymentService.charge made a fresh key for every attempt. Now the key is order-7.",
    "facts": ["PaymentService.charge uses one key per order."],
}


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    with Double() as double:
        monkeypatch.setenv("OLLAMA_HOST", double.url)
        yield double


def opened(tmp_path: Path, *routes: str) -> Memory:
    settings = replace(RULES_ONLY, compress=config.CompressSettings(routes=routes))
    return Memory(tmp_path / "routed", embedding="none", settings=settings)


def two(memory: Memory) -> list[int]:
    return memory.add_many(
        [CHARGE | {"files": ["pay.py"], "labels": ["payments"]},
         {"title": "One key per order", "text": "The key was order-7.", "facts": ["payments uses  ONE key", "It works"],
          "files": ["pay.py", "order.py"], "sources": []}]
    )  # fmt: skip


@pytest.mark.parametrize("newest", [{"text": "In its newest words."}, {"summary": "In short."}, {"facts": ["A fact."]}])
@pytest.mark.parametrize("part", ["title", "summary", "text", "facts"])
def test_nothing_that_an_older_one_says_is_lost_whichever_part_says_it(
    memory: Memory, part: str, newest: dict[str, object]
) -> None:
    said = "Retries stop after eight seconds, since the bank charged twice"
    older = {"title": "A title"} | {part: [said] if part == "facts" else said}
    ids = memory.add_many([{"created": 1000} | older, {"created": 2000, "title": "The newest title"} | newest])
    made = memory.get(memory.merge(ids))[0]
    assert made.title == "The newest title"
    assert [made.summary, *made.text.split("\n\n"), *made.facts].count(said) == 1
    assert said.lower() in " ".join((made.text, *made.facts)).lower()


def test_what_two_say_alike_is_said_once(memory: Memory) -> None:
    ids = memory.add_many([CHARGE, CHARGE | {"title": "One key per order"}, {"title": CHARGE["title"]}])
    made = memory.get(memory.merge(ids))[0]
    assert (made.text.count("order-7"), made.text.count("A timeout"), made.text.count("Charging")) == (1, 1, 0)


class TestPreview:
    def test_it_says_what_is_kept_and_how_alike_they_are(self, memory: Memory) -> None:
        ids = two(memory)
        memory.fetch(ids[0])
        seen = memory.merging.preview(ids)
        assert [row.id for row in seen.originals] == ids and seen.projects == [None]
        assert 0 < seen.words < 1 and 0 < seen.alike < 1 and seen.meaning is None and seen.uses == 1
        assert seen.body.files == ["pay.py", "order.py"] and seen.body.facts[0] == CHARGE["facts"][0]
        assert memory.count() == 2 and memory.history(limit=5)[0].action == "add"

    def test_the_same_said_twice_is_wholly_alike(self, memory: Memory) -> None:
        ids = memory.add_many([CHARGE, CHARGE])
        assert memory.merging.preview(ids).alike == pytest.approx(1.0)
        assert memory.merging.preview([*ids, *memory.add_many([{"title": "A door is green"}])]).alike < 0.6

    def test_an_edited_preview_is_what_is_merged_and_split_gives_the_originals_back(self, memory: Memory) -> None:
        ids = two(memory)
        before = memory.get(ids)
        body = replace(memory.merging.preview(ids).body, title="Mine", facts=["one"], labels=["x"])
        merged = memory.get(memory.merge(ids, body=body))[0]
        assert (merged.title, merged.facts, merged.labels, merged.merged_from) == ("Mine", ["one"], ["x"], ids)
        assert merged.made_by.route == "merge"
        memory.split(merged.id)
        after = memory.get(ids)
        assert [replace(row, updated=0) for row in after] == [replace(row, updated=0) for row in before]

    def test_secrets_in_what_was_edited_are_masked(self, memory: Memory) -> None:
        ids = two(memory)
        secret = "ghp_" + "Zq7Lw2Xc9Vb4Nm8Kj3Hg6Fd1Sa5Po0Iu7Yt2"
        body = replace(memory.merging.preview(ids).body, text=f"token {secret}")
        assert secret not in memory.get(memory.merge(ids, body=body))[0].text


class TestAcrossProjects:
    def test_it_has_to_be_asked_for(self, memory: Memory) -> None:
        ids = memory.add_many([CHARGE | {"project": "one"}, CHARGE | {"project": "two"}])
        assert memory.merging.preview(ids).projects == ["one", "two"]
        with pytest.raises(RefusedError, match="one, two"):
            memory.merge(ids)
        assert memory.count() == 2

    def test_then_it_belongs_to_all_of_them_or_to_the_one_named(self, memory: Memory) -> None:
        ids = memory.add_many([CHARGE | {"project": "one"}, CHARGE | {"project": "two"}])
        assert memory.get(memory.merge(ids, across=True))[0].project is None
        memory.undo()
        assert [row.project for row in memory.get(ids)] == ["one", "two"]
        assert memory.get(memory.merge(ids, across=True, project="two"))[0].project == "two"


class TestWritten:
    def test_by_a_model_and_held_to_the_originals(self, tmp_path: Path, ollama: Double) -> None:
        with opened(tmp_path, "ollama:inventor") as memory:
            ids = two(memory)
            union = memory.merging.preview(ids).body
            written = memory.merging.write(ids)
            assert not written.note and written.body.made_by.route == "ollama"
            assert "gateway_v2" not in written.body.text and written.body.grounding.flagged
            assert (written.body.facts, written.body.files) == (union.facts, union.files)
            asked = str(ollama.asked[0]["messages"])
            assert "Exactly one memory" in asked and "The key was order-7." in asked
            made = memory.get(memory.merge(ids, body=written.body))[0]
            assert made.made_by.model == "inventor" and made.merged_from == ids

    @pytest.mark.parametrize("model", ["nothing", "prose", "empty", "loop", "refusing", "absent", "all-invented"])
    def test_where_a_model_is_of_no_use_the_rule_says_it_and_why(
        self, tmp_path: Path, ollama: Double, model: str
    ) -> None:
        with opened(tmp_path, f"ollama:{model}") as memory:
            ids = two(memory)
            written = memory.merging.write(ids)
            assert written.note and written.body == memory.merging.preview(ids).body

    def test_without_a_model_it_says_so(self, memory: Memory) -> None:
        assert "compress.routes" in memory.merging.write(two(memory)).note

    def test_it_is_counted_for_the_day_and_stops_at_its_budget(self, tmp_path: Path, ollama: Double) -> None:
        settings = replace(RULES_ONLY, compress=config.CompressSettings(routes=("ollama:good",), calls_per_day=1))
        with Memory(tmp_path / "routed", embedding="none", settings=settings) as memory:
            ids = two(memory)
            assert not memory.merging.write(ids).note
            assert "budget of 1 model calls a day" in memory.merging.write(ids).note
            assert memory.store.rows("SELECT count(*) FROM meta WHERE key LIKE 'spent:session:%'")[0][0] == 0
