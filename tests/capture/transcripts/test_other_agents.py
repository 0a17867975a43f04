"""What the histories of Gemini CLI, Copilot CLI, OpenCode and Aider become."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.capture.transcripts.reading import FIXTURES, drafts, steps, told, write
from tui_memory.capture import fence
from tui_memory.capture.gemini_cli import without_context
from tui_memory.capture.opencode import without_quotes
from tui_memory.capture.transcripts import Tally
from tui_memory.model import Kind

GEMINI = FIXTURES / "gemini-cli"
COPILOT = FIXTURES / "copilot" / "d3b0c1a4-77a2-4a7d-9d8a-0a54f0e1b2c3" / "events.jsonl"
OPENCODE = FIXTURES / "opencode" / "ses_4f1c9a2b7ffeOrderly01.export.json"
AIDER = FIXTURES / "aider" / ".aider.chat.history.md"


def test_gemini_messages_that_come_again_are_one_and_those_taken_back_are_none() -> None:
    tally = Tally()
    made = [step.draft for step in steps("gemini-cli", GEMINI / "session-2026-11-29T09-20-c9b7f2f0.jsonl", 0, tally)]
    assert told(made) == [
        (Kind.PROMPT, "Explain how orderly retries failed payments."),
        (Kind.READ, "Read /home/dev/orderly/src/orderly/payments.py (1 line)"),
        (Kind.ERROR, "$ uv run pytest -q tests/test_pay.py"),
        (Kind.RESPONSE, "I'll read the payment module."),
        (Kind.PROMPT, "リトライを4回に 🔁"),
        (Kind.RESPONSE, "変更しました。"),
    ]
    assert tally.skipped["taken back"] == 2 and tally.skipped["written again"] == 1


def test_geminis_old_and_new_files_tell_the_same() -> None:
    old = drafts("gemini-cli", GEMINI / "session-2026-11-29T09-20-c9b7f2f0.legacy.json")
    assert [(draft.key, draft.text) for draft in old] == [
        (draft.key, draft.text) for draft in drafts("gemini-cli", GEMINI / "session-2026-11-29T09-20-c9b7f2f0.jsonl")
    ]


def test_geminis_prompts_come_out_without_what_hooks_put_around_them() -> None:
    made = drafts("gemini-cli", FIXTURES / "gemini-cli.transcript.jsonl")
    assert "INJECTED" not in str(made) and "hook_context" not in str(made)
    assert made[0].text == "Write down how to set up the project"
    assert {draft.cwd for draft in made} == {"/home/dev/orderly"}
    assert made[3].kind == Kind.EDIT and made[3].files == ["CONTRIBUTING.md"]
    assert made[-1].text.endswith("Wrote CONTRIBUTING.md with the set-up steps.")


def test_context_before_and_after_a_prompt_goes_also_where_it_is_not_closed() -> None:
    escaped = fence.wrap("#1 x").replace("<", "&lt;").replace(">", "&gt;")
    around = f"<hook_context>{escaped}</hook_context>\n\nfix it\n<hook_context>more"
    assert without_context(around) == "fix it"
    assert without_context("why does <hook_context> appear?") == "why does <hook_context> appear?"


def test_an_unknown_rewind_takes_everything_back(tmp_path: Path) -> None:
    meta = {"sessionId": "s1", "projectHash": "x", "kind": "main"}
    asked = {"id": "m1", "type": "user", "content": [{"text": "go"}], "timestamp": "2026-11-29T09:00:00Z"}
    path = write(tmp_path / "session-1.jsonl", [meta, asked, {"$rewindTo": "gone"}])
    assert drafts("gemini-cli", path) == []


def test_a_gemini_sub_agents_chat_belongs_to_its_parents_session(tmp_path: Path) -> None:
    folder = tmp_path / "parent-session"
    folder.mkdir()
    meta = {"sessionId": "child", "projectHash": "x", "kind": "subagent"}
    said = {"id": "m1", "type": "gemini", "content": "found it", "timestamp": "2026-11-29T09:00:00Z"}
    made = drafts("gemini-cli", write(folder / "session-1.jsonl", [meta, said]))
    assert [(one.session, one.parent, one.text) for one in made] == [("parent-session", "child", "found it")]


def test_copilots_events_become_a_session_and_sub_agents_keep_their_id() -> None:
    made = drafts("copilot", COPILOT)
    assert told(made) == [
        (Kind.PROMPT, "Wire up webhooks for order.paid"),
        (Kind.READ, "Read src/webhooks.ts (1 line)"),
        (Kind.ERROR, "$ npm run build"),
        (Kind.SEARCH, "Grep webhook"),
        (Kind.RESPONSE, "order.paid is now delivered to every subscribed URL."),
        (Kind.PROMPT, "ありがとう 🙏"),
        (Kind.LIFECYCLE, "PostCompact (auto)"),
    ]
    assert [draft.parent for draft in made if draft.parent] == ["agent-7"]


def test_copilots_success_with_an_exit_code_is_a_failure() -> None:
    made = drafts("copilot", FIXTURES / "copilot.transcript.jsonl")
    assert [draft.kind for draft in made] == ["prompt", "command", "edit", "error", "response"]
    assert made[3].detail["exit_code"] == 1
    assert made[3].detail["error"] == "ValueError: could not convert string to float: 'abc'"
    assert "shellId" not in str(made) and "INJECTED" not in str(made)


def test_opencodes_export_is_told_without_what_the_program_added() -> None:
    made = drafts("opencode", OPENCODE)
    assert told(made) == [
        (Kind.PROMPT, "Two people bought the last unit. Find the race. 在庫"),
        (Kind.EDIT, "src/orderly/stock.py +1 −1"),
        (Kind.ERROR, "Read nope.py"),
        (Kind.RESPONSE, "The reservation is not atomic: two carts can take the last unit."),
    ]


def test_opencodes_tree_of_files_and_its_database_tell_what_its_export_tells(tmp_path: Path) -> None:
    whole = json.loads(OPENCODE.read_text("utf-8"))
    expected = [(draft.key, draft.text, draft.time) for draft in drafts("opencode", OPENCODE)]
    tree, database = _tree(tmp_path, whole), _database(tmp_path, whole)
    assert [(draft.key, draft.text, draft.time) for draft in drafts("opencode", tree)] == expected
    assert [(draft.key, draft.text, draft.time) for draft in drafts("opencode", database)] == expected


def _tree(folder: Path, whole: dict[str, Any]) -> Path:
    info = whole["info"]
    session = folder / "storage" / "session" / "p1" / f"{info['id']}.json"
    files = {session: info}
    for message in whole["messages"]:
        own = message["info"]
        files[folder / "storage" / "message" / info["id"] / f"{own['id']}.json"] = own
        for part in message["parts"]:
            files[folder / "storage" / "part" / own["id"] / f"{part['id']}.json"] = part
    for file, value in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    return session


def _database(folder: Path, whole: dict[str, Any]) -> Path:
    path, info = folder / "opencode.db", whole["info"]
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE session (id TEXT, directory TEXT, parent_id TEXT, time_created INTEGER);"
        "CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);"
        "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);"
    )
    connection.execute("INSERT INTO session VALUES (?, ?, NULL, 1)", (info["id"], info["directory"]))
    for message in whole["messages"]:
        own = message["info"]
        values = (own["id"], info["id"], own["time"]["created"], json.dumps(own))
        connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", values)
        for part in message["parts"]:
            connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)", (part["id"], own["id"], info["id"], json.dumps(part))
            )
    connection.commit()
    connection.close()
    return path


def test_the_quotes_opencode_puts_around_a_prompt_go_and_a_persons_own_stay() -> None:
    assert without_quotes('"Add an order store"') == "Add an order store"
    assert without_quotes('"say \\"hi\\" to it"') == 'say "hi" to it'
    assert without_quotes('"a" is not "b"') == '"a" is not "b"'


def test_aiders_history_is_prompts_edits_commits_commands_and_answers() -> None:
    made = drafts("aider", AIDER)
    assert told(made) == [
        (Kind.PROMPT, "make cart totals use Decimal"),
        (Kind.EDIT, "src/orderly/cart.py +1 −1"),
        (Kind.COMMIT, "commit 7c1d2e3"),
        (Kind.RESPONSE, "I'll switch the accumulator to `Decimal`."),
        (Kind.COMMAND, "$ pytest -q tests/test_cart.py"),
        (Kind.PROMPT, "fix the test: 「合計」 should be ¥1,200 — not 1200.0"),
        (Kind.EDIT, "tests/test_cart.py +1 −1"),
        (Kind.COMMIT, "commit 9d2c7b1"),
        (Kind.RESPONSE, "The test compared a float. Here is the fix:"),
        (Kind.PROMPT, "what did we change today?"),
        (Kind.RESPONSE, "We moved cart totals to `Decimal` and fixed the test."),
    ]
    assert made[0].text == "make cart totals use Decimal\nand keep the public API"
    assert "# A heading inside an assistant answer" in made[8].text and "SEARCH" not in made[8].text
    assert len({draft.session for draft in made}) == 2 and [draft.time for draft in made] == sorted(
        draft.time for draft in made
    )


def test_aider_is_told_again_from_its_last_session_on() -> None:
    tally = Tally()
    every = steps("aider", AIDER, 0, tally)
    again = steps("aider", AIDER, tally.resume)
    assert [step.identity for step in again] == [step.identity for step in every[-2:]]


def test_a_search_block_that_is_never_closed_is_words(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text("# aider chat started at 2026-11-29 08:01:12\n#### go  \n" + "<<<<<<< SEARCH\n" * 3 + "done\n")
    assert drafts("aider", path)[-1].text.endswith("done")
