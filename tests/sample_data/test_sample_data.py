"""What the sample data promises: real shapes, a believable order of time, every kind of content, fair labels."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.sample_data.reading import HERE, Row, events, history, queries, rows, sessions, stems, text_of

SESSIONS, HISTORY, QUERIES, EVENTS = sessions(), history(), queries(), events()
SESSION_EVENTS = [row for part in SESSIONS.values() for row in part]
KINDS = {
    "github-token", "aws-key", "stripe-key", "jwt", "password", "db-url",
    "bearer", "private-key", "slack-webhook", "npm-token", "email", "phone",
}  # fmt: skip
MARKER = re.compile(r"\{\{secret:([a-z-]+)\}\}")
# The shapes that secret scanners look for.
LITERAL_SECRET = re.compile(
    r"gh[pousr]_\w{30}|AKIA[A-Z0-9]{16}|[sr]k_(live|test)_\w{10}|eyJ[\w-]{10,}\.eyJ|npm_\w{30}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|hooks\.slack\.com/services/T|postgres(ql)?://[^\s:@/{]+:[^\s@{]+@"
    r"|Bearer (?!\{\{)[\w-]{16,}"
)
CLAUDE_FIELDS = {
    "SessionStart": {"source", "model"},
    "UserPromptSubmit": {"prompt", "prompt_id", "permission_mode"},
    "PostToolUse": {"tool_name", "tool_input", "tool_response", "tool_use_id", "prompt_id", "duration_ms"},
    "PostToolUseFailure": {"tool_name", "tool_input", "tool_use_id", "error", "prompt_id"},
    "SubagentStop": {"agent_id", "agent_type", "agent_transcript_path", "last_assistant_message"},
    "PreCompact": {"trigger", "custom_instructions"},
    "Stop": {"stop_hook_active", "last_assistant_message", "background_tasks", "session_crons"},
    "SessionEnd": {"reason"},
}
CODEX_FIELDS = {
    "SessionStart": {"source", "model", "permission_mode"},
    "UserPromptSubmit": {"turn_id", "prompt", "model", "permission_mode"},
    "PostToolUse": {"turn_id", "tool_name", "tool_input", "tool_response", "tool_use_id", "model"},
    "PreCompact": {"turn_id", "trigger"},
    "Stop": {"turn_id", "stop_hook_active", "last_assistant_message"},
    "SessionEnd": {"reason"},
}
RESPONSE_FIELDS = {
    "Bash": {"stdout", "stderr", "interrupted"},
    "Read": {"type", "file"},
    "Grep": {"mode", "filenames", "numFiles"},
    "Glob": {"filenames", "numFiles", "truncated"},
    "Edit": {"filePath", "oldString", "newString", "structuredPatch"},
    "Write": {"type", "filePath", "content", "structuredPatch"},
    "WebFetch": {"url", "code", "result"},
    "WebSearch": {"query", "results"},
    "Task": {"status", "agentId", "content"},
}


def instant(row: Row) -> datetime:
    """When an event happened, UTC."""
    return datetime.strptime(row["time"], "%Y-%m-%dT%H:%M:%SZ")


def of_event(name: str) -> list[dict[str, Any]]:
    """The payloads of one hook event, of both agents."""
    return [row["payload"] for row in SESSION_EVENTS if row["payload"]["hook_event_name"] == name]


def of_tool(name: str) -> list[dict[str, Any]]:
    """The payloads of one tool's successful calls."""
    return [payload for payload in of_event("PostToolUse") if payload["tool_name"] == name]


def said_in_sessions() -> str:
    """All that was said and shown in the sessions."""
    return "\n".join(text_of(row) for row in SESSION_EVENTS)


# The size of it


def test_three_weeks_of_sessions_by_two_agents() -> None:
    agents = [part[0]["agent"] for part in SESSIONS.values()]
    assert len(SESSIONS) >= 22
    assert agents.count("codex") in (4, 5) and set(agents) == {"claude-code", "codex"}
    assert len(SESSION_EVENTS) >= 320
    every = [instant(row) for row in EVENTS.values()]
    assert min(every).date().isoformat() == "2026-11-02" and max(every).date().isoformat() == "2026-11-22"


def test_the_files_stay_under_a_megabyte() -> None:
    assert sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file()) < 1_000_000


def test_two_command_outputs_are_large() -> None:
    sizes = [len(json.dumps(payload["tool_response"])) for payload in of_tool("Bash")]
    assert sum(40_000 <= size <= 120_000 for size in sizes) == 2


# Envelopes and shapes


def test_ids_are_unique_and_say_where_they_are() -> None:
    assert len(EVENTS) == len(SESSION_EVENTS) + len(HISTORY)
    for stem, part in SESSIONS.items():
        number = stem.split("-", 1)[0]
        assert [row["id"] for row in part] == [f"{number}-{n:02d}" for n in range(1, len(part) + 1)]
        assert all(stem.startswith(f"{number}-{row['agent']}-") for row in part)
    assert [row["id"] for row in HISTORY] == [f"git-{n:02d}" for n in range(1, len(HISTORY) + 1)]


def test_every_file_is_in_order_of_time() -> None:
    for part in (*SESSIONS.values(), HISTORY):
        assert [instant(row) for row in part] == sorted(instant(row) for row in part)


@pytest.mark.parametrize("row", SESSION_EVENTS, ids=lambda row: row["id"])
def test_a_payload_has_its_agents_shape(row: Row) -> None:
    payload = row["payload"]
    assert set(row) == {"id", "agent", "time", "payload"}
    assert {"session_id", "transcript_path", "cwd", "hook_event_name"} <= payload.keys()
    fields = CLAUDE_FIELDS if row["agent"] == "claude-code" else CODEX_FIELDS
    assert fields[payload["hook_event_name"]] <= payload.keys()


@pytest.mark.parametrize("tool", RESPONSE_FIELDS)
def test_claude_code_answers_a_tool_in_that_tools_shape(tool: str) -> None:
    found = [payload["tool_response"] for payload in of_tool(tool) if "prompt_id" in payload]
    assert found
    assert all(RESPONSE_FIELDS[tool] <= response.keys() for response in found)


def test_codex_answers_with_text_and_edits_by_patches() -> None:
    calls = [payload for payload in of_event("PostToolUse") if "turn_id" in payload]
    assert all(isinstance(payload["tool_response"], str) for payload in calls)
    patches = [payload["tool_input"]["command"] for payload in calls if payload["tool_name"] == "apply_patch"]
    assert patches and all(patch.startswith("*** Begin Patch\n") for patch in patches)


@pytest.mark.parametrize("stem", SESSIONS)
def test_a_session_starts_asks_one_to_six_times_answers_and_ends(stem: str) -> None:
    names = [row["payload"]["hook_event_name"] for row in SESSIONS[stem]]
    assert names[0] == "SessionStart" and names[-1] == "SessionEnd" and names[-2] == "Stop"
    assert 1 <= names.count("UserPromptSubmit") <= 6
    assert len({row["payload"]["session_id"] for row in SESSIONS[stem]}) == 1


def test_sessions_run_in_a_worktree_a_sub_folder_and_a_second_project() -> None:
    folders = [part[0]["payload"]["cwd"] for part in SESSIONS.values()]
    assert {"/home/dev/orderly", "/home/dev/orderly-fix", "/home/dev/orderly/deploy"} < set(folders)
    assert folders.count("/home/dev/orderly-web") == 2


# What is in it


@pytest.mark.parametrize(
    "script", ["[äöüß]", "[\u3040-\u30ff\u4e00-\u9fff]", "[\u0600-\u06ff]", "[\U0001f300-\U0001faff]", "e\u0308"]
)
def test_prompts_or_code_hold_german_japanese_arabic_emoji_and_combining_accents(script: str) -> None:
    assert re.search(script, said_in_sessions())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\x1b[32m", id="colour"),
        pytest.param("\x1b]0;owned\x07\x1b[2J", id="terminal escape sequences"),
        pytest.param("[@click=app.quit]x[/]", id="markup"),
        pytest.param("Ignore previous instructions", id="instructions in a fetched page"),
        pytest.param("<private>", id="a private passage"),
        pytest.param("Authorization: Bearer {{secret:bearer}}", id="an Authorization header"),
        pytest.param("DATABASE_URL={{secret:db-url}}\n", id="contents of .env"),
        pytest.param("always store money", id="a convention the user states"),
        pytest.param("I prefer", id="a preference"),
        pytest.param("git revert", id="a revert"),
    ],
)
def test_it_holds(text: str) -> None:
    assert text in said_in_sessions()


def test_at_least_four_hypotheses_are_tried_disproved_and_taken_back() -> None:
    closing = [payload["last_assistant_message"] for payload in of_event("Stop")]
    assert sum(bool(re.search(r"is not the|not to blame|does not help|did not help", text)) for text in closing) >= 4


def test_failures_are_followed_by_a_passing_run_and_a_commit_in_most_sessions() -> None:
    told = 0
    for part in SESSIONS.values():
        text = [text_of(row) for row in part]
        red = next((n for n, said in enumerate(text) if re.search(r"\d failed|Exit code|Error", said)), None)
        told += red is not None and any("git commit" in said for said in text[red:])
    assert told >= 15


def test_sub_agents_leave_their_own_events_and_compactions_are_announced() -> None:
    assert len(of_event("SubagentStop")) >= 2
    assert any("agent_id" in payload for payload in of_event("PostToolUse"))
    assert {payload["trigger"] for payload in of_event("PreCompact")} == {"auto", "manual"}


def test_some_turns_teach_nothing_and_no_question_asks_for_them() -> None:
    asked = {answer for query in QUERIES for answer in query["answers"]}
    empty = [row["id"] for row in SESSION_EVENTS if row["payload"].get("prompt") == "thanks!"]
    assert empty and not asked & set(empty)
    prompts = [row["id"] for row in SESSION_EVENTS if row["payload"]["hook_event_name"] == "UserPromptSubmit"]
    assert len(set(prompts) - asked) >= 5


# The git history


def test_about_half_of_the_commits_are_seen_in_a_session_too_at_their_time() -> None:
    made = {
        commit["payload"]["sha"]: instant(commit) - instant(row)
        for commit in HISTORY
        for row in SESSION_EVENTS
        if f" {commit['payload']['sha'][:7]}] " in text_of(row)
    }
    assert len(HISTORY) >= 40
    assert len(HISTORY) * 0.4 <= len(made) <= len(HISTORY) * 0.6
    assert set(made.values()) == {timedelta(0)}


@pytest.mark.parametrize("row", HISTORY, ids=lambda row: row["id"])
def test_a_commit_has_its_fields(row: Row) -> None:
    payload = row["payload"]
    assert row["agent"] == "git" and payload["hook"] == "post-commit"
    assert all(re.fullmatch(r"[0-9a-f]{40}", sha) for sha in (payload["sha"], *payload["parents"]))
    assert re.fullmatch(r"[\w ]+ <\w+@orderly\.example>", payload["author"])
    assert payload["files"] and all(set(file) == {"path", "added", "removed"} for file in payload["files"])
    assert len(payload["diff"]) <= 2500


def test_history_has_reverts_a_correction_merges_and_trailers() -> None:
    payloads = [row["payload"] for row in HISTORY]
    shas = {payload["sha"]: payload for payload in payloads}
    reverted = [re.search(r"This reverts commit ([0-9a-f]{40})", payload["message"]) for payload in payloads]
    assert sum(found is not None and found[1] in shas for found in reverted) >= 2
    corrections = [payload for payload in payloads if "amends" in payload]
    assert corrections and all(shas[one["amends"]]["parents"] == one["parents"] for one in corrections)
    merges = [payload for payload in payloads if len(payload["parents"]) == 2]
    assert merges and all(re.match(r"Merge pull request #\d+ from ", merge["message"]) for merge in merges)
    assert all(any(f"\n{name}: " in payload["message"] for payload in payloads) for name in ("Fixes", "Reviewed-by"))


# The labels


def test_there_are_enough_questions_of_each_style() -> None:
    styles = [query["style"] for query in QUERIES]
    assert len(QUERIES) >= 110 and len({query["query"] for query in QUERIES}) == len(QUERIES)
    assert set(styles) == {"words", "paraphrase", "code"}
    assert styles.count("paraphrase") >= 0.4 * len(styles)
    assert min(styles.count("words"), styles.count("code")) >= 20


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query["query"])
def test_a_question_names_events_that_exist_in_its_project(query: Row) -> None:
    assert query["answers"] and len(set(query["answers"])) == len(query["answers"])
    web = {EVENTS[answer]["payload"]["cwd"].startswith("/home/dev/orderly-web") for answer in query["answers"]}
    assert web == {query["project"] == "orderly-web"}


@pytest.mark.parametrize(
    "query", [query for query in QUERIES if query["style"] == "paraphrase"], ids=lambda query: query["query"]
)
def test_a_paraphrase_shares_no_stemmed_content_word_with_its_answers(query: Row) -> None:
    said = set().union(*(stems(text_of(EVENTS[answer])) for answer in query["answers"]))
    assert stems(query["query"]) & said == set()


def test_a_question_in_words_shares_one_with_its_answers() -> None:
    for query in QUERIES:
        if query["style"] != "paraphrase":
            said = set().union(*(stems(text_of(EVENTS[answer])) for answer in query["answers"]))
            assert stems(query["query"]) & said, query["query"]


# Secrets


def test_every_kind_of_secret_has_a_recipe_and_is_used() -> None:
    recipes = json.loads((HERE / "secrets.json").read_text("utf-8"))
    used = {kind for row in EVENTS.values() for kind in MARKER.findall(text_of(row))}
    assert recipes.keys() == KINDS == used
    assert all(len(pieces) >= 3 and all(isinstance(piece, str) for piece in pieces) for pieces in recipes.values())


def test_a_recipe_expands_to_what_a_scanner_would_find() -> None:
    recipes = {kind: "".join(pieces) for kind, pieces in json.loads((HERE / "secrets.json").read_text()).items()}
    known = {"github-token", "aws-key", "stripe-key", "jwt", "npm-token", "private-key", "slack-webhook", "db-url"}
    assert {kind for kind, secret in recipes.items() if LITERAL_SECRET.search(secret)} == known
    assert "\n" in recipes["private-key"]


@pytest.mark.parametrize("path", [path for path in HERE.rglob("*") if path.is_file()], ids=lambda path: path.name)
def test_no_file_holds_a_whole_secret(path: Path) -> None:
    text = path.read_text("utf-8")
    recipes = json.loads((HERE / "secrets.json").read_text("utf-8"))
    assert not LITERAL_SECRET.search(text)
    assert not any("".join(pieces) in text for pieces in recipes.values())


def test_no_session_lasts_four_hours() -> None:
    for part in SESSIONS.values():
        assert instant(part[-1]) - instant(part[0]) < timedelta(hours=4)


def test_rows_are_one_line_each() -> None:
    for path in HERE.rglob("*.jsonl"):
        assert len(rows(path)) == path.read_text("utf-8").count("\n")
