"""What one shared and purges goes from the hub too, and from those who pulled it; also when the hub is away."""

from __future__ import annotations

import pytest

from tests.hub.conftest import Query
from tui_memory.engine.memory import Memory
from tui_memory.errors import RefusedError, RemoteError, UnfinishedError

_COUNT = "SELECT count(*) FROM tui_memory.memories"


@pytest.fixture
def ids(ana: Memory) -> list[int]:
    """Three shared memories of ana's."""
    made = ana.add_many(
        [{"title": f"Rule {n}", "text": f"Sentence number {n}.", "project": "orderly"} for n in range(3)]
    )
    ana.hub.share("orderly")
    ana.hub.push()
    return made


def away(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub cannot be reached from this store."""
    from tui_memory.beyond.hub import session

    def nobody(*_given: object, **_named: object) -> object:
        raise RemoteError("The hub is away.")

    monkeypatch.setattr(session, "connect", nobody)


def test_a_purge_takes_it_out_of_the_hub_with_every_version(ana: Memory, ids: list[int], sql: Query) -> None:
    ana.edit(ids[0], title="Rule 0, edited")
    ana.hub.push()
    ana.purge(ids=[ids[0]], yes=True)
    assert sql("ana", _COUNT) == [(2,)]
    assert sql("ana", "SELECT count(*) FROM tui_memory.versions") == [(0,)]
    assert "Sentence number 0" not in str(sql("keeper", "SELECT m::text FROM tui_memory.memories m"))


def test_it_goes_where_it_was_pulled_and_never_comes_back(ana: Memory, ben: Memory, ids: list[int], sql: Query) -> None:
    ben.hub.pull(every=True)
    ana.purge(ids=[ids[0]], yes=True)
    assert ben.hub.pull().purged == 1
    assert sorted(one.title for one in ben.memories()) == ["Rule 1", "Rule 2"]
    ben.hub.share("orderly")
    ben.hub.push()
    assert sql("ana", _COUNT) == [(2,)]


def test_who_edited_it_cannot_bring_it_back(ana: Memory, ben: Memory, ids: list[int], sql: Query) -> None:
    ben.hub.pull(every=True)
    ben.hub.share("orderly")
    ana.purge(ids=[ids[0]], yes=True)
    ben.edit(1, title="Edited by ben")
    ben.hub.push()
    assert sql("ana", _COUNT) == [(2,)]


def test_purging_ones_own_copy_leaves_it_to_the_others(ana: Memory, ben: Memory, ids: list[int], sql: Query) -> None:
    ben.hub.pull(every=True)
    ben.hub.share("orderly")
    ben.purge(ids=[1], yes=True)
    assert sql("ana", _COUNT) == [(3,)]
    assert ben.hub.pull().new == 0
    assert "Rule 0" not in [hit.memory.title for hit in ben.search("Rule 0 Sentence")]


def test_with_the_hub_away_it_is_unfinished_and_the_next_push_finishes_it(
    ana: Memory, ids: list[int], sql: Query, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    with monkeypatch.context() as patch:
        away(ana, patch)
        with pytest.raises(UnfinishedError, match=r"purged here.*hub push") as caught:
            ana.purge(ids=[ids[0]], yes=True)
        assert caught.value.exit_code == 5
        assert ana.count() == 2
    assert sql("ana", _COUNT) == [(3,)]
    assert ana.hub.status()["purges_waiting"] == 1
    assert [check["ok"] for check in ana.doctor()["checks"] if check["id"] == "hub"] == [False]
    assert ana.hub.push().purged == 1
    assert sql("ana", _COUNT) == [(2,)]
    assert ana.hub.status()["purges_waiting"] == 0


def test_a_purge_that_was_refused_takes_nothing_from_the_hub(ana: Memory, ids: list[int], sql: Query) -> None:
    with pytest.raises(RefusedError, match="more than half"):
        ana.purge(ids=ids, yes=True)
    with pytest.raises(RefusedError):
        ana.purge(ids=[ids[0]])
    ana.hub.push()
    assert sql("ana", _COUNT) == [(3,)]


def test_an_older_version_that_is_purged_leaves_the_hub_too(ana: Memory, ids: list[int], sql: Query) -> None:
    ana.edit(ids[0], text="Say zanzibar no more.")
    ana.hub.push()
    ana.edit(ids[0], text="Another sentence.")
    ana.hub.push()
    ana.purge(match="zanzibar", yes=True, expect=ana.purge(match="zanzibar", dry_run=True).counts.count)
    assert "zanzibar" not in str(sql("keeper", "SELECT v::text FROM tui_memory.versions v"))


def test_a_push_that_breaks_off_is_a_sentence_and_goes_on_where_it_was(
    ana: Memory, ids: list[int], sql: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui_memory.beyond.hub.pushing._BATCH", 2)
    ana.add_many([{"title": f"More {n}", "project": "orderly"} for n in range(6)])

    def cut(done: int, _of: int) -> None:
        if done == 4:
            sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ana'")

    with pytest.raises(RemoteError, match="did not do it"):
        ana.hub.push(on_progress=cut)
    assert sql("keeper", _COUNT) == [(7,)]
    assert ana.hub.push().new == 2
