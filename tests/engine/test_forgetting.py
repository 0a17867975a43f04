"""Purge, scrub, own rules and pauses as the engine does them: what is refused, finished later, shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import RULES_ONLY
from tests.hook.running import until
from tests.store.erased import found, reader
from tui_memory import Memory, config
from tui_memory.clock import now_ms
from tui_memory.engine import worker_client
from tui_memory.errors import NotFoundError, RefusedError, UnfinishedError, UsageError
from tui_memory.redact.custom import RuleTimeout
from tui_memory.store import erasing, rules
from tui_memory.store.pauses import FOR_EVER

PASSWORD = "".join(("Tr0ub4dor", "Zx9", "kLm2"))
WORD = "quokkabolt41"
Open = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open the one store again, with other settings."""
    made: list[Memory] = []

    def again(**redact: Any) -> Memory:
        settings = config.Settings(
            compress=config.CompressSettings(routes=("extractive",)), redact=config.RedactSettings(**redact)
        )
        made.append(Memory(tmp_path / "store", embedding="none", settings=settings))
        return made[-1]

    yield again
    for memory in made:
        memory.close()


def prompt(memory: Memory, text: str, **more: Any) -> int | None:
    payload = {"session_id": "s1", "cwd": "/nowhere/orderly", "hook_event_name": "UserPromptSubmit", "prompt": text}
    return memory.capture("claude-code", payload | more)


def leak(memory: Memory, text: str) -> int:
    """A memory and an observation as older rules would have stored them: with a secret in."""
    id_ = memory.add(title="Kept by older rules", text="x", labels=["x"], project="orderly")
    seen = prompt(memory, "x")
    with memory.store.transaction() as connection:
        connection.execute("UPDATE versions SET text = ?, title = ?", (text, text))
        connection.execute("UPDATE memories SET title = ?", (text,))
        connection.execute("UPDATE observations SET text = ? WHERE id = ?", (text, seen))
        connection.execute("UPDATE meta SET value = json_set(value, '$.code', 'older') WHERE key = 'rules'")
    return id_


class TestPurge:
    def test_it_wants_one_scope_and_a_yes(self, memory: Memory) -> None:
        id_ = memory.add(title="a")
        with pytest.raises(RefusedError, match="told what to forget"):
            memory.purge(yes=True)
        with pytest.raises(UsageError, match="ids and match"):
            memory.purge(ids=[id_], match="a", yes=True)
        with pytest.raises(RefusedError, match=r"purge 1 memory.*Nothing was changed.*--yes"):
            memory.purge(ids=[id_])
        assert memory.count() == 1

    @pytest.mark.parametrize("scope", [{"ids": [99]}, {"session": "none"}, {"project": "none"}])
    def test_what_is_named_must_be_there(self, memory: Memory, scope: dict[str, Any]) -> None:
        with pytest.raises(NotFoundError):
            memory.purge(**scope, yes=True)

    def test_a_dry_run_counts_and_changes_nothing(self, memory: Memory) -> None:
        memory.add_many([{"title": f"{WORD} {n}", "project": "orderly"} for n in range(3)])
        told = memory.purge(match=WORD, dry_run=True).public()
        assert (told["count"], told["memories"], told["observations"]) == (3, 3, 0)
        assert told["projects"] == [
            {"project": "orderly", "memories": 3, "of_memories": 3, "observations": 0, "of_observations": 0}
        ]
        assert memory.count() == 3 and found(memory.home, WORD)

    def test_more_than_half_of_a_project_needs_the_count(self, memory: Memory) -> None:
        ids = memory.add_many([{"title": f"{WORD} {n}", "project": "orderly"} for n in range(4)])
        for wrong in (None, 2, 5):
            with pytest.raises(RefusedError, match="Nothing was changed"):
                memory.purge(ids=ids[:3], yes=True, expect=wrong)
        assert memory.count() == 4
        assert memory.purge(ids=ids[:3], yes=True, expect=3).counts.count == 3
        assert memory.purge(ids=ids[3:], yes=True).counts.count == 1
        assert found(memory.home, WORD) == []

    def test_half_of_one_is_not_more_than_half(self, memory: Memory) -> None:
        ids = memory.add_many([{"title": f"{n}", "project": "orderly"} for n in range(4)])
        assert memory.purge(ids=ids[:2], yes=True).counts.count == 2

    def test_observations_count_as_well(self, memory: Memory) -> None:
        prompt(memory, WORD)
        with pytest.raises(RefusedError, match="more than half of orderly"):
            memory.purge(session="s1", yes=True)
        memory.purge(session="s1", yes=True, expect=1)
        assert found(memory.home, WORD) == []

    def test_a_reader_holds_it_up_and_the_same_call_finishes_it(self, memory: Memory) -> None:
        id_ = memory.add(title="a", text=WORD)
        with reader(memory.home, transaction=True):
            with pytest.raises(UnfinishedError, match="same"):
                memory.purge(ids=[id_], yes=True, patience=0.1)
            checks = {check["id"]: check for check in memory.doctor()["checks"]}
            assert checks["purge"]["ok"] is False and checks["purge"]["fix"]
        assert memory.purge(ids=[id_], yes=True).resumed
        assert found(memory.home, WORD) == []
        assert not memory.purge(ids=[id_], yes=True).resumed

    def test_so_does_a_call_for_a_session_that_is_no_more(self, memory: Memory) -> None:
        prompt(memory, WORD)
        with reader(memory.home, transaction=True), pytest.raises(UnfinishedError):
            memory.purge(session="s1", yes=True, expect=1, patience=0.1)
        assert memory.purge(session="s1", yes=True, expect=1).resumed
        assert found(memory.home, WORD) == []

    def test_with_the_application_and_the_worker_open(self, tmp_path: Path) -> None:
        home = tmp_path / "store"
        with (
            Memory(home, embedding="worker", settings=RULES_ONLY) as application,
            Memory(home, settings=RULES_ONLY) as memory,
        ):
            memory.start_worker()
            try:
                id_ = memory.add(title="The vault", text=f"It opens with {WORD}.")
                stays = memory.add(title="The door", text="It opens with a key.")
                assert until(lambda: id_ in [hit.id for hit in application.search(WORD)])
                memory.purge(ids=[id_], yes=True)
                assert found(home, WORD) == []
                assert id_ not in [hit.id for hit in application.search("The vault opens with")]
                assert stays in [hit.id for hit in application.search("The door opens with a key")]
                assert worker_client.refresh(home) and found(home, WORD) == []
            finally:
                memory.stop_worker()
            assert found(home, WORD) == []

    def test_the_worker_finishes_what_was_held_up(self, memory: Memory) -> None:
        id_ = memory.add(title="a", text=WORD)
        with reader(memory.home, transaction=True), pytest.raises(UnfinishedError):
            memory.purge(ids=[id_], yes=True, patience=0.1)
        memory.start_worker()
        try:
            assert until(lambda: not erasing.pending(memory.store))
        finally:
            memory.stop_worker()
        assert found(memory.home, WORD) == []


class TestOlderRules:
    def test_nothing_comes_back_raw(self, opened: Open) -> None:
        id_ = leak(opened(), f"password = {PASSWORD}")
        memory = opened()
        told = [
            json.dumps([one.public() for one in memory.get([id_])]),
            json.dumps([one.public(whole=False) for one in memory.memories()]),
            json.dumps([one.public() for one in memory.observations()]),
            json.dumps([one.public() for one in memory.history()]),
            json.dumps([one.public() for one in memory.search("password")]),
            json.dumps(memory.facets()),
            json.dumps([one.public(whole=False) for one in memory.timeline(id_)]),
            memory.context(project="orderly").text,
            memory.context(project="orderly", prompt="what is the password?").text,
        ]
        told += [json.dumps([one.public() for one in step()]) for step in (memory.undo, memory.redo)]
        assert not [text for text in told if PASSWORD in text]
        assert "[redacted:password]" in told[0] and "[redacted:password]" in told[2]

    def test_scrub_masks_it_for_good(self, opened: Open) -> None:
        id_ = leak(opened(), f"password = {PASSWORD}")
        memory = opened()
        looked = memory.scrub(dry_run=True)
        assert looked.changed == {"versions": 1, "observations": 1} and found(memory.home, PASSWORD)
        seen: list[tuple[int, int]] = []
        done = memory.scrub(on_progress=lambda now, total: seen.append((now, total)))
        assert (done.changed, done.kinds, done.finished) == (looked.changed, {"password": 3}, True)
        assert seen[-1] == (2, 2)
        assert found(memory.home, PASSWORD) == []
        assert memory.store.rows("SELECT term FROM search_terms WHERE term LIKE 'tr0ub%'") == []
        assert memory.get([id_])[0].title == "password = [redacted:password]"
        assert memory.observations()[0].redactions == {"password": 1}
        assert memory.scrub().changed == {}
        assert opened().store.mask is None

    def test_vectors_of_what_was_masked_are_made_anew(self, tmp_path: Path) -> None:
        with Memory(tmp_path / "store", settings=RULES_ONLY) as memory:
            id_ = memory.add(title="x")
            before = memory.store.rows("SELECT chunk_id FROM vectors")
            leak(memory, f"password = {PASSWORD}")
        with Memory(tmp_path / "store", settings=RULES_ONLY) as memory:
            memory.scrub()
            after = memory.store.rows("SELECT chunk_id FROM vectors")
            assert len(after) == 2 and not {tuple(row) for row in before} & {tuple(row) for row in after}
            assert memory.get([id_]) and found(memory.home, PASSWORD) == []

    def test_the_worker_scrubs_by_itself(self, opened: Open) -> None:
        leak(opened(), f"password = {PASSWORD}")
        memory = opened()
        memory.start_worker()
        try:
            today = rules.today(memory.settings.redact)
            assert until(lambda: not rules.is_behind(memory.store, today) and not erasing.pending(memory.store))
        finally:
            memory.stop_worker()
        assert found(memory.home, PASSWORD) == []

    def test_what_is_switched_on_later_counts_and_what_is_switched_off_does_not(self, opened: Open) -> None:
        address = "robin@" + "acme-orders.com"
        id_ = opened(emails=False).add(title=f"Ask {address}")
        assert opened(emails=False).get([id_])[0].title == f"Ask {address}"
        assert address not in opened().get([id_])[0].title
        assert opened().scrub().kinds == {"email": 1}
        assert opened(emails=False).store.mask is None

    def test_doctor_names_the_command(self, opened: Open) -> None:
        leak(opened(), f"password = {PASSWORD}")
        (check,) = [check for check in opened().doctor()["checks"] if check["id"] == "redaction"]
        assert (check["ok"], check["fix"]) == (False, "tui-memory scrub")


class TestOwnRules:
    ACME = (config.ExtraRule("acme-id", r"ACME-\d{6}"),)
    ENDLESS = (config.ExtraRule("endless", r"(a+)+$"),)

    def test_they_mask_events_and_memories(self, opened: Open) -> None:
        memory = opened(extra=self.ACME)
        prompt(memory, "Look at ACME-123456")
        id_ = memory.add(title="About ACME-123456")
        assert memory.observations()[0].text == "Look at [redacted:acme-id]"
        assert memory.get([id_])[0].title == "About [redacted:acme-id]"
        assert found(memory.home, "ACME-123456") == []
        assert memory.stats()["redactions"]["acme-id"] == 1

    def test_a_new_one_holds_for_what_is_stored_already(self, opened: Open) -> None:
        id_ = opened().add(title="About ACME-123456")
        memory = opened(extra=self.ACME)
        assert memory.get([id_])[0].title == "About [redacted:acme-id]"
        assert memory.scrub().kinds == {"acme-id": 1}
        assert found(memory.home, "ACME-123456") == []

    def test_one_that_does_not_end_keeps_metadata_only_and_is_counted(self, opened: Open) -> None:
        memory = opened(extra=self.ENDLESS)
        prompt(memory, "a" * 60 + f"b {WORD}")
        (seen,) = memory.observations()
        assert (seen.reason, WORD in seen.text) == ("unscanned", False)
        assert memory.stats()["metadata_only"] == {"unscanned": 1}
        with pytest.raises(RuleTimeout, match="nothing of that text was kept"):
            memory.add(title="a" * 60 + "b")
        assert memory.count() == 0 and found(memory.home, WORD) == []

    def test_a_scrub_goes_around_what_cannot_be_scanned(self, opened: Open) -> None:
        opened().add(title="a" * 60 + f"b {WORD}")
        memory = opened(extra=self.ENDLESS)
        report = memory.scrub()
        assert (report.unscanned, report.changed) == (1, {})
        assert WORD not in memory.memories()[0].title and "unscanned" in memory.memories()[0].title


class TestPauses:
    def test_everything_is_paused_until_it_is_resumed(self, memory: Memory) -> None:
        assert memory.pause() == FOR_EVER
        assert prompt(memory, "hello") is None
        assert memory.stats()["dropped"] == {"paused": 1}
        assert memory.paused() == [""]
        assert memory.resume() and not memory.resume()
        assert prompt(memory, "hello") is not None

    def test_a_pause_ends_by_itself(self, memory: Memory) -> None:
        until = memory.pause(for_ms=7_200_000)
        assert abs(until - now_ms() - 7_200_000) < 60_000
        payload = {"session_id": "s", "cwd": "/x", "hook_event_name": "UserPromptSubmit", "prompt": "later"}
        assert memory.capture("claude-code", payload, time=until - 1) is None
        assert memory.capture("claude-code", payload, time=until + 1) is not None

    def test_one_project_is_paused_with_all_its_folders(self, memory: Memory, tmp_path: Path) -> None:
        inside, beside = tmp_path / "orderly" / "src" / "deep", tmp_path / "orderly-2"
        for folder in (inside, beside):
            folder.mkdir(parents=True)
        memory.pause(str(tmp_path / "orderly"))
        assert prompt(memory, "no", cwd=str(inside)) is None
        assert prompt(memory, "no", cwd=str(tmp_path / "orderly")) is None
        assert prompt(memory, "yes", cwd=str(beside)) is not None
        assert memory.paused() == ["orderly"]
        assert memory.resume("orderly")
        assert prompt(memory, "yes", cwd=str(inside)) is not None

    def test_an_unknown_project_is_named(self, memory: Memory) -> None:
        with pytest.raises(NotFoundError):
            memory.pause("none-such")
