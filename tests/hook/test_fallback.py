"""Without a worker the hook stores the event itself: redacted, once, and whatever else happens, in silence."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.hook.running import (
    HOOK,
    command,
    counters,
    environment,
    event,
    no_worker,
    patience,
    rows,
    run,
    silent,
    storing,
    until,
)
from tui_memory.engine import agents


def secret() -> str:
    """A value that looks like a secret, built at run time."""
    return "".join(("Zq", "9", "f4Kx", "72", "LmPw", "83Ty"))


def test_an_event_is_stored_when_the_process_ends(home: Path) -> None:
    assert silent(run(home, event()))
    assert rows(home, "SELECT kind, tool, state FROM observations") == [("command", "Bash", "captured")]
    assert counters(home) == {"captured": 1, "stored": 1}


def test_secrets_never_reach_the_disk(home: Path) -> None:
    said = event(tool_response={"stdout": f"password={secret()} and {secret()[::-1]}"})
    run(home, said, env={"SERVICE_TOKEN": secret()[::-1]})
    stored = rows(home, "SELECT text || detail FROM observations")[0][0]
    assert secret() not in stored and secret()[::-1] not in stored and "[redacted:" in stored
    files = b"".join(path.read_bytes() for path in home.iterdir() if path.is_file())
    assert secret().encode() not in files and secret()[::-1].encode() not in files


def test_the_same_tool_result_twice_is_one(home: Path) -> None:
    for _ in range(2):
        run(home, event())
    assert counters(home) == {"captured": 2, "stored": 1, "dropped:duplicate": 1}


def test_switched_off_it_does_nothing(tmp_path: Path) -> None:
    assert silent(run(tmp_path / "store", event(), env={"TUI_MEMORY_OFF": "1"}))
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("given", [b"", b" \n"])
def test_nothing_on_stdin_is_no_event(home: Path, given: bytes) -> None:
    assert silent(run(home, given)) and not (home / "memory.db").exists()


@pytest.mark.parametrize(
    "given",
    [b"null", b"[]", b"3", b"{", b"\xff\xfe\x00", b'{"a":' * 30_000, b"plain words"],
    ids=["null", "list", "number", "cut short", "no text", "deep", "words"],
)
def test_what_is_no_event_is_counted_as_an_error(home: Path, given: bytes) -> None:
    assert silent(run(home, given))
    assert counters(home) == {"captured": 1, "dropped:error": 1}


def test_invalid_utf8_inside_a_string_is_kept_as_a_mark(home: Path) -> None:
    given = json.dumps(event("UserPromptSubmit.missing_optional")).encode().replace(b"red?", b"red\xff?")
    assert silent(run(home, given))
    assert rows(home, "SELECT text FROM observations") == [("why is the test red\ufffd?",)]


@pytest.mark.parametrize("megabytes", [5, 20])
def test_a_huge_payload_keeps_only_what_it_was(home: Path, megabytes: int) -> None:
    limit, began = patience(), time.monotonic()
    assert silent(run(home, event(tool_response={"stdout": "x" * (megabytes << 20)}), wait=False))
    assert time.monotonic() - began < limit
    assert until(lambda: counters(home).get("stored") == 1)
    assert rows(home, "SELECT reason, length(text) < 200 FROM observations") == [("oversize", 1)]


def test_an_unknown_agent_an_unknown_event_and_no_agent_are_silent(home: Path) -> None:
    assert silent(run(home, event(), agent="hal"))
    assert silent(run(home, event(hook_event_name="QuantumLeap")))
    assert silent(run(home, {"session_id": "s"}, "--event", "SessionEnd"))
    bare = subprocess.run(command()[:-1], input=b"{}", env=environment(home), capture_output=True)
    assert silent(bare)
    assert rows(home, "SELECT text FROM observations WHERE text LIKE 'Session ended%'")


def test_closed_streams_and_a_reader_that_left_do_not_matter(home: Path) -> None:
    shell = " ".join(f"'{part}'" for part in command())
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        assert subprocess.run(["sh", "-c", f"{shell} {closed}"], input=b"{}", env=environment(home)).returncode == 0
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as broken:
        done = subprocess.run(command(), input=b"{}", env=environment(home), stdout=broken, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_program_that_is_being_replaced_is_silent(tmp_path: Path) -> None:
    shutil.copy(HOOK, tmp_path)
    alone = [*command()[:3], str(tmp_path / "hook.py"), "claude-code"]
    assert silent(subprocess.run(alone, input=b"{}", env=environment(tmp_path / "store"), capture_output=True))


def test_a_stdin_that_never_ends_is_left(home: Path) -> None:
    limit, began = patience(), time.monotonic()
    with subprocess.Popen(command(), stdin=subprocess.PIPE, env=environment(home)) as hook:
        assert hook.wait(limit) == 0
    assert time.monotonic() - began < limit


def test_a_large_event_that_comes_slowly_is_read_to_its_end_when_the_agent_is_long_gone_on(home: Path) -> None:
    given = json.dumps(event(tool_response={"stdout": "x" * 200_000, "stderr": ""})).encode()
    with subprocess.Popen(command(), stdin=subprocess.PIPE, env=environment(home)) as hook:
        assert hook.stdin is not None
        hook.stdin.write(given[:150_000])
        hook.stdin.flush()
        assert hook.wait(30) == 0 and counters(home) == {}
        hook.stdin.write(given[150_000:])
        hook.stdin.close()
    assert until(lambda: not storing(home)) and counters(home) == {"captured": 1, "stored": 1}


def test_without_a_home_the_platforms_place_is_taken(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("TUI_MEMORY", "XDG", "HOME"))}
    place = tmp_path / "tui-memory"
    with no_worker(place):
        done = subprocess.run(command(), input=b"{}", env=env | {"XDG_DATA_HOME": str(tmp_path)}, capture_output=True)
        assert silent(done) and until(lambda: counters(place) == {"captured": 1, "stored": 1})


def test_a_place_that_cannot_be_written_is_silent(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    limit, began = patience(), time.monotonic()
    given = json.dumps(event()).encode()
    env = environment(tmp_path / "file" / "store")
    assert silent(subprocess.run(command(), input=given, env=env, capture_output=True, cwd=tmp_path))
    assert time.monotonic() - began < limit and (tmp_path / "file").read_text() == "not a directory"


def test_a_full_disk_is_silent_and_noted_without_a_word_of_the_event(home: Path) -> None:
    run(home, event())
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))  # noqa: E731
    given = json.dumps(event(tool_use_id="toolu_next")).encode()
    done = subprocess.run(command(), input=given, env=environment(home), capture_output=True, preexec_fn=full)
    assert silent(done) and until(lambda: (home / "log" / "hook.log").exists())
    assert counters(home) == {"captured": 1, "stored": 1}
    said = (home / "log" / "hook.log").read_text()
    assert said.count("\n") == 1 and "StoreError" in said and "pytest" not in said
    assert silent(run(home, event(tool_use_id="toolu_next"))) and counters(home)["stored"] == 2


def test_events_for_which_a_full_disk_has_no_room_at_all_are_counted(home: Path) -> None:
    run(home, event())
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # noqa: E731
    given = json.dumps(event(tool_use_id="toolu_next")).encode()
    for _ in range(2):
        assert silent(
            subprocess.run(command(), input=given, env=environment(home), capture_output=True, preexec_fn=full)
        )
    assert until(lambda: len(agents.refused(home)) == 2)
    assert {agent for _, agent in agents.refused(home)} == {"claude-code"}
    found, well, said, _ = agents.refused_check(agents.refused(home), 0)
    assert (found, well) == ("refused", False) and said.startswith("2 events of the last day could not be stored")


@pytest.mark.parametrize("already", [False, True], ids=["the first event", "a store in use"])
def test_settings_that_were_written_since_are_read_before_an_event_is_stored(
    home: Path, tmp_path: Path, already: bool
) -> None:
    if already:
        run(home, event(tool_use_id="toolu_before"))
    Path(environment(home)["TUI_MEMORY_CONFIG"]).write_text("capture: {ignore: ['secretplans/']}\n")
    run(home, event("PostToolUse.Bash", tool_response={"stdout": "launch at noon"}))
    assert until(lambda: rows(home, "SELECT count(*) FROM observations WHERE text LIKE '%launch at noon%'") == [(1,)])


def test_wrong_settings_keep_only_metadata(home: Path) -> None:
    Path(environment(home)["TUI_MEMORY_CONFIG"]).write_text("capture: {ignore: 7}\n")
    run(home, event("PostToolUse.Bash", tool_response={"stdout": "launch at noon"}))
    assert until(lambda: rows(home, "SELECT state FROM observations") == [("skipped",)])
    assert b"launch at noon" not in b"".join(path.read_bytes() for path in home.glob("memory.db*"))


def test_a_store_of_a_newer_version_is_left_alone(home: Path) -> None:
    run(home, event())
    with sqlite3.connect(home / "memory.db") as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert silent(run(home, event(tool_use_id="toolu_next")))
    assert rows(home, "SELECT count(*) FROM observations") == [(1,)]
    assert "StoreError" in (home / "log" / "hook.log").read_text()


def test_a_damaged_store_is_silent(home: Path) -> None:
    (home / "memory.db").write_bytes(b"not a database" * 1000)
    assert silent(run(home, event()))


def test_a_locked_database_is_left_within_the_deadline_and_written_later(home: Path) -> None:
    run(home, event())
    holder = sqlite3.connect(home / "memory.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    limit, began = patience(), time.monotonic()
    assert silent(run(home, event(tool_use_id="toolu_next"), wait=False))
    assert time.monotonic() - began < limit
    holder.execute("ROLLBACK")
    holder.close()
    assert until(lambda: counters(home).get("stored") == 2)


def test_modes_are_private_whatever_the_umask(tmp_path: Path) -> None:
    shell = " ".join(f"'{part}'" for part in command())
    place = tmp_path / "deep" / "store"
    with no_worker(place):
        place.chmod(0o755)
        subprocess.run(["sh", "-c", f"umask 0; {shell}"], input=json.dumps(event()).encode(), env=environment(place))
        modes = {path.name: path.stat().st_mode & 0o777 for path in place.iterdir() if path.name != "worker.lock"}
    assert place.stat().st_mode & 0o777 == 0o700
    assert modes and set(modes.values()) == {0o600}


def test_a_sessions_start_is_answered_from_the_last_index(home: Path) -> None:
    run(home, event())
    with sqlite3.connect(home / "memory.db") as connection:
        connection.execute("INSERT INTO projects (id, uid, name, created) VALUES (1, 'u', 'orderly', 0)")
        connection.execute("INSERT INTO project_aliases VALUES ('path', '/home/dev/orderly', 1, 0)")
        connection.execute("INSERT INTO start_index VALUES (1, '#1 2d decision Money is Decimal', 9, '[1]', 0)")
    connection.close()
    done = run(home, event("SessionStart.subdirectory"))
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said == {"hookEventName": "SessionStart", "additionalContext": "#1 2d decision Money is Decimal"}
    assert run(home, event("Stop")).stdout == b""
