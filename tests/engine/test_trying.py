"""Weights tried on a query: asked once, ranked again without the model; and what kept a memory out, by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tui_memory import Filters, Memory
from tui_memory.engine.trying import moves
from tui_memory.errors import NotFoundError, UsageError
from tui_memory.retrieve.profile import DEFAULT, RANGES, Profile

QUERY = "retry deadline stops"


class Encoder:
    """Vectors by a word's letters, counting how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, texts: Sequence[str], query: bool = False) -> Any:
        self.asked += 1
        rows = np.zeros((len(texts), 384), dtype=np.float32)
        for at, text in enumerate(texts):
            for word in text.lower().split():
                rows[at, sum(map(ord, word)) % 384] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Notes about a few subjects."""
    for subject in ("retry", "websocket", "lint", "cache"):
        memory.add(title=f"A note on {subject}", text=f"{subject} waits for the deadline and stops", kind="bugfix")
        memory.add(title=f"{subject} deadline stops", text="unrelated", kind="decision", labels=["api"])
    return memory


def test_ranking_again_is_what_a_search_gives_for_every_weight(filled: Memory) -> None:
    asked = filled.trying.ask(QUERY, DEFAULT)
    for item in fields(Profile):
        if item.name not in RANGES or item.name == "depth":
            continue
        for value in (RANGES[item.name].low, RANGES[item.name].high):
            profile = Profile.from_dict({item.name: value})
            found = filled.trying.rank(asked, profile, limit=10).hits
            searched = filled.finding.searcher().search(QUERY, limit=10, profile=profile).results
            assert [hit.id for hit in found] == [hit.id for hit in searched], item.name


def test_neither_model_nor_index_is_asked_again_not_even_for_another_depth(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Encoder()
    monkeypatch.setattr(filled.finding.searcher(), "_embed", encoder)
    asked = filled.trying.ask(QUERY, DEFAULT)
    assert encoder.asked == 1
    for dense in (0, 0.5, 1):
        filled.trying.rank(asked, replace(DEFAULT, dense=dense))
    deeper = filled.trying.ask(QUERY, replace(DEFAULT, depth=200), before=asked)
    assert encoder.asked == 1 and deeper.depth == 200
    filled.trying.why_not(asked, DEFAULT, 3)
    assert encoder.asked == 1
    filled.trying.ask("another question", DEFAULT, before=asked)
    assert encoder.asked == 2


def test_another_depth_is_refused_where_it_was_not_asked(filled: Memory) -> None:
    asked = filled.trying.ask(QUERY, DEFAULT)
    with pytest.raises(UsageError, match="asked anew"):
        filled.trying.rank(asked, replace(DEFAULT, depth=20))


def test_moves_are_places_gained_or_lost_and_new_ones_are_new() -> None:
    assert moves([1, 2, 3], [3, 1, 9]) == {3: 2, 1: -1, 9: None}


def test_what_was_kept_out_and_what_has_a_place_are_all_candidates_once(filled: Memory) -> None:
    asked = filled.trying.ask(QUERY, DEFAULT)
    for profile in (DEFAULT, replace(DEFAULT, threshold=0.5), replace(DEFAULT, cap=1), replace(DEFAULT, near_words=1)):
        ranking = filled.trying.rank(asked, profile, below=100)
        ids = [hit.id for hit in ranking.hits] + [out.hit.id for out in ranking.out]
        assert sorted(ids) == sorted(set(ids)) == sorted(int(id_) for id_ in asked.found.columns.ids[asked.found.rows])


def reason(memory: Memory, id_: int, profile: Profile = DEFAULT, filters: Filters | None = None) -> Any:
    """Why a memory is not among the hits."""
    return memory.trying.why_not(memory.trying.ask(QUERY, profile, filters or Filters()), profile, id_)


def test_a_memory_that_is_there_says_its_place(filled: Memory) -> None:
    found = reason(filled, 2)
    assert (found.rule, found.place) == ("present", 1) and "#2 is there: place 1" in found.sentence


def test_a_state_keeps_out(filled: Memory) -> None:
    filled.delete([2])
    assert reason(filled, 2).rule == "state" and "in the trash" in reason(filled, 2).sentence
    filled.merge([1, 3])
    assert "merged into another" in reason(filled, 1).sentence


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        (Filters(kind=("decision",)), "filter kind decision: its own is bugfix"),
        (Filters(label=("api",)), "filter label api: it has none"),
        (Filters(until=1), "filter until 1970-01-01: it was made on"),
        (Filters(tier=("semantic", "procedural")), "filter tier semantic or procedural"),
    ],
)
def test_a_filter_keeps_out_and_says_what_the_memory_has(filled: Memory, filters: Filters, said: str) -> None:
    found = reason(filled, 1, filters=filters)
    assert found.rule == "filter" and said in found.sentence


def test_a_project_keeps_out(memory: Memory) -> None:
    for name in ("orderly", "ledger"):
        memory.add(title="retry deadline stops", project=name)
    found = reason(memory, 2, filters=Filters(project="orderly"))
    assert found.rule == "filter" and "its own is ledger" in found.sentence


def test_the_threshold_keeps_out_by_what_is_missing(filled: Memory) -> None:
    score = reason(filled, 1).score
    found = reason(filled, 1, replace(DEFAULT, threshold=round(score + 0.1, 2)))
    assert found.rule == "threshold" and found.short == pytest.approx(round(score + 0.1, 2) - score, abs=1e-4)
    assert "below the threshold" in found.sentence


def test_the_cap_keeps_out_by_what_the_last_one_has_more(filled: Memory) -> None:
    ranking = filled.trying.rank(filled.trying.ask(QUERY, DEFAULT), DEFAULT)
    first, second = ranking.hits[:2]
    found = reason(filled, second.id, replace(DEFAULT, cap=1))
    assert found.rule == "cap" and found.place == 2
    assert found.short == pytest.approx(first.score - second.score, abs=1e-4)


def test_too_little_to_do_with_it_says_both_floors(filled: Memory) -> None:
    found = reason(filled, 4, replace(DEFAULT, near_words=0.9))
    assert found.rule == "near" and "of 0.90" in found.sentence and "no model" in found.sentence


def test_what_no_search_turned_up_is_out_by_depth(filled: Memory) -> None:
    lone = filled.add(title="Something else entirely", text="nothing in common")
    found = reason(filled, lone)
    assert found.rule == "depth" and "not among the 120 nearest" in found.sentence


def test_diversity_names_what_is_like_it(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = filled.trying.ask(QUERY, DEFAULT)
    heads = np.zeros((len(asked.found), 4), dtype=np.float32)
    heads[:, 1] = 1.0
    every = replace(DEFAULT, near_words=0)
    order = [hit.id for hit in filled.trying.rank(asked, every).hits]
    places = [int(np.searchsorted(asked.found.columns.ids[asked.found.rows], id_)) for id_ in order]
    heads[places[0]] = heads[places[1]] = (1, 0, 0, 0)
    asked.found.heads = heads
    found = filled.trying.why_not(asked, replace(every, diversity=0.9, cap=2), order[1])
    assert found.rule == "diversity" and f"like #{order[0]} before it (1.00)" in found.sentence


def test_a_memory_that_does_not_exist_is_not_found(filled: Memory) -> None:
    with pytest.raises(NotFoundError):
        reason(filled, 99)


def test_a_preview_adds_up_and_names_the_rule_of_each_cut(filled: Memory) -> None:
    for at in range(12):
        filled.add(title=f"retry deadline stops {at}", text="more of it")
    given = filled.trying.preview(DEFAULT, prompt=QUERY, project=None)
    plain = filled.context(prompt=QUERY)
    assert (given.text, given.tokens) == (plain.text, plain.tokens) and not {*given.memories} & {
        one.memory.id for one in given.cut
    }
    assert sum(share.memories for share in given.shares) == len(given.memories) == 8
    assert 0 < sum(share.tokens for share in given.shares) < given.tokens
    assert "most" in {one.rule for one in given.cut}
    few = filled.trying.preview(replace(DEFAULT, cap=3), prompt=QUERY, project=None)
    assert len(few.memories) == 3


def test_a_start_tells_what_the_budget_cut(filled: Memory) -> None:
    given = filled.finding.context(project=None, prompt=None, budget=160)
    assert given.memories and {one.rule for one in given.cut} == {"budget"}
    assert len(given.memories) + len(given.cut) == 8


def test_the_profile_in_use_is_the_one_that_an_agents_prompt_is_answered_by(tmp_path: Path) -> None:
    from tui_memory import config

    strict = config.Settings(retrieve=config.RetrieveSettings(profile="strict", profiles={"strict": {"threshold": 1}}))
    with Memory(tmp_path / "store", embedding="none") as memory:
        memory.add(title="A note on retry", text="retry waits for the deadline and stops")
        assert memory.context(prompt="when does retry stop").memories
    with Memory(tmp_path / "store", embedding="none", settings=strict) as memory:
        assert not memory.context(prompt="when does the invoice and a retry stop at all").memories
