"""A search asks the store and the hub at once: found from whom, fused by the profile, never waited for too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from tests.cli.shell import Shell
from tests.hub.conftest import Query, embedded
from tui_memory import config
from tui_memory.beyond.hub import link
from tui_memory.beyond.hub.asking import Asking
from tui_memory.engine.memory import Memory
from tui_memory.errors import NotFoundError, RefusedError
from tui_memory.model import Filters
from tui_memory.retrieve.elsewhere import Answer, Question
from tui_memory.retrieve.search import PARTS
from tui_memory.surfaces.mcp import tools
from tui_memory.surfaces.mcp.desk import Desk

RETRIES: dict[str, Any] = {
    "title": "Retries reuse the idempotency key",
    "text": "A charge is asked for twice.",
    "project": "orderly",
}


@pytest.fixture
def shared(ana: Memory) -> Memory:
    """Ana's store, which shares two memories of orderly."""
    ana.add(**RETRIES, kind="decision", files=["src/payments.py"], labels=["money"])
    ana.add(title="Sockets are closed by the reader", text="Else it leaks.", project="orderly", kind="bugfix")
    ana.hub.share("orderly")
    ana.hub.push()
    return ana


def titles(memory: Memory, query: str, **filters: Any) -> list[str]:
    return [hit.memory.title for hit in memory.search(query, filters=Filters(**filters))]


def test_a_hit_of_the_hub_says_from_whom(shared: Memory, ben: Memory) -> None:
    result = ben.search_result("idempotency key of retries")
    hit = result.results[0]
    assert "hub" not in result.degraded
    assert (hit.memory.title, hit.memory.shared_by, hit.memory.name[:4]) == (RETRIES["title"], "ana", "hub:")
    assert result.public()["results"][0]["shared_by"] == "ana"
    assert ben.get([hit.memory.name])[0].text == RETRIES["text"]
    assert ben.get(hit.id)[0].uid == shared.get(1)[0].uid


def test_both_places_are_ranked_as_one(shared: Memory, ben: Memory) -> None:
    ben.add(title="Retries wait longer each time", text="With jitter; not the idempotency key.", project="orderly")
    ben.add(title="Linting is strict", text="No warnings.", project="orderly")
    found = ben.search("retries reuse idempotency key")
    assert [hit.id > 0 for hit in found] == [False, True]
    for hit in found:
        assert hit.score == pytest.approx(sum(hit.scores.get(name, 0.0) for name in PARTS), abs=1e-4)


def test_the_profile_says_what_the_hub_counts(shared: Memory, ben: Memory) -> None:
    ben.add(title="Retries reuse the key of idempotency", text="A charge is asked for twice.", project="orderly")
    query = "Retries reuse the idempotency key, a charge is asked for twice"
    whole, half = (
        {hit.id < 0: hit for hit in ask(ben, query, hub=weight)} for weight in (1.0, 0.5)
    )  # fmt: skip
    assert whole[True].score > whole[False].score
    assert half[True].score == pytest.approx(whole[True].score / 2, abs=0.02)
    assert half[False].score == pytest.approx(whole[False].score, abs=1e-3)
    assert [hit.id > 0 for hit in ask(ben, query, hub=0.0)] == [True]


def ask(memory: Memory, query: str, **weights: float) -> list[Any]:
    profile = replace(memory.finding.profile(None), **weights)  # type: ignore[arg-type]  # all are numbers
    asked = memory.trying.ask(query, profile)
    return memory.trying.rank(asked, profile).hits


def test_what_is_here_too_is_found_once(shared: Memory, ben: Memory) -> None:
    assert [hit.id > 0 for hit in shared.search("idempotency key")] == [True]
    ben.hub.pull(every=True)
    assert [(hit.id > 0, hit.memory.shared_by) for hit in ben.search("idempotency key")] == [(True, "ana")]


def test_without_a_hub_nothing_changes(shared: Memory, tmp_path: Path) -> None:
    with Memory(tmp_path / "alone", embedding="none") as alone:
        alone.add(**RETRIES)
        before = alone.search_result("idempotency key")
        assert ("hub" in before.degraded, "hub" in before.results[0].scores) == (False, False)
        assert not list((tmp_path / "alone").glob("hub*"))


def test_a_local_hit_scores_the_same_where_the_hub_has_nothing(ben: Memory, tmp_path: Path) -> None:
    with Memory(tmp_path / "alone", embedding="none") as alone:
        for memory in (alone, ben):
            memory.add(**RETRIES, created=1_780_000_000_000)
        both = [memory.search("idempotency key")[0].score for memory in (alone, ben)]
    assert both[0] == pytest.approx(both[1], abs=1e-6)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kind": ("bugfix",)}, False),
        ({"kind": ("decision",)}, True),
        ({"label": ("money",)}, True),
        ({"label": ("other",)}, False),
        ({"path": ("src/*.py",)}, True),
        ({"path": ("payments.py",)}, True),
        ({"ext": (".rs",)}, False),
        ({"tier": ("procedural",)}, False),
        ({"since": 4_000_000_000_000}, False),
        ({"until": 4_000_000_000_000}, True),
        ({"agent": ("codex",)}, False),
        ({"branch": ("main",)}, False),
    ],
)
def test_filters_hold_there_as_here(shared: Memory, ben: Memory, filters: dict[str, Any], expected: bool) -> None:
    assert titles(ben, "idempotency key", **filters) == ([RETRIES["title"]] if expected else [])


def test_a_project_means_the_same_there(shared: Memory, ben: Memory) -> None:
    ben.add(title="Of a project with another name", project="ledger")
    assert titles(ben, "idempotency key", project="ledger") == []
    ben.hub.pull(["orderly"])
    ben.add(title="Here", project="orderly")
    shared.add(title="The idempotency key lives a day", project="orderly")
    shared.hub.push()
    assert "The idempotency key lives a day" in titles(ben, "idempotency key", project="orderly")


def test_a_hub_that_is_down_costs_no_local_hit(ben: Memory, hub: Callable[[str], str], monkeypatch: Any) -> None:
    ben.add(**RETRIES)
    known = link.read(ben.home)
    assert known is not None
    link.write(ben.home, replace(known, parameters=known.parameters | {"host": str(ben.home)}))
    for _ in range(2):
        result = ben.search_result("idempotency key")
        assert [hit.memory.title for hit in result.results] == [RETRIES["title"]]
        assert "hub" in result.degraded
    assert result.took_ms < 100  # one that failed is not asked again at once
    link.write(ben.home, known)
    assert "hub" not in ben.search_result("idempotency key").degraded


def test_a_hub_that_is_slow_is_waited_for_as_long_as_the_deadline_says(
    shared: Memory, hub: Callable[[str], str], tmp_path: Path
) -> None:  # fmt: skip
    settings = config.Settings(hub=config.HubSettings(deadline_ms=250))
    with Memory(tmp_path / "ben", embedding="none", settings=settings) as ben:
        ben.hub.connect(hub("ben"))
        ben.add(title="The idempotency key lives a day", project="orderly")
        assert len(ben.search("idempotency key")) == 2
        with psycopg.connect(hub("keeper")) as blocking:
            blocking.execute("LOCK TABLE tui_memory.memories IN ACCESS EXCLUSIVE MODE")
            started = time.monotonic()
            result = ben.search_result("idempotency key")
            took = time.monotonic() - started
        assert (len(result.results), "hub" in result.degraded) == (1, True)
        assert 0.2 < took < 2


def test_every_surface_says_that_the_hub_was_missing(
    ben: Memory, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    from tui_memory.tui.screens import memory_rows

    ben.add(**RETRIES)
    known = link.read(ben.home)
    assert known is not None
    link.write(ben.home, replace(known, parameters=known.parameters | {"host": str(ben.home)}))
    monkeypatch.setenv("TUI_MEMORY_HOME", str(ben.home))
    typed = shell("search", "idempotency key", "--all-projects", "--json")
    assert "hub" in typed.json["degraded"]
    assert "team's hub did not answer in time" in typed.err
    monkeypatch.setattr(Desk, "_have_model", lambda _self: None)
    desk = Desk("claude-code", ben.home)
    assert "team's hub did not answer in time" in desk.search(
        tools.Search.model_validate({"query": "idempotency key", "project": "*"})
    )
    desk.close()
    assert memory_rows.missing(["hub"]) == "without the team's hub: it did not answer in time"


def test_an_agent_finds_and_fetches_what_others_share(
    shared: Memory, ben: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(Desk, "_have_model", lambda _self: None)
    desk = Desk("claude-code", ben.home)
    index = desk.search(tools.Search.model_validate({"query": "idempotency key", "project": "*"}))
    name = next(word for word in index.split() if word.startswith("hub:"))
    assert "from ana" in index
    whole = desk.get(tools.Get.model_validate({"ids": [name]}))
    assert "A charge is asked for twice." in whole and "shared by: ana" in whole
    desk.close()


def test_a_person_reads_it_and_cannot_change_it(
    shared: Memory, ben: Memory, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setenv("TUI_MEMORY_HOME", str(ben.home))
    name = ben.search("idempotency key")[0].memory.name
    found = shell("search", "idempotency key", "--all-projects").out
    assert name in found and "from ana" in found
    assert "A charge is asked for twice." in shell("show", name).out
    refused = shell("delete", name)
    assert refused.code == 3 and "hub pull" in refused.err
    with pytest.raises(NotFoundError, match="no memory hub:99999"):
        ben.get(["hub:99999"])


def test_meaning_is_compared_where_the_models_are_the_same(shared: Memory, ben: Memory, sql: Query) -> None:
    vectors = np.eye(384, dtype=np.float32)
    sql("keeper", "ALTER TABLE tui_memory.memories DISABLE TRIGGER settle")
    for at, start in enumerate(("Retries", "Sockets")):
        sql(
            "keeper", "UPDATE tui_memory.memories SET embedding = %s::halfvec WHERE title LIKE %s",
            (str(vectors[at].tolist()), f"{start}%"),
        )  # fmt: skip
    known = link.read(ben.home)
    assert known is not None
    question = Question({"unheard": 1.0}, vectors[1], Filters())
    embedded(ben, ben.add(title="Here"))
    for model, expected in (("all-MiniLM-L6-v2", [("Sockets", 1.0), ("Retries", 0.0)]), ("another", [])):
        with ben.store.transaction() as connection:
            connection.execute("UPDATE models SET name = ?", (model,))
        asking = Asking(known, 5, ben.hub._showing())
        answer = asking.ask(question)()
        assert isinstance(answer, Answer)
        found = [(one.memory.title.split()[0], one.cosine) for one in answer.found]
        assert sorted(found, reverse=True) == expected
        asking.close()


def test_a_connection_that_was_cut_is_made_anew(shared: Memory, ben: Memory, sql: Query) -> None:
    assert len(ben.search("idempotency key")) == 1
    sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ben'")
    result = ben.search_result("idempotency key")
    assert (len(result.results), "hub" in result.degraded) == (1, False)


def test_a_host_that_the_settings_no_longer_allow_is_not_asked(shared: Memory, ben: Memory) -> None:
    known = link.read(ben.home)
    assert known is not None
    link.write(ben.home, replace(known, parameters=known.parameters | {"host": "db.example.org"}))
    assert "hub" in ben.search_result("idempotency key").degraded
    with pytest.raises(RefusedError, match=r"remote.allowed_hosts"):
        ben.hub.push()


def test_a_memory_that_a_filter_keeps_out_is_said_so_with_a_hub_too(shared: Memory, ben: Memory) -> None:
    other = ben.add(title="Linting is strict", kind="convention", project="orderly")
    asked = ben.trying.ask("idempotency key", ben.finding.profile(None), Filters(kind=("decision",)))
    assert len(ben.trying.rank(asked, ben.finding.profile(None)).hits) == 1
    assert ben.trying.why_not(asked, ben.finding.profile(None), other).rule == "filter"


def test_common_words_do_not_hide_rare_ones(ana: Memory, ben: Memory, sql: Query) -> None:
    ana.add_many(
        [{"title": f"The error in file {n}", "text": "Common words.", "project": "orderly"} for n in range(600)]
    )
    ana.add(title="The error in zanzibar", project="orderly")
    ana.hub.share("orderly")
    ana.hub.push()
    sql("keeper", "ANALYZE tui_memory.memories")
    assert titles(ben, "the error in zanzibar")[0] == "The error in zanzibar"
    assert len(titles(ben, "error file common")) == 10


def test_a_removed_member_searches_on_without_it(shared: Memory, ben: Memory) -> None:
    shared.hub.change_members(remove="ben")
    assert "hub" in ben.search_result("idempotency key").degraded
    with pytest.raises((RefusedError, NotFoundError)):
        ben.hub.pull()
