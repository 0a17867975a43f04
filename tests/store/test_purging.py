"""What is purged is gone: from every row, every index, every file; and what is left is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.store.conftest import Agent
from tests.store.erased import found, reader
from tui_memory import places
from tui_memory.errors import ConflictError, NotFoundError, UnfinishedError, UsageError
from tui_memory.index.faiss_index import FaissIndex
from tui_memory.model import Body, Draft, Drop, Kind, MemoryKind, MemoryState
from tui_memory.store import (
    chunks,
    connection,
    erasing,
    forgotten,
    imports,
    memories,
    observations,
    purging,
    queue,
    vectors,
)
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store
from tui_memory.store.purging import Counts, Scope

Add = Callable[..., int]
SECRET = "quokkabolt41"  # one token to the analyser, in no other test's text


def purge(store: Store, **scope: Any) -> Counts:
    """Plan, delete and erase."""
    wanted = Scope(**scope)
    taken, _ = purging.purge(store, wanted, purging.plan(store.connection, wanted), "person", lambda _: None)
    erasing.finish(store)
    assert not erasing.pending(store)
    assert store.rows("PRAGMA foreign_key_check") == []
    assert store.rows("PRAGMA integrity_check")[0][0] == "ok"
    return taken


def terms(store: Store, like: str) -> list[str]:
    return [row[0] for row in store.rows("SELECT term FROM search_terms WHERE term LIKE ?", (like,))]


def embed(store: Store, *texts: tuple[int, str]) -> int:
    """Chunks with vectors for versions, as (version, text); the model's id."""
    model = vectors.model(store, "made-up", 8)
    ids = chunks.add(store, [(version, 0, text) for version, text in texts])
    each = np.eye(8, dtype="<f2")
    vectors.put(store, model, [(id_, each[n % 8].tobytes()) for n, id_ in enumerate(ids)])
    return model


def test_the_text_is_in_no_file_and_no_index(store: Store, add: Add) -> None:
    gone, stays = add("The vault", text=f"The vault opens with {SECRET} alone."), add("Kept", text="kept for good")
    model = embed(store, *((memory.version, memory.title) for memory in memories.get(store, [gone, stays])))
    index = FaissIndex(store, model)
    assert len(index.refresh().chunks) == 2 and index.snapshot()
    assert found(store.home, SECRET) and any(places.vectors_dir(store.home).glob("model-*"))
    assert purge(store, match=SECRET) == Counts(1, 1, 0, 0, 0, [purging.Share("", 1, 2, 0, 0)])
    assert found(store.home, SECRET) == []
    assert terms(store, "quokka%") == [] and terms(store, "vault") == []
    assert [row["chunk_id"] for row in store.rows("SELECT chunk_id FROM vectors")] == [2]
    assert index.refresh().chunks.tolist() == [2]
    assert [path.name for path in places.vectors_dir(store.home).iterdir()] == ["lock"]
    assert index.snapshot() and FaissIndex(store, model).refresh().chunks.tolist() == [2]
    assert [memory.id for memory in memories.page(store)] == [stays]


def test_an_index_that_was_made_before_cannot_bring_a_vector_back(store: Store, add: Add) -> None:
    ids = [add("a", text=SECRET), add("b")]
    model = embed(store, *((memory.version, memory.title) for memory in memories.get(store, ids)))
    with Store(store.home) as other:  # as another process has it
        index = FaissIndex(other, model)
        index.refresh()
        purge(store, ids=(ids[0],))
        assert index.snapshot()
        assert FaissIndex(store, model).refresh().chunks.tolist() == [2]


def test_a_match_takes_old_versions_and_leaves_the_memory(store: Store, changes: Changes, add: Add) -> None:
    id_ = add("The vault", text=f"It opens with {SECRET}.")
    changes.edit(id_, Body("The vault", text="It opens with a key."))
    taken = purge(store, match=SECRET)
    assert (taken.count, taken.memories, taken.versions) == (1, 0, 1)
    assert found(store.home, SECRET) == []
    assert memories.get(store, [id_])[0].text == "It opens with a key."
    with pytest.raises(ConflictError, match="as far back as undo reaches"):
        changes.undo()


def test_a_match_is_looked_for_in_every_text_as_it_reads(store: Store, add: Add, agent: Agent) -> None:
    add("a", facts=[f'said "{SECRET}"\nand left'])
    add("b", labels=[SECRET])
    add("c", files=[f"src/{SECRET}.py"])
    add("d", branch=f"feature/{SECRET}")
    stays = add("e", text="quokkabolt")
    agent.run("true", f'printed "{SECRET}"\nonce')
    agent.run(f"cat {SECRET}")
    agent.run("true")
    taken = purge(store, match=f'"{SECRET}"\n|{SECRET}$|{SECRET}\\.py')
    assert (taken.memories, taken.observations) == (4, 2)
    assert found(store.home, SECRET) == []
    assert [memory.id for memory in memories.page(store)] == [stays]


@pytest.mark.parametrize("pattern", ["(", ".*", "x?"])
def test_a_pattern_that_is_none_or_matches_everything(store: Store, pattern: str) -> None:
    with pytest.raises(UsageError, match="Nothing was purged"):
        purging.plan(store.connection, Scope(match=pattern))


def test_a_memory_takes_what_it_was_made_of_and_what_quotes_it(store: Store, add: Add, agent: Agent) -> None:
    said = agent.prompt(f"Remember that the vault opens with {SECRET} and nothing else.").observation
    session = store.rows("SELECT id FROM sessions")[0][0]
    line = f"The vault opens with {SECRET} and nothing else."
    id_ = add("The vault", text=line, sources=[said], session_id=session)
    digest = add("Digest", text="Learned: The vault", kind=MemoryKind.DIGEST, session_id=session)
    agent.send("UserPromptSubmit", session_id="other", prompt=f"It told me: {line} Is that right?")
    other = agent.send("UserPromptSubmit", session_id="other", prompt="What opens the vault?").observation
    taken = purge(store, ids=(id_,))
    assert (taken.memories, taken.observations) == (2, 2)
    assert found(store.home, SECRET) == []
    assert [row.id for row in observations.page(store)] == [other]
    with pytest.raises(NotFoundError):
        memories.get(store, [digest])


def test_a_merge_goes_with_its_originals_and_they_with_it(store: Store, changes: Changes, add: Add) -> None:
    ids = [add(f"Part {n}", text=f"{SECRET} {n}") for n in range(2)]
    made = changes.merge(ids, Body("Whole", text=f"{SECRET} 0 and 1"))
    assert purge(store, ids=(made,)).memories == 3
    assert found(store.home, SECRET) == []


def test_an_original_that_stays_is_what_it_was_before_the_merge(store: Store, changes: Changes, add: Add) -> None:
    gone, stays = add("a", text=SECRET), add("b", text="kept")
    made = changes.merge([gone, stays], Body("a and b", text=f"{SECRET}, kept"))
    assert purge(store, match=SECRET).memories == 2
    (left,) = memories.page(store, state="all")
    assert (left.id, left.state) == (stays, MemoryState.ACTIVE)
    assert [entry.action for entry in changes.history(stays)] == ["purge", "merge", "add"]
    with pytest.raises(NotFoundError, match=f"#{made} was purged"):
        memories.resolve(store, made)


def test_a_session_is_forgotten_whole_and_its_transcript_does_not_bring_it_back(
    store: Store, add: Add, agent: Agent
) -> None:
    first = agent.prompt(f"The vault opens with {SECRET}.")
    agent.run("true", SECRET)
    agent.end()
    assert first.session_id is not None
    store.connection.execute("UPDATE queue SET last_error = ?", (SECRET,))
    add("Learned", text=SECRET, session_id=first.session_id)
    add("Elsewhere", text=f"from {SECRET}", sources=[first.observation])
    agent.send("UserPromptSubmit", session_id="s2", prompt="Another one")
    imports.put_mark(store.connection, "/home/dev/s1-00000000.jsonl", imports.Mark(1))
    taken = purge(store, session="s1")
    assert (taken.memories, taken.observations) == (2, 3)
    assert found(store.home, SECRET) == []
    assert [row.session for row in observations.sessions(store)] == ["s2"]
    assert queue.counts(store) == {}
    draft = Draft(Kind.PROMPT, "claude-code", "s1", f"The vault opens with {SECRET}.", time=agent.now)
    told = imports.take(store.connection, draft, "x", imports.Seen(), agent.settings, b"k", holder="import:1")
    assert told == Drop.IGNORED and found(store.home, SECRET) == []
    assert not forgotten.holds(store.connection, "claude-code", "s1", agent.now + 10**12)


def test_a_project_is_forgotten_with_its_name_and_folders(store: Store, add: Add, agent: Agent) -> None:
    from tui_memory.store import projects

    agent.prompt("hello")
    projects.assign(store)
    own = projects.find(store, "orderly")
    other = projects.find_or_add(store, "other")
    add("Of it", project_id=own)
    stays = add("Not of it", project_id=other)
    taken = purge(store, project_id=own)
    assert taken.shares == [purging.Share("orderly", 1, 1, 1, 1)]
    assert found(store.home, "orderly") == []
    assert [memory.id for memory in memories.page(store)] == [stays]


def test_what_is_older_goes_with_what_was_made_of_it(store: Store, add: Add, agent: Agent) -> None:
    old = agent.prompt(f"old {SECRET}").observation
    border = agent.now + 1
    new = agent.prompt("new").observation
    add("Made of old", text=SECRET, created=border + 5, sources=[old])
    stays = add("Made of new", created=border + 5, sources=[new])
    add("Old", created=1)
    taken = purge(store, before=border)
    assert (taken.memories, taken.observations) == (2, 1)
    assert [memory.id for memory in memories.page(store)] == [stays]
    assert [row.id for row in observations.page(store)] == [new]


def test_judgments_queries_errors_and_disclosures_go(store: Store, add: Add, agent: Agent) -> None:
    id_, stays = add("a", text=SECRET), add("b")
    session = agent.prompt("hello").session_id
    agent.stop()
    with store.transaction() as opened:
        opened.execute("CREATE TABLE experiments (id INTEGER PRIMARY KEY, result TEXT, other TEXT)")
        opened.execute("INSERT INTO experiments (result) VALUES (?), ('kept')", (f"made {SECRET}",))
        for query, memory in ((f"what is {SECRET}", stays), ("what is b", stays), ("what is a", id_)):
            opened.execute(
                "INSERT INTO judgments (query, memory_id, relevant, created) VALUES (?, ?, 1, 1)", (query, memory)
            )
        for memory in (id_, stays):
            opened.execute(
                "INSERT INTO disclosures (session_id, memory_id, phase, tokens, time) VALUES (?, ?, 'start', 1, 1)",
                (session, memory),
            )
        opened.execute("INSERT INTO start_index VALUES (0, ?, 1, '[]', 1)", (SECRET,))
        opened.execute("UPDATE queue SET last_error = ?", (f"bad answer: {SECRET}",))
    purge(store, match=SECRET)
    assert found(store.home, SECRET) == []
    assert [row[0] for row in store.rows("SELECT query FROM judgments")] == ["what is b"]
    assert [row[0] for row in store.rows("SELECT memory_id FROM disclosures")] == [stays]
    assert [row[0] for row in store.rows("SELECT result FROM experiments")] == ["kept"]


def test_back_ups_that_hold_it_go_and_others_stay(store: Store, add: Add) -> None:
    connection._back_up(store.home, 1)
    (before,) = (store.home / "backups").iterdir()
    id_ = add("a", text=SECRET)
    connection._back_up(store.home, 2)
    purge(store, ids=(id_,))
    assert list((store.home / "backups").iterdir()) == [before]
    assert found(store.home, SECRET) == []


def test_copies_outside_are_named(store: Store, add: Add, tmp_path: Path) -> None:
    (tmp_path / "export.jsonl").write_text("")
    for place in (str(tmp_path / "export.jsonl"), str(tmp_path / "removed.jsonl"), "s3://bucket/back-up"):
        purging.note_copy(store, place)
    scope = Scope(ids=(add("a"),))
    _, outside = purging.purge(store, scope, purging.plan(store.connection, scope), "person", lambda _: None)
    assert outside == [str(tmp_path / "export.jsonl"), "s3://bucket/back-up"]


class TestJournal:
    def test_it_keeps_no_word_of_what_was_there(self, store: Store, changes: Changes, add: Add) -> None:
        id_ = add("The vault", text=SECRET)
        uid = memories.get(store, [id_])[0].uid
        changes.pin(id_)
        purge(store, ids=(id_,))
        entries = changes.history(id_)
        assert [(entry.action, entry.title) for entry in entries] == [
            ("purge", "(purged)"), ("pin", "(purged)"), ("add", "(purged)"),
        ]  # fmt: skip
        assert (entries[0].before, entries[0].after) == ({"uid": uid, "state": "active"}, None)
        assert purging.resolve(store, id_) == purging.resolve(store, uid) == (id_, False)

    def test_undo_passes_over_what_is_gone(self, store: Store, changes: Changes, add: Add) -> None:
        stays = add("b")
        changes.pin(stays)
        gone = add("a", text=SECRET)
        changes.pin(gone)
        purge(store, ids=(gone,))
        assert [(entry.action, entry.memory) for entry in changes.undo()] == [("pin", stays)]
        with pytest.raises(ConflictError, match="purged since"):
            changes.undo(entry=changes.history(gone)[0].id)

    def test_what_was_replaced_by_it_stays_replaced(self, store: Store, changes: Changes, add: Add) -> None:
        old, new = add("old"), add("new")
        changes.supersede(old, new)
        purge(store, ids=(new,))
        left = memories.get(store, [old])[0]
        assert (left.state, left.superseded_by) == (MemoryState.SUPERSEDED, None)


class TestReaders:
    def test_an_idle_one_is_no_hindrance(self, store: Store, add: Add) -> None:
        id_ = add("a", text=SECRET)
        with reader(store.home, transaction=False):
            purge(store, ids=(id_,))
            assert found(store.home, SECRET) == []

    def test_one_that_does_not_let_go_is_told_of_and_a_second_call_finishes(self, store: Store, add: Add) -> None:
        scope = Scope(ids=(add("a", text=SECRET),))
        with reader(store.home, transaction=True):
            purging.purge(store, scope, purging.plan(store.connection, scope), "person", lambda _: None)
            with pytest.raises(UnfinishedError, match="not finished"):
                erasing.finish(store, patience=0.2)
            assert UnfinishedError.exit_code == 5
            assert erasing.pending(store) and found(store.home, SECRET)
            assert memories.page(store) == []
            add("others write meanwhile")
        erasing.finish(store)
        assert not erasing.pending(store) and found(store.home, SECRET) == []

    def test_nothing_pending_is_nothing_to_do(self, store: Store, add: Add) -> None:
        add("a")
        with reader(store.home, transaction=True):
            erasing.finish(store, patience=0)  # a reader in its way would be a refusal
        assert not erasing.pending(store)


def test_a_refusal_changes_nothing(store: Store, add: Add) -> None:
    scope = Scope(ids=(add("a", text=SECRET),))

    def refuse(_: Counts) -> None:
        raise ConflictError("no")

    with pytest.raises(ConflictError):
        purging.purge(store, scope, purging.plan(store.connection, scope), "person", refuse)
    assert memories.count(store) == 1 and not erasing.pending(store)
    assert store.rows("PRAGMA foreign_keys")[0][0] == 1


def test_what_came_after_the_plan_is_taken_as_well(store: Store, add: Add) -> None:
    add("a", text=SECRET)
    scope = Scope(match=SECRET)
    planned = purging.plan(store.connection, scope)
    add("b", text=SECRET)
    seen: list[int] = []
    purging.purge(store, scope, planned, "person", lambda counts: seen.append(counts.count))
    assert seen == [2] and memories.page(store) == []


def test_many_rows_are_erased_by_sets(store: Store, changes: Changes) -> None:
    """Thousands of children without an index on their parent: row by row this takes minutes."""
    from tui_memory.model import NewMemory

    ids = changes.add([NewMemory(Body(f"m {n}", text=f"{SECRET} {n}")) for n in range(2_000)])
    embed(store, *((memory.version, "x") for memory in memories.get(store, ids)))
    changes.add([NewMemory(Body("kept"))])
    assert purge(store, match=SECRET).count == 2_000
    assert found(store.home, SECRET) == [] and memories.count(store) == 1


def test_plan_sees_json_as_it_reads(store: Store, agent: Agent) -> None:
    agent.run('printf "%s"', 'a "quoted" word\tand a tab')
    plan = purging.plan(store.connection, Scope(match='"quoted" word\tand'))
    assert len(plan.observations) == 1
