"""The search, end to end over a store, with a model that needs no weights."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from numpy.typing import NDArray

from tests.index.fakes import WordEmbedder
from tui_memory.clock import now_ms
from tui_memory.index.work import embed_missing
from tui_memory.model import Body, Filters, MemoryState, NewMemory
from tui_memory.retrieve.candidates import Near
from tui_memory.retrieve.profile import DEFAULT, SIGNALS, Profile
from tui_memory.retrieve.search import PARTS, Searcher
from tui_memory.store import projects
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

DAY = 86_400_000
RETRY = Body("Retry keeps the idempotency key", text="Customers were charged twice when the gateway timed out.")
SOCKET = Body("Websocket reconnect backs off", text="Clients reconnect with jitter.", files=["src/ws/client.py"])
LINT = Body("Use ruff", text="Lines end at 110.", tier="semantic", kind="convention", labels=["style"])

EMPTY_WORDS = ("the and of", "what is it with you then?", "Why didn't they", "?", "...", "🤷", "do it again")


class Model:
    """What `embed` is to a searcher; `there` false: no model can be had."""

    def __init__(self) -> None:
        self.inner, self.there = WordEmbedder(), True

    def __call__(self, texts: Sequence[str], query: bool) -> NDArray | None:  # type: ignore[type-arg]
        return self.inner.encode(texts, query=query) if self.there else None


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def searcher(store: Store, model: Model) -> Searcher:
    return Searcher(store, embed=model)


def add(store: Store, *bodies: Body, embed: bool = True, **fields: object) -> list[int]:
    """Memories of these bodies, embedded."""
    ids = Changes(store).add([NewMemory(body, **fields) for body in bodies])  # type: ignore[arg-type]
    if embed:
        embed_missing(store, WordEmbedder())
    return ids


def found(searcher: Searcher, query: str, **how: object) -> list[int]:
    """Ids, best first."""
    return [hit.id for hit in searcher.search(query, **how).results]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("alone", "better", "worse"),
    [
        (
            "title",
            Body("Pool of connections", text="It leaks."),
            Body("Many small things of the pool", text="It leaks."),
        ),
        ("phrase", Body("A", text="The connection pool leaks."), Body("B", text="The pool of a connection leaks.")),
    ],
)
def test_titles_and_words_side_by_side_count(
    store: Store, searcher: Searcher, alone: str, better: Body, worse: Body
) -> None:
    first, other = add(store, better, worse)
    only = Profile(**dict.fromkeys(SIGNALS, 0.0) | {alone: 1.0, "near_words": 0.0})  # type: ignore[arg-type]
    hits = {hit.id: hit.scores for hit in searcher.search("why does the connection pool leak", profile=only).results}
    assert hits[first][alone] > hits[other][alone] >= 0
    assert hits[first]["coverage"] == 0


def test_words_and_meaning_find_and_the_parts_add_up(store: Store, searcher: Searcher) -> None:
    ids = add(store, RETRY, SOCKET, LINT)
    result = searcher.search("retry idempotency")
    best = result.results[0]
    assert best.id == ids[0]
    assert result.degraded == []
    assert best.score == pytest.approx(sum(best.scores.get(name, 0) for name in PARTS), abs=1e-4)
    assert best.scores["fused"] == pytest.approx(sum(best.scores[name] for name in SIGNALS), abs=1e-4)
    assert best.memory.title == RETRY.title


def test_an_identifier_is_found_however_it_is_written(store: Store, searcher: Searcher) -> None:
    ids = add(store, Body("Users", text="getUserById returns None"), SOCKET)
    assert found(searcher, "get_user_by_id")[0] == ids[0]


@pytest.mark.parametrize("query", ["zebra giraffe", "", "   ", '"', "* OR -", "\ud800 \x00", *EMPTY_WORDS])
@pytest.mark.parametrize("there", [True, False])
def test_what_has_nothing_to_do_with_it_finds_nothing_and_nothing_breaks(
    store: Store, searcher: Searcher, model: Model, query: str, there: bool
) -> None:
    add(store, RETRY, SOCKET, Body("What it was about and why", text="The and of the what is it with you then."))
    model.there = there
    assert found(searcher, query) == []


def test_among_many_memories_it_takes_more_to_be_near_by_meaning(store: Store, searcher: Searcher) -> None:
    ids = add(store, SOCKET)
    query = "reconnect zebra giraffe lion tiger"
    cosine = searcher.search(query, profile=Profile(near_words=1)).results[0].scores["cosine"]
    profile = Profile(near_words=1, near_meaning=round(cosine / 1.05, 4))
    assert found(searcher, query, profile=profile) == ids
    add(store, *(Body(f"Something else, number {n}") for n in range(1000)))
    assert found(searcher, query, profile=profile) == []
    Changes(store).edit(ids[0], Body(SOCKET.title, text=SOCKET.text, files=list(SOCKET.files), kind="incident"))
    embed_missing(store, WordEmbedder())
    assert found(searcher, query, profile=profile, filters=Filters(kind=("incident",))) == ids


@pytest.mark.parametrize("query", ["make", "go get", "Just", "the make target", "give up", "giving up"])
def test_function_words_that_say_something_are_found(store: Store, searcher: Searcher, query: str) -> None:
    tool, _ = add(store, Body("make target, go get and just recipes never give up"), RETRY)
    assert found(searcher, query)[:1] == [tool]


def test_an_empty_store_finds_nothing(searcher: Searcher) -> None:
    assert found(searcher, "anything") == []


def test_without_a_model_words_are_searched_and_it_is_said(store: Store, searcher: Searcher, model: Model) -> None:
    ids = add(store, RETRY, SOCKET)
    model.there = False
    result = searcher.search("websocket reconnect")
    assert [hit.id for hit in result.results] == [ids[1]]
    assert result.degraded == ["model"]
    assert "dense" not in result.results[0].scores


def test_what_has_no_vectors_yet_is_found_by_words_and_it_is_said(store: Store, searcher: Searcher) -> None:
    add(store, RETRY)
    late = add(store, SOCKET, embed=False)
    result = searcher.search("websocket reconnect")
    assert result.results[0].id == late[0]
    assert result.degraded == ["index"]
    embed_missing(store, WordEmbedder())
    assert searcher.search("websocket reconnect").degraded == []


@pytest.mark.parametrize("state", [MemoryState.TRASH, MemoryState.HELD, MemoryState.MERGED])
def test_what_is_not_in_use_is_never_found(store: Store, searcher: Searcher, state: MemoryState) -> None:
    ids = add(store, RETRY, SOCKET)
    assert found(searcher, "retry idempotency")[0] == ids[0]
    Changes(store).set_state(ids[:1], state, "test")
    assert ids[0] not in found(searcher, "retry idempotency")
    Changes(store).set_state(ids[:1], MemoryState.ACTIVE, "test")
    assert found(searcher, "retry idempotency")[0] == ids[0]


def test_a_creation_that_was_taken_back_is_found_again_after_redo(store: Store, searcher: Searcher) -> None:
    ids = add(store, RETRY)
    assert found(searcher, "retry idempotency") == ids
    Changes(store).undo()
    assert found(searcher, "retry idempotency") == []
    Changes(store).redo()
    assert found(searcher, "retry idempotency") == ids


def test_a_superseded_memory_stands_right_under_what_replaced_it(store: Store, searcher: Searcher) -> None:
    old, middle, new = add(store, RETRY, Body("Keys are kept a day"), Body("Keys live in the order row"))
    Changes(store).supersede(old, middle)
    Changes(store).supersede(middle, new)
    assert found(searcher, "retry idempotency charged twice") == [new, middle, old]


def test_an_edit_is_found_by_its_new_words_alone(store: Store, searcher: Searcher) -> None:
    ids = add(store, RETRY, SOCKET)
    found(searcher, "warm up")
    Changes(store).edit(ids[0], Body("Giraffes are tall"))
    embed_missing(store, WordEmbedder())
    assert found(searcher, "giraffes")[0] == ids[0]
    assert ids[0] not in found(searcher, "idempotency key")


def test_another_process_is_followed(store: Store, searcher: Searcher) -> None:
    add(store, RETRY)
    found(searcher, "warm up")
    with Store(store.home) as other:
        ids = add(other, SOCKET)
    assert found(searcher, "websocket reconnect")[0] == ids[0]


def test_filters_let_through_what_they_say_and_global_memories_always(store: Store, searcher: Searcher) -> None:
    orderly, ledger = (projects.find_or_add(store, name) for name in ("orderly", "ledger"))
    (ours,) = add(store, Body("Deploy by tag", files=["src/a.py"], labels=["ops"]), project_id=orderly, branch="main")
    (theirs,) = add(store, Body("Deploy by hand", kind="procedure"), project_id=ledger, created=now_ms() - 9 * DAY)
    (everyone,) = add(store, Body("Deploy on Mondays", tier="semantic"))
    assert set(found(searcher, "deploy")) == {ours, theirs, everyone}
    expected: list[tuple[Filters, set[int]]] = [
        (Filters(project="orderly"), {ours, everyone}),
        (Filters(project=("orderly", "ledger")), {ours, theirs, everyone}),
        (Filters(project="absent"), {everyone}),
        (Filters(branch=("main",)), {ours}),
        (Filters(tier=("semantic", "procedural")), {everyone}),
        (Filters(kind=("procedure",)), {theirs}),
        (Filters(label=("ops",)), {ours}),
        (Filters(path=("src/*.py",)), {ours}),
        (Filters(ext=(".py",)), {ours}),
        (Filters(since=now_ms() - DAY), {ours, everyone}),
        (Filters(until=now_ms() - DAY), {theirs}),
        (Filters(session=("absent",)), set()),
        (Filters(project="orderly", kind=("procedure",)), set()),
    ]
    for filters, ids in expected:
        assert set(found(searcher, "deploy", filters=filters)) == ids, filters


def test_limit_cap_and_lowest_score_are_kept_to(store: Store, searcher: Searcher) -> None:
    add(store, *(Body(f"Deploy step {n}", text="deploy " * n) for n in range(1, 9)))
    every = searcher.search("deploy step", limit=99)
    assert len(every.results) == 8
    assert found(searcher, "deploy step", limit=3) == [hit.id for hit in every.results[:3]]
    assert len(found(searcher, "deploy step", limit=99, profile=Profile(cap=2))) == 2
    border = every.results[3].score
    assert len(found(searcher, "deploy step", min_score=border)) == 4


def test_a_pin_uses_branch_and_files_at_hand_lift_a_memory(store: Store, searcher: Searcher) -> None:
    (plain,) = add(store, Body("Deploy by tag", files=["z.py"]))
    (lifted,) = add(store, Body("Deploy by tag", files=["a.py"]), branch="main")
    Changes(store).pin([lifted], True)
    with store.transaction() as connection:
        connection.execute("UPDATE memories SET uses = 5 WHERE id = ?", (lifted,))
    hits = searcher.search("deploy tag", near=Near("main", ("a.py", "b.py"))).results
    assert [hit.id for hit in hits] == [lifted, plain]
    assert hits[0].scores["pin"] == pytest.approx(DEFAULT.pin)
    assert hits[0].scores["use"] == pytest.approx(DEFAULT.use / 2)
    assert hits[0].scores["affinity"] == pytest.approx(DEFAULT.branch + DEFAULT.files / 2)


def test_the_younger_of_two_equals_stands_first(store: Store, searcher: Searcher) -> None:
    (old,) = add(store, Body("Deploy by tag"), created=now_ms() - 400 * DAY)
    (new,) = add(store, Body("Deploy by tag"))
    assert found(searcher, "deploy tag") == [new, old]


def test_neighbours_in_a_session_lend_each_other_what_they_have(store: Store, searcher: Searcher) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT INTO sessions (agent, session, started, last_seen) VALUES ('a', 's', 1, 1)")
    question, answer = Body("Which colour has the deploy button"), Body("The button is green")
    first, second = add(store, question, answer, session_id=1)
    (alone,) = add(store, Body("The button is green"), created=now_ms() + 1000)
    hits = {hit.id: hit for hit in searcher.search("deploy button colour").results}
    assert hits[second].scores["neighbours"] > 0
    assert hits[second].scores["coverage"] > hits[alone].scores["coverage"]
    assert next(iter(hits)) == first


def test_a_profile_ranks_again_without_the_model(store: Store, searcher: Searcher, model: Model) -> None:
    add(store, RETRY, SOCKET, LINT)
    gathered = searcher.gather("retry websocket")
    asked = model.inner.calls
    by_words = searcher.rank(gathered, profile=Profile(dense=0, passage=0))
    assert {name for name in ("dense", "passage") if by_words.results[0].scores[name]} == set()
    assert model.inner.calls == asked


def test_diversity_puts_the_unlike_before_the_double(store: Store, searcher: Searcher) -> None:
    twin, double = add(store, Body("Deploy by tag on main"), Body("Deploy by tag on main"))
    (other,) = add(store, Body("Deploy needs two reviewers"))
    order = found(searcher, "deploy by tag", profile=Profile(diversity=0.6))
    assert set(order[:2]) & {twin, double}
    assert order[1] == other


def test_a_saved_index_serves_the_next_process(store: Store, searcher: Searcher, model: Model) -> None:
    ids = add(store, RETRY, SOCKET)
    found(searcher, "warm up")
    assert searcher.save(least=3) == 0
    assert searcher.save(least=2) == 1
    other = Searcher(store, embed=model)
    assert found(other, "retry idempotency")[0] == ids[0]
    assert [index.unsaved for index in other.indexes()] == [0]


def test_threads_share_one_searcher(store: Store, searcher: Searcher) -> None:
    ids = add(store, RETRY, SOCKET)
    answers: list[list[int]] = []

    def ask() -> None:
        answers.extend(found(searcher, "retry idempotency")[:1] for _ in range(10))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [ids[:1]] * 40
