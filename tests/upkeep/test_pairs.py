"""Duplicates and contradictions: what is proposed of the labelled pairs, and what follows changes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.upkeep import labelled
from tui_memory import Memory, config
from tui_memory.clock import now_ms
from tui_memory.model import Filters
from tui_memory.store import pairs
from tui_memory.store.pairs import PairRow
from tui_memory.upkeep import pairing, wording
from tui_memory.upkeep.findings import Pair

RULES_ONLY = config.CompressSettings(routes=("extractive",))
RELATIONS = ("same", "different", "apart", "replaced")
Known = dict[tuple[int, int], labelled.Labelled]
Judged = tuple[Memory, Known]
MERGING = config.Settings(compress=RULES_ONLY, upkeep=config.UpkeepSettings(merge_duplicates=0.8))


def fill(memory: Memory) -> Known:
    """Every labelled pair, each relation a project; by the ids of both memories."""
    rows = [pair for relation in RELATIONS for pair in labelled.pairs(relation)]
    items = [
        {"title": text.title, "text": text.text, "project": pair.relation, "created": 1_700_000_000_000 + number * 1000}
        for number, (pair, text) in enumerate((pair, text) for pair in rows for text in (pair.one, pair.other))
    ]
    ids = memory.add_many(items)
    return {(ids[2 * number], ids[2 * number + 1]): pair for number, pair in enumerate(rows)}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """The labelled pairs with the real model's vectors, after one look."""
    with Memory(tmp_path_factory.mktemp("labelled") / "store", settings=MERGING) as memory:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tui_memory.engine.upkeeping.Upkeeping._merge_sure", lambda _self: [])
            known = fill(memory)
            memory.upkeep.refresh()
        yield memory, known


def share(found: list[Pair], known: Known, relation: str, *, held_out: bool) -> float:
    """How many of the labelled pairs of a relation are among those found."""
    wanted = {ids for ids, pair in known.items() if pair.relation == relation and pair.held_out == held_out}
    return len(wanted & {(pair.low, pair.high) for pair in found}) / len(wanted)


@pytest.mark.parametrize(("held_out", "least"), [(False, 1.0), (True, 0.85)])
def test_two_tellings_of_one_event_are_proposed(judged: Judged, held_out: bool, least: float) -> None:
    memory, known = judged
    assert share(memory.upkeep.duplicates(), known, "same", held_out=held_out) >= least


def test_what_is_near_but_different_is_never_merged_by_rule(judged: Judged) -> None:
    memory, known = judged
    automatic = {(pair.low, pair.high) for pair in memory.upkeep.duplicates() if pair.automatic}
    assert automatic
    assert {known[pair].relation for pair in automatic} == {"same"}


def test_only_tellings_of_one_event_are_proposed_at_all(judged: Judged) -> None:
    memory, known = judged
    assert {known[pair.low, pair.high].relation for pair in memory.upkeep.duplicates()} == {"same"}


@pytest.mark.parametrize(("held_out", "least"), [(False, 1.0), (True, 0.85)])
def test_a_truth_and_what_replaced_it_contradict(judged: Judged, held_out: bool, least: float) -> None:
    memory, known = judged
    found = memory.upkeep.contradictions()
    assert share(found, known, "replaced", held_out=held_out) >= least
    assert share(found, known, "same", held_out=held_out) == 0
    assert share(found, known, "apart", held_out=held_out) == 0
    assert share(found, known, "different", held_out=held_out) <= 0.25  # another value of one thing: a person says


def test_evidence_says_why(judged: Judged) -> None:
    memory, known = judged
    (wanted,) = (ids for ids, pair in known.items() if pair.one.title == "Use pip for environments")
    pair = next(pair for pair in memory.upkeep.contradictions() if (pair.low, pair.high) == wanted)
    older, newer = memory.get([pair.low, pair.high])
    assert older.created < newer.created
    (sentence,) = pair.evidence["sentences"]
    assert sentence["reason"] == "instead"
    assert sentence["low"] in older.text and sentence["high"] in newer.text
    assert pair.evidence["versions"] == [older.version, newer.version]
    told = next(pair for pair in memory.upkeep.duplicates())
    assert set(told.evidence) == {"versions", "vector", "text", "exact", "differs"}
    assert 0.8 < told.evidence["vector"] <= 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The  pool\n ran dry", "the pool ran dry", True),
        ("ﬁle “a” is Ｗide", "file “a” is wide", True),
        ("Request 7f3a9c12 failed", "Request 9e0b1d44aa failed", True),
        ("At 2026-11-02T10:00:00Z it failed", "At 2026-11-03 11:12:13 it failed", True),
        ("018f6d3e-7c1a-7bbb-8000-1234567890ab ended", "018f6d3e-7c1a-7bbb-8000-ffffffffffff ended", True),
        ("It listens on port 8080", "It listens on port 8081", False),
        ("Version 1.2.3 is out", "Version 1.2.4 is out", False),
    ],
)
def test_what_passes_is_no_difference(one: str, other: str, same: bool) -> None:
    assert (wording.key([one]) == wording.key([other])) == same


def test_equal_texts_are_found_without_vectors(memory: Memory) -> None:
    one, other, elsewhere = memory.add_many([
        {"title": "Run 018f6d3e77aa", "text": "All tests passed.", "project": "orderly"},
        {"title": "run  018f6d3e99bb", "text": "All tests PASSED.", "project": "orderly"},
        {"title": "Run 018f6d3e77aa", "text": "All tests passed.", "project": "other"},
    ])  # fmt: skip
    memory.upkeep.refresh()
    (pair,) = memory.upkeep.duplicates()
    assert (pair.low, pair.high, pair.score, pair.evidence["exact"]) == (one, other, 1.0, True)
    assert not pair.automatic  # nobody has asked for that
    assert elsewhere not in (pair.low, pair.high)


def test_files_apart_keep_two_memories_two(memory: Memory) -> None:
    memory.add_many([{"title": "Fix a typo", "files": [name], "project": "o"} for name in ("a.md", "b.md")])
    memory.upkeep.refresh(full=True)
    assert memory.upkeep.duplicates() == []


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory(tmp_path_factory.mktemp("meaning") / "store", settings=config.Settings(compress=RULES_ONLY)) as made:
        yield made


def test_pairs_follow_every_change(meaning: Memory) -> None:
    memory, told = meaning, labelled.pairs("same")[0]

    def found() -> list[tuple[int, int]]:
        memory.upkeep.refresh()
        return [(pair.low, pair.high) for pair in memory.upkeep.duplicates(Filters(project="follow"))]

    one = memory.add(title=told.one.title, text=told.one.text, project="follow")
    assert found() == []
    other = memory.add(title=told.other.title, text=told.other.text, project="follow")
    assert found() == [(one, other)]
    memory.delete(other)
    assert memory.upkeep.duplicates(Filters(project="follow")) == []  # at once, before the next look
    memory.restore(other)
    assert found() == [(one, other)]
    memory.edit(other, title="Something else", text="The logo is blue.")
    assert found() == []
    memory.undo()
    assert found() == [(one, other)]
    with Memory(memory.home, embedding="none") as elsewhere:
        elsewhere.merge([one, other])
    assert memory.upkeep.duplicates(Filters(project="follow")) == []


def test_a_full_look_finds_what_single_looks_found(meaning: Memory) -> None:
    for pair in labelled.pairs("same")[:6] + labelled.pairs("replaced")[:6]:
        for text in pair.one, pair.other:
            meaning.add(title=text.title, text=text.text, project="full")
            meaning.upkeep.refresh()
    filters = Filters(project="full")

    def both() -> tuple[list[Pair], list[Pair]]:
        return meaning.upkeep.duplicates(filters), meaning.upkeep.contradictions(filters)

    before = both()
    assert len(before[0]) >= 6 and len(before[1]) >= 6
    seen: list[tuple[int, int]] = []
    done = meaning.upkeep.refresh(full=True, on_progress=lambda one, all_: seen.append((one, all_)))
    assert done.examined == meaning.count() and seen[-1][0] == seen[-1][1]
    assert both() == before


def test_a_clock_that_is_set_back_costs_no_pair_and_keeps_none(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = memory.add_many([{"title": "Twice", "text": "The same."}, {"title": "Twice", "text": "The same."}])
    memory.upkeep.refresh(full=True)
    versions = [row.version for row in memory.get(ids)]
    other = memory.add(title="Something else", text="Quite another thing.")
    withdrawn = PairRow(False, ids[0], other, versions[0], memory.get(other)[0].version, 0.9, None)
    pairs.add(memory.store, [withdrawn], now_ms() + 86_400_000)
    hour, real = 3_600_000, now_ms
    calls = itertools.count()
    monkeypatch.setattr(pairs, "now_ms", lambda: real() - hour * next(calls))
    memory.upkeep.refresh(full=True)
    assert [(pair.low, pair.high) for pair in memory.upkeep.duplicates()] == [tuple(ids)]


def test_a_look_that_is_cancelled_leaves_what_was_known(meaning: Memory) -> None:
    told = labelled.pairs("same")[1]
    for text in (told.one, told.other):
        meaning.add(title=text.title, text=text.text, project="cancelled")
    meaning.upkeep.refresh()
    before = meaning.upkeep.duplicates()
    assert before
    assert meaning.upkeep.refresh(full=True, cancelled=lambda: True).cancelled
    assert meaning.upkeep.duplicates() == before


def test_sure_duplicates_are_merged_where_the_settings_say_so(tmp_path: Path) -> None:
    with Memory(tmp_path / "merging", settings=MERGING) as memory:
        known = fill(memory)
        count = memory.count()
        done = memory.upkeep.refresh()
        assert done.merged
        originals = {tuple(made.merged_from) for made in memory.get(done.merged)}
        assert {known[pair].relation for pair in originals if pair in known} == {"same"}
        assert memory.count() == count - len(done.merged)
        entry = next(entry for entry in memory.history(done.merged[0]) if entry.action == "merge")
        assert entry.actor == "upkeep"
        merged_from = memory.get(done.merged[0])[0].merged_from
        memory.undo(entry=entry.id)
        assert [one.state for one in memory.get(merged_from)] == ["active", "active"]


def test_only_one_process_looks_at_a_time(memory: Memory) -> None:
    from tui_memory.upkeep.lease import lease

    with lease(memory.store.home) as mine:
        assert mine
        assert memory.upkeep.refresh().busy
        assert memory.upkeep.enforce().busy
        assert memory.upkeep.run().evicted.busy
    assert not memory.upkeep.refresh().busy


def test_what_is_purged_leaves_no_pair(memory: Memory) -> None:
    ids = memory.add_many([{"title": "Twice", "text": "The same.", "project": "o"}] * 2)
    memory.upkeep.refresh()
    assert memory.upkeep.duplicates()
    memory.purge(ids=ids[:1], yes=True)
    for table in ("upkeep_pairs", "upkeep_keys", "upkeep_gone", "uses_by_day"):
        column = "version_id" if table == "upkeep_keys" else "low" if table == "upkeep_pairs" else "memory_id"
        owner = "versions" if table == "upkeep_keys" else "memories"
        left = memory.store.rows(f"SELECT 1 FROM {table} WHERE {column} NOT IN (SELECT id FROM {owner})")
        assert not left, table
    assert memory.upkeep.duplicates() == []


def test_a_full_look_keeps_the_log_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, settings = tmp_path / "store", config.Settings(compress=RULES_ONLY)
    with Memory(home, embedding="none", settings=settings) as memory:
        memory.add_many([{"title": f"Number {n}"} for n in range(2_000)], embed=False)
    monkeypatch.setattr(pairing, "_BATCH", 20)
    monkeypatch.setattr(pairing, "_FOLDED", 100)
    with Memory(home, embedding="none", settings=settings) as memory:
        memory.upkeep.refresh(full=True)
        assert len(memory.store.rows("SELECT 1 FROM upkeep_keys")) == 2_000
        assert (home / "memory.db-wal").stat().st_size < 500_000  # else it was 3 MB, and 200 with 100,000 memories
