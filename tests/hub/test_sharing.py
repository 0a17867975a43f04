"""What goes to the hub and what comes from it: only what is shared, masked again, with who and when; later wins."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from tests.cli.shell import Shell
from tests.hub.conftest import Query, embedded
from tui_memory.clock import now_ms
from tui_memory.engine.memory import Memory
from tui_memory.errors import NotFoundError, RefusedError
from tui_memory.model import Filters

TOKEN = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
_TITLES = "SELECT title FROM tui_memory.memories ORDER BY title"


def titles(memory: Memory) -> list[str]:
    return sorted(one.title for one in memory.memories())


def shared(memory: Memory, *given: str, project: str = "orderly") -> list[int]:
    """Memories of a project that is shared, and pushed."""
    ids = memory.add_many([{"title": title, "text": f"About {title}.", "project": project} for title in given])
    memory.hub.share(project)
    memory.hub.push()
    return ids


def test_only_the_shared_project_goes(ana: Memory, sql: Query) -> None:
    ana.add(title="Of another project", project="ledger")
    ana.add(title="Of all projects")
    shared(ana, "Money is Decimal")
    assert sql("ana", _TITLES) == [("Money is Decimal",)]


def test_only_the_shared_kinds_go(ana: Memory, sql: Query) -> None:
    ana.add(title="A decision", kind="decision", project="orderly")
    ana.add(title="A preference", kind="preference", project="orderly")
    assert ana.hub.share("orderly", ["decision"])["to_push"] == 1
    ana.hub.push()
    assert sql("ana", _TITLES) == [("A decision",)]
    with pytest.raises(NotFoundError, match="no kind rumour"):
        ana.hub.share("orderly", ["rumour"])


def test_what_is_in_the_trash_or_held_never_goes(ana: Memory, sql: Query) -> None:
    ids = ana.add_many([{"title": "Kept", "project": "orderly"}, {"title": "Gone", "project": "orderly"}])
    ana.delete(ids[1])
    ana.hub.share("orderly")
    ana.hub.push()
    assert sql("ana", _TITLES) == [("Kept",)]


def test_it_says_who_and_when_and_nothing_of_sessions(ana: Memory, sql: Query) -> None:
    ana.add(title="Money is Decimal", project="orderly", session="s-private-1")
    ana.hub.share("orderly")
    ana.hub.push()
    row = sql(
        "ana", "SELECT author, edited_by, abs(extract(epoch FROM now() - shared_at)) < 60 FROM tui_memory.memories"
    )
    assert row == [("ana", "ana", True)]
    assert "s-private-1" not in str(sql("ana", "SELECT m::text FROM tui_memory.memories m"))


def test_what_older_rules_let_through_is_masked_on_the_way_out(ana: Memory, sql: Query) -> None:
    ids = ana.add_many([{"title": "How to deploy", "text": "Use the token.", "project": "orderly"}])
    with ana.store.transaction() as connection:  # as a store of an older version may have it
        connection.execute("UPDATE versions SET text = ? WHERE memory_id = ?", (f"Use {TOKEN} there.", ids[0]))
    ana.hub.share("orderly")
    ana.hub.push()
    whole = str(sql("ana", "SELECT m::text FROM tui_memory.memories m"))
    assert TOKEN.lower() not in whole.lower()
    assert "[redacted:github-token" in whole


def test_a_scrub_here_is_one_there_at_the_next_push(ana: Memory, sql: Query) -> None:
    ids = shared(ana, "How to deploy")
    ana.edit(ids[0], text="Another text.")
    ana.hub.push()
    sql("keeper", "ALTER TABLE tui_memory.memories DISABLE TRIGGER settle")  # as an older version sent it
    for table in ("memories", "versions"):
        sql("keeper", f"UPDATE tui_memory.{table} SET body = jsonb_set(body, '{{text}}', to_jsonb(%s::text))", (TOKEN,))
    sql("keeper", "ALTER TABLE tui_memory.memories ENABLE TRIGGER settle")
    with ana.store.transaction() as connection:
        connection.execute("UPDATE versions SET text = ? WHERE memory_id = ?", (f"Use {TOKEN}.", ids[0]))
    ana.scrub()
    assert ana.hub.push().changed == 1
    assert TOKEN not in str(sql("keeper", "SELECT m::text FROM tui_memory.memories m"))
    assert TOKEN not in str(sql("keeper", "SELECT v::text FROM tui_memory.versions v"))
    assert ana.hub.push().changed == 0


def test_what_others_let_through_is_masked_on_the_way_in(ana: Memory, ben: Memory, sql: Query) -> None:
    shared(ana, "How to deploy")
    sql("keeper", "ALTER TABLE tui_memory.memories DISABLE TRIGGER settle")
    sql(
        "keeper",
        "UPDATE tui_memory.memories SET body = jsonb_set(body, '{text}', to_jsonb(%s::text))",
        (f"Use {TOKEN}.",),
    )
    found = ben.search("How to deploy")[0]
    assert TOKEN not in found.memory.text + ben.get([found.memory.name])[0].text
    ben.hub.pull(every=True)
    assert TOKEN not in ben.memories()[0].text + ben.get([1])[0].text


def test_a_second_push_sends_nothing_and_a_pin_is_ones_own(ana: Memory) -> None:
    ids = shared(ana, "Money is Decimal", "Dates are UTC")
    done = ana.hub.push()
    assert (done.new, done.changed, done.kept, done.purged, done.projects) == (0, 0, 0, 0, ["orderly"])
    ana.pin(ids[0])
    assert (ana.hub.push().changed, ana.hub.status()["to_push"]) == (0, 0)


def test_a_vector_goes_with_it_or_follows(ana: Memory, sql: Query) -> None:
    ids = ana.add_many([{"title": f"Rule {n}", "text": f"Text {n}", "project": "orderly"} for n in range(2)])
    embedded(ana, ids[0])
    ana.hub.share("orderly")
    assert ana.hub.push().new == 2
    bare = "SELECT title, embedding IS NULL FROM tui_memory.memories ORDER BY 1"
    assert sql("ana", bare) == [("Rule 0", False), ("Rule 1", True)]
    embedded(ana, ids[1], 1)
    assert ana.hub.push().changed == 1
    assert sql("ana", bare) == [("Rule 0", False), ("Rule 1", False)]
    assert ana.hub.push().changed == 0


def test_vectors_of_another_model_stay_at_home(ana: Memory, sql: Query) -> None:
    sql("keeper", "UPDATE tui_memory.meta SET value = 'another' WHERE key = 'model'")
    embedded(ana, ana.add(title="Money is Decimal", project="orderly"))
    ana.hub.share("orderly")
    assert ana.hub.push().new == 1
    assert sql("ana", "SELECT embedding IS NULL FROM tui_memory.memories") == [(True,)]


def test_a_member_pulls_and_sees_from_whom(ana: Memory, ben: Memory) -> None:
    shared(ana, "Money is Decimal")
    done = ben.hub.pull()
    assert (done.new, done.others) == (0, ["orderly"])  # a project that is not here
    assert ben.hub.pull(["orderly"]).new == 1
    assert [(one.title, one.project, one.shared_by) for one in ben.memories()] == [
        ("Money is Decimal", "orderly", "ana")
    ]
    assert ben.history(1)[0].actor == "hub:ana"
    assert ben.hub.pull().public()["new"] == 0


def test_undo_takes_a_pull_back(ana: Memory, ben: Memory) -> None:
    shared(ana, "Money is Decimal", "Dates are UTC")
    ben.hub.pull(every=True)
    ben.undo(entry=ben.history()[0].id)
    assert ben.count() == 0


def test_projects_meet_by_the_address_of_their_repository(ana: Memory, ben: Memory) -> None:
    for memory, name in ((ana, "orderly"), (ben, "shop")):
        memory.add(title=f"Of {name}", project=name)
        with memory.store.transaction() as connection:
            connection.execute(
                "INSERT INTO project_aliases (project_id, kind, value, created)"
                " SELECT id, 'remote', 'git.example.org/o/orderly', 0 FROM projects"
            )
        memory.hub.share(name)
        memory.hub.push()
    ana.hub.pull()
    ben.hub.pull()
    assert {one.title: one.project for one in ben.memories()} == {"Of shop": "shop", "Of orderly": "shop"}
    assert len(ana.hub.status()["memories"]) == 2


def test_the_later_edit_wins_and_the_other_is_kept_as_a_version(ana: Memory, ben: Memory, sql: Query) -> None:
    shared(ana, "First")
    ben.hub.pull(every=True)
    ana.edit(1, title="Of ana, earlier")
    ben.edit(1, title="Of ben, later")
    ben.hub.share("orderly")
    assert ben.hub.push().changed == 1
    done = ana.hub.push()
    assert (done.changed, done.kept) == (0, 1)
    assert sql("ana", _TITLES) == [("Of ben, later",)]
    assert {row[0] for row in sql("ana", "SELECT title FROM tui_memory.versions")} == {"First", "Of ana, earlier"}
    assert ana.hub.pull().changed == 1
    assert titles(ana) == titles(ben) == ["Of ben, later"]
    ana.undo(entry=ana.history(1)[0].id)
    assert titles(ana) == ["Of ana, earlier"]  # here too the other one is a version
    assert sql("ana", "SELECT author, edited_by FROM tui_memory.memories") == [("ana", "ben")]


def test_an_earlier_state_there_does_not_overwrite_a_later_one_here(ana: Memory, ben: Memory) -> None:
    shared(ana, "First")
    ben.hub.pull(every=True)
    ana.edit(1, title="Of ana, earlier")
    ana.hub.push()
    ben.edit(1, title="Of ben, later")
    done = ben.hub.pull()
    assert (done.changed, done.later_here) == (0, 1)
    assert titles(ben) == ["Of ben, later"]


def test_a_pin_of_ones_own_does_not_hide_what_others_change(ana: Memory, ben: Memory) -> None:
    shared(ana, "First")
    ben.hub.pull(every=True)
    ana.edit(1, title="Second")
    ben.pin(1)
    ana.hub.push()
    assert ben.hub.pull().changed == 1
    assert [(one.title, one.pinned) for one in ben.memories()] == [("Second", True)]


def test_only_its_author_says_whether_it_is_there_at_all(ana: Memory, ben: Memory, sql: Query) -> None:
    shared(ana, "Kept by ana")
    ben.hub.pull(every=True)
    ben.delete(1)
    ben.hub.share("orderly")
    ben.hub.push()
    assert sql("ana", "SELECT state FROM tui_memory.memories") == [("active",)]
    ana.delete(1)
    ana.hub.push()
    assert sql("ana", "SELECT state FROM tui_memory.memories") == [("trash",)]
    assert ben.search("Kept by ana") == []


def test_what_is_shared_no_more_leaves_the_hub(ana: Memory, ben: Memory, sql: Query) -> None:
    shared(ana, "Money is Decimal")
    ben.hub.pull(every=True)
    assert ana.hub.withdraw("orderly")["withdrawn"] == 1
    assert sql("ana", _TITLES) == []
    assert (ana.hub.push().new, titles(ana), titles(ben)) == (0, ["Money is Decimal"], ["Money is Decimal"])


def test_rows_of_another_shape_are_left_out(ana: Memory, ben: Memory, sql: Query) -> None:
    shared(ana, "Sound", "Broken")
    sql("keeper", "ALTER TABLE tui_memory.memories DISABLE TRIGGER settle")
    sql("keeper", "UPDATE tui_memory.memories SET body = '{\"facts\": 7}' WHERE title = 'Broken'")
    assert [hit.memory.title for hit in ben.search("Broken Sound")] == ["Sound"]
    done = ben.hub.pull(every=True)
    assert (done.new, done.unreadable) == (1, 1)


@pytest.mark.parametrize("minutes", [-90, 90])
def test_a_wrong_clock_is_noticed_before_anything_goes(
    ana: Memory, monkeypatch: pytest.MonkeyPatch, minutes: int, sql: Query
) -> None:  # fmt: skip
    ana.add(title="Money is Decimal", project="orderly")
    ana.hub.share("orderly")
    monkeypatch.setattr("tui_memory.beyond.hub.there.now_ms", lambda: now_ms() + minutes * 60_000)
    with pytest.raises(RefusedError, match=r"clock is (89|90|91) minutes"):
        ana.hub.push()
    assert sql("ana", _TITLES) == []


def test_many_go_in_batches_and_all_arrive(ana: Memory, ben: Memory) -> None:
    seen: list[tuple[int, int]] = []
    ana.add_many([{"title": f"Rule {n}", "text": f"Text {n}", "project": "orderly"} for n in range(730)])
    ana.hub.share("orderly")
    assert ana.hub.push(on_progress=lambda done, of: seen.append((done, of))).new == 730
    assert seen[-1] == (730, 730)
    assert ben.hub.pull(every=True).new == 730
    assert ben.count(Filters(project="orderly")) == 730


def test_the_commands_say_it_all(hub: Callable[[str], str], shell: Shell) -> None:
    assert shell("hub", "push").code == 3
    assert "team blue" in shell("hub", "connect", hub("ana")).out.lower()
    shell("add", "--title", "Money is Decimal", "--text", "Never float.", "--project", "orderly")
    assert "sends 1 memory" in shell("hub", "share", "--project", "orderly").out
    assert "Pushed 1 new" in shell("hub", "push").out
    assert shell("hub", "push", "--json").json["new"] == 0
    assert "shares orderly" in shell("hub", "status").out
    assert "ana  admin" in shell("hub", "members").out
    assert shell("hub", "pull", "--json").json["projects"] == ["orderly"]
    assert "1 memory of yours left" in shell("hub", "share", "--project", "orderly", "--stop").out
    assert "Disconnected" in shell("hub", "disconnect").err


def test_what_is_taken_back_here_is_taken_back_there(ana: Memory, ben: Memory) -> None:
    shared(ana, "First")
    ben.hub.pull(every=True)
    ana.edit(1, title="Second")
    ana.hub.push()
    ben.hub.pull()
    ana.undo()
    assert ana.hub.push().changed == 1 and ben.hub.pull().changed == 1
    assert titles(ben) == ["First"]
    ana.redo()
    ana.hub.push()
    ben.hub.pull()
    assert titles(ben) == ["Second"]


def test_a_vector_is_there_bit_by_bit_as_it_is_here(ana: Memory, sql: Query) -> None:
    (number,) = ana.add_many([{"title": "Money is Decimal", "project": "orderly"}])
    embedded(ana, number)
    vector = np.linspace(-0.07, 0.06, 384).astype("<f2")
    with ana.store.transaction() as connection:
        connection.execute("UPDATE vectors SET vector = ?", (vector.tobytes(),))
    ana.hub.share("orderly")
    ana.hub.push()
    [(told,)] = sql("ana", "SELECT embedding::text FROM tui_memory.memories")
    assert np.array_equal(np.array(json.loads(told), dtype="<f2"), vector)
