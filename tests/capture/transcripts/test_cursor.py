"""What Cursor's agent-transcripts become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.capture.transcripts.reading import FIXTURES, drafts, steps, told, write
from tui_memory.capture.transcripts import Tally, defaults, search
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory
from tui_memory.model import Filters, Kind

SESSION = "2f8a1c36-6d4e-4b3a-9c70-1f0a8f4a7d55"
PLACE = FIXTURES / "cursor" / "home-dev-orderly" / "agent-transcripts" / SESSION / f"{SESSION}.jsonl"


def test_a_transcript_is_told_without_the_markup_and_what_it_hides() -> None:
    made = drafts("cursor", PLACE)
    assert told(made) == [
        (Kind.PROMPT, "Make the invoice PDF show VAT per line."),
        (Kind.READ, "Read src/orderly/invoice.py"),
        (Kind.EDIT, "src/orderly/invoice.py +1 −1"),
        (Kind.COMMAND, "$ npm test"),
        (Kind.RESPONSE, "VAT is now shown per line; I added vat.py and a test."),
        (Kind.PROMPT, "請求書にも ✅"),
        (Kind.RESPONSE, "対応しました。"),
    ]
    assert {(draft.session, draft.cwd) for draft in made} == {(SESSION, "/home/dev/orderly")}
    assert "exit_code" not in made[3].detail  # no result is told: unknown is not success


def test_a_grown_file_is_told_from_its_last_turn_on_under_the_same_identities() -> None:
    whole, tally = steps("cursor", PLACE), Tally()
    steps("cursor", PLACE, 0, tally)
    again = steps("cursor", PLACE, tally.resume)
    assert [step.identity for step in again] == [step.identity for step in whole[-2:]]


def test_what_stands_around_a_question_is_no_question(tmp_path: Path) -> None:
    def user(text: str) -> dict[str, object]:
        return {"role": "user", "message": {"content": [{"type": "text", "text": text}]}}

    around = "<attached_files>secret plan</attached_files>\n<user_query>\nfix it\n</user_query>\n<rules>x</rules>"
    made = drafts("cursor", write(tmp_path / "s.jsonl", [user(around), user("<user_query>\ncut shor"), user("plain")]))
    assert [draft.text for draft in made] == ["fix it", "cut shor", "plain"]


def test_a_sub_agents_file_belongs_to_its_session(tmp_path: Path) -> None:
    folder = tmp_path / "agent-transcripts" / "main"
    (folder / "subagents").mkdir(parents=True)
    record = {"role": "assistant", "message": {"content": [{"type": "text", "text": "found it"}]}}
    write(folder / "main.jsonl", [record])
    write(folder / "subagents" / "sub.jsonl", [record])
    [session] = search([tmp_path]).sessions
    assert [file.name for file in session.files] == ["main.jsonl", "sub.jsonl"]
    [made] = drafts("cursor", session.files[1])
    assert (made.session, made.parent, made.kind) == ("main", "sub", Kind.RESPONSE)


def test_the_folder_is_found_by_a_call_or_on_this_machine_and_is_never_another(tmp_path: Path) -> None:
    work = tmp_path / "my.work" / "shop"
    (tmp_path / "my" / "work").mkdir(parents=True)
    work.mkdir(parents=True)
    slug = str(work).strip("/").replace("/", "-").replace(".", "-").replace("_", "-")
    said = {"role": "user", "message": {"content": "go"}}
    for name, folder in ((slug, str(work)), ("nowhere-at-all", str(tmp_path / "p" / "nowhere-at-all"))):
        (tmp_path / "p" / name / "agent-transcripts").mkdir(parents=True)
        path = write(tmp_path / "p" / name / "agent-transcripts" / "s.jsonl", [said])
        assert [draft.cwd for draft in drafts("cursor", path)] == [folder]


def test_its_own_place_is_read_and_nothing_else_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".cursor" / "projects" / "home-dev-orderly"
    (folder / "agent-transcripts").mkdir(parents=True)
    (folder / "terminals").mkdir()
    assert defaults("cursor") == [folder / "agent-transcripts"]


def test_what_the_hooks_told_is_not_told_again(memory: Memory, tmp_path: Path) -> None:
    """The transcript has neither times nor ids: what is alike in its session is the same, each once."""
    base = {"conversation_id": SESSION, "generation_id": "g1", "cursor_version": "3.1", "workspace_roots": ["/srv/o"]}
    hooks: list[dict[str, Any]] = [
        {"hook_event_name": "beforeSubmitPrompt", "prompt": "run it"},
        {"hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": {"command": "npm test"},
         "tool_output": json.dumps({"output": "ok", "exitCode": 0}), "tool_use_id": "t1"},
        {"hook_event_name": "afterAgentResponse", "text": "All tests pass."},
    ]  # fmt: skip
    for event in hooks:
        assert memory.capture("cursor", base | event, time=1_700_000_000_000) is not None
    records = [
        {"role": "user", "message": {"content": "<user_query>\nrun it\n</user_query>"}},
        {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Shell",
                                                       "input": {"command": "npm test"}}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "All tests pass."}]}},
        {"role": "user", "message": {"content": "<user_query>\nrun it\n</user_query>"}},
    ]  # fmt: skip
    folder = tmp_path / "agent-transcripts"
    folder.mkdir()
    report = Importing(memory).transcripts([write(folder / f"{SESSION}.jsonl", records)])
    assert (report.stored, report.known) == (1, 3)  # asked a second time, which the hooks missed
    kinds = [item.kind for item in memory.observations(Filters(), limit=100)]
    assert sorted(kinds) == ["command", "prompt", "prompt", "response"]
    assert Importing(memory).transcripts([folder]).stored == 0
