"""One event into the store: what is kept, what is dropped and why."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.store.conftest import KEY, Agent
from tui_memory import capture, redact
from tui_memory.config import ProjectRules
from tui_memory.model import Filters, Observation
from tui_memory.store import counters, guard, observations, pauses, projects
from tui_memory.store.db import Store

ROOT = Path(__file__).resolve().parent.parent.parent
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def last(store: Store) -> Observation:
    return observations.page(store, limit=1)[0]


def in_files(home: Path, text: str) -> bool:
    return any(text.encode() in path.read_bytes() for path in home.iterdir() if path.is_file())


class TestKept:
    def test_an_event_is_an_observation(self, store: Store, agent: Agent) -> None:
        outcome = agent.prompt("Why is the retry slow?")
        found = last(store)
        assert (found.id, found.text, found.kind, found.agent) == (
            outcome.observation,
            "Why is the retry slow?",
            "prompt",
            "claude-code",
        )
        assert (found.session, found.turn, found.time, found.state) == ("s1", 1, agent.now, "captured")
        assert (outcome.outcome, outcome.session_id, outcome.turn, outcome.draft_cwd) == (
            "stored",
            1,
            1,
            str(agent.cwd),
        )

    def test_the_outcome_says_what_the_event_means(self, agent: Agent) -> None:
        assert agent.send("SessionStart", source="startup").wants_context == "start"
        assert agent.prompt("a").wants_context == "prompt"
        assert agent.stop().ends_turn
        assert agent.end().ends_session

    def test_secrets_are_masked_before_anything_reaches_the_disk(self, store: Store, agent: Agent) -> None:
        agent.run(f"git push https://x:{SECRET}@github.com/a/b", output=f"token {SECRET}")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert not in_files(store.home, SECRET)
        assert sum(last(store).redactions.values()) >= 2
        assert sum(n for name, n in counters.all(store).items() if name.startswith("redacted:")) >= 2

    def test_secrets_of_the_hooks_own_environment_are_masked(self, store: Store, agent: Agent) -> None:
        delivery_known = ("DEPLOY_PASSWORD=correcthorse42",)
        agent.prompt("before")
        from tui_memory.store import ingest

        sent = ingest.Delivery("k1", "claude-code", agent.now, known=delivery_known)
        payload = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "it said correcthorse42, why?"}
        ingest.receive(store.connection, sent, payload, agent.settings, KEY)
        assert "correcthorse42" not in last(store).text

    def test_a_secret_that_the_cap_would_cut_is_masked_whole(self, store: Store, agent: Agent) -> None:
        agent.settings = replace(agent.settings, max_body=300)
        agent.prompt("x" * 190 + f"\n{SECRET}\n" + "y" * 4_000)
        assert SECRET[:12] not in last(store).text

    def test_head_and_tail_are_kept_of_a_long_text(self, store: Store, agent: Agent) -> None:
        agent.settings = replace(agent.settings, max_body=1_000)
        text = "\n".join(f"line {n}" for n in range(2_000))
        agent.prompt(text)
        found = last(store)
        lines = found.text.splitlines()
        assert (lines[0], lines[-1], found.size) == ("line 0", "line 1999", len(text))
        (note,) = [line for line in lines if "left out" in line]
        kept = sum(len(line) + 1 for line in lines if line != note) - 1
        assert f"{len(text) - kept + 1} of {len(text)} characters" in note
        assert store.rows("SELECT hash FROM observations")[0][0][:16] in note
        assert all(line in text for line in lines if line != note)

    def test_long_details_are_capped_too(self, store: Store, agent: Agent) -> None:
        agent.settings = replace(agent.settings, max_body=1_000)
        edit = {"file_path": str(agent.cwd / "a.py"), "old_string": "o\n" * 9_000, "new_string": "n\n" * 9_000}
        agent.send(
            "PostToolUse",
            tool_name="Edit",
            tool_input=edit,
            tool_response={"filePath": edit["file_path"]},
            tool_use_id="e",
        )
        assert len(json.dumps(last(store).detail)) < 6_000

    def test_of_a_huge_payload_only_metadata_is_kept(self, store: Store, agent: Agent) -> None:
        agent.settings = replace(agent.settings, max_payload=10_000)
        payload = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "needle " * 5_000}
        agent.receive(json.dumps(payload).encode())
        found = last(store)
        assert (found.reason, found.kind, found.turn, found.size) == ("oversize", "prompt", 1, 35_000)
        assert "needle" not in found.text

    def test_without_settings_only_metadata_is_kept(self, store: Store, agent: Agent) -> None:
        payload = {
            "session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t",
            "tool_input": {"command": "needle --now"}, "tool_response": {"stdout": "needle", "stderr": ""}, "cwd": "/x",
        }  # fmt: skip
        agent.receive(payload, settings=None)
        found = last(store)
        assert (found.reason, found.tool, found.kind, found.files) == ("unscanned", "Bash", "command", [])
        assert not in_files(store.home, "needle")
        assert counters.all(store)["kept:unscanned"] == 1

    def test_where_redaction_fails_only_metadata_is_kept(
        self, store: Store, agent: Agent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: Any) -> Any:
            raise RuntimeError("a bug")

        monkeypatch.setattr(redact.Redactor, "value", broken)
        assert agent.prompt("needle").outcome == "stored"
        assert last(store).reason == "unscanned"
        assert not in_files(store.home, "needle")

    @pytest.mark.parametrize("text", ["half \ud800", "\udc80 tail", "nul \0 byte", "\x1b[31mred", "\u202eback"])
    def test_odd_characters_break_nothing(self, store: Store, agent: Agent, text: str) -> None:
        assert agent.prompt(text, cwd=f"/x/{text}", session_id=text).outcome == "stored"
        last(store).text.encode()

    def test_bytes_that_are_not_utf8_are_read_as_far_as_they_go(self, store: Store, agent: Agent) -> None:
        agent.receive(
            b'\xef\xbb\xbf{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"caf\xe9 au lait"}'
        )
        assert last(store).text == "caf\ufffd au lait"


class TestDropped:
    def test_captured_is_stored_and_dropped(self, store: Store, agent: Agent) -> None:
        agent.prompt("a", delivery="one")
        agent.prompt("a", delivery="one")
        agent.receive(b"not json")
        agent.receive([1, 2])
        agent.send("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
        agent.prompt("<private>all of it</private>")
        pauses.put(store, pauses.FOR_EVER)
        agent.prompt("paused")
        counted = counters.all(store)
        dropped = {name.removeprefix("dropped:"): n for name, n in counted.items() if name.startswith("dropped:")}
        assert counted["captured"] == 7
        assert dropped == {"duplicate": 1, "error": 2, "ignored": 1, "private": 1, "paused": 1}
        assert counted["captured"] == counted["stored"] + sum(dropped.values())
        assert len(observations.page(store)) == counted["stored"] == 1

    def test_the_same_delivery_or_the_same_event_is_a_duplicate(self, store: Store, agent: Agent) -> None:
        assert agent.run("ls", delivery="a", tool_use_id="same").outcome == "stored"
        assert agent.run("ls", delivery="a", tool_use_id="other").outcome == "duplicate"
        assert agent.run("ls", delivery="b", tool_use_id="same").outcome == "duplicate"
        assert agent.run("ls", delivery="c", tool_use_id="third").outcome == "stored"

    def test_a_duplicate_still_tells_which_context_is_wanted(self, agent: Agent) -> None:
        agent.prompt("a", delivery="one")
        assert agent.prompt("a", delivery="one").wants_context == "prompt"

    @pytest.mark.parametrize(
        "payload", [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 99_999]
    )
    def test_an_unreadable_payload_is_an_error_and_nothing_more(
        self, store: Store, agent: Agent, payload: bytes
    ) -> None:
        assert agent.receive(payload).outcome == "error"
        assert observations.page(store) == []

    def test_an_unknown_agent_is_an_error(self, agent: Agent) -> None:
        assert agent.receive({"a": 1}, agent="nobody").outcome == "error"

    def test_an_adapter_that_fails_is_an_error(self, agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: Any, **__: Any) -> Any:
            raise KeyError("cwd")

        monkeypatch.setattr(capture, "normalise", broken)
        assert agent.prompt("a").outcome == "error"

    def test_private_passages_are_cut_and_the_rest_is_kept(self, store: Store, agent: Agent) -> None:
        agent.prompt("Fix it <private>for Mrs Example</private> today")
        assert "Mrs Example" not in last(store).text
        assert "today" in last(store).text

    def test_a_private_prompt_begins_a_turn_all_the_same(self, agent: Agent) -> None:
        agent.prompt("first")
        assert agent.prompt("<private>second</private>").turn == 2
        assert agent.run("ls").turn == 2

    def test_events_about_secret_files_are_ignored(self, store: Store, agent: Agent) -> None:
        for path in (".env", "config/prod.pem"):
            given = {"file_path": str(agent.cwd / path)}
            assert (
                agent.send(
                    "PostToolUse", tool_name="Read", tool_input=given, tool_response={}, tool_use_id=path
                ).outcome
                == "ignored"
            )
        assert observations.page(store) == []

    def test_a_pause_ends_by_itself_and_can_be_of_one_project(self, store: Store, agent: Agent) -> None:
        pauses.put(store, agent.now + 1_500)
        assert [agent.prompt("a").outcome, agent.prompt("b").outcome] == ["paused", "stored"]
        projects.assign(store)
        project = projects.find(store, "orderly")
        pauses.put(store, pauses.FOR_EVER, project)
        assert agent.prompt("c").outcome == "paused"
        assert agent.prompt("d", cwd="/elsewhere").outcome == "stored"
        pauses.put(store, 0, project)
        assert agent.prompt("e").outcome == "stored"

    @pytest.mark.parametrize("named", ["path", "name"])
    def test_settings_can_switch_capture_off(self, agent: Agent, named: str) -> None:
        name = str(agent.cwd) if named == "path" else agent.cwd.name
        agent.settings = replace(agent.settings, projects={name: ProjectRules(off=True)})
        assert [agent.prompt("a").outcome, agent.prompt("b", cwd="/elsewhere").outcome] == ["paused", "stored"]
        agent.settings = replace(agent.settings, off=True)
        assert agent.prompt("c", cwd="/elsewhere").outcome == "paused"


class TestCap:
    def test_short_texts_are_left_alone(self) -> None:
        assert guard.cap("x" * 10, 10) == "x" * 10

    def test_a_single_line_is_cut_where_it_must(self) -> None:
        head, note, tail = guard.cap("a" * 500 + "b" * 500, 90).splitlines()
        assert (head, tail) == ("a" * 60, "b" * 30)
        assert "910 of 1000 characters" in note


def test_project_filters_and_states_find_observations(store: Store, agent: Agent) -> None:
    agent.prompt("a")
    agent.run("ls")
    projects.assign(store)
    here = Filters(project="orderly")
    assert [item.kind for item in observations.page(store, here)] == ["command", "prompt"]
    assert observations.page(store, Filters(project="other")) == []
    observations.set_state(store, [1], "failed", "no route")
    assert [item.reason for item in observations.page(store, state="failed")] == ["no route"]


def test_the_hooks_fallback_needs_the_standard_library_alone(tmp_path: Path) -> None:
    """Run as the hook runs it: isolated, without site-packages; then look at what was imported, and at what it cost."""
    code = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tui_memory.store import connection, ingest
from tui_memory import config
home = Path({str(tmp_path / "s")!r})
opened = connection.connect(home)
sent = ingest.Delivery("d", "claude-code", 1)
payload = b'{{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "hello"}}'
print(ingest.receive(opened, sent, payload, config.CaptureSettings(), connection.store_key(home)).outcome)
print(*sorted(name for name in sys.modules if getattr(sys.modules[name], "__file__", None)
    and "site-packages" in sys.modules[name].__file__))
print(*sorted({{"sqlite_utils", "yaml", "Stemmer", "asyncio", "difflib", "subprocess"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["stored", "", ""]
