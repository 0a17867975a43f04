"""import-transcripts and import, as typed."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path

import pytest

from tests.capture.transcripts.reading import FIXTURES
from tests.cli.shell import Shell
from tui_memory.engine.memory import Memory
from tui_memory.store import imports


def test_histories_are_read_and_what_became_of_them_is_said(shell: Shell) -> None:
    answer = shell("import-transcripts", str(FIXTURES / "codex"))
    assert answer.code == 0 and "Sessions: 2 of codex" in answer.out
    assert "Observations: 18 read, 18 stored, 0 known already" in answer.out
    assert "Passed over: " in answer.out and "Memories: " in answer.out


def test_a_second_run_says_that_nothing_is_new(shell: Shell) -> None:
    shell("import-transcripts", str(FIXTURES / "codex"))
    answer = shell("import-transcripts", str(FIXTURES / "codex"))
    assert "Files: 2, 2 as they were when read last" in answer.out and "0 read, 0 stored" in answer.out


def test_the_json_has_every_count(shell: Shell) -> None:
    report = shell("import-transcripts", str(FIXTURES), "--agent", "aider", "--json").json
    assert report["sessions"] == {"aider": 1} and report["stored"] == report["read"] == 11
    assert {"known", "dropped", "skipped", "failed", "turns", "memories", "unchanged", "cancelled"} <= set(report)


def test_a_dry_run_stores_nothing(shell: Shell, memory: Memory) -> None:
    answer = shell("import-transcripts", str(FIXTURES / "codex"), "--dry-run")
    assert "18 would be stored" in answer.out and "Memories" not in answer.out
    assert memory.observations() == []


def test_since_and_route_are_understood(shell: Shell) -> None:
    answer = shell("import-transcripts", str(FIXTURES / "codex"), "--since", "2026-11-29T09:15:00Z", "--json")
    assert answer.json["dropped"]["older than --since"] > 0
    assert shell("import-transcripts", str(FIXTURES), "--route", "telepathy").code == 2


def test_a_path_that_does_not_exist_is_named(shell: Shell) -> None:
    answer = shell("import-transcripts", "gone")
    assert answer.code == 3 and "gone" in answer.err and "Nothing was imported" in answer.err


def test_without_any_history_it_says_where_to_point_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)
    answer = shell("import-transcripts")
    assert answer.code == 2 and "name a folder" in answer.err


def test_ctrl_c_ends_between_two_observations_and_the_next_run_goes_on(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = imports.seen

    def interrupted(connection: sqlite3.Connection, agent: str, session: str) -> imports.Seen:
        signal.raise_signal(signal.SIGINT)
        return seen(connection, agent, session)

    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(imports, "seen", interrupted)
        answer = shell("import-transcripts", str(FIXTURES / "codex"), "--json")
    assert answer.code == 5 and "`tui-memory import-transcripts` goes on where it was" in answer.err
    assert signal.getsignal(signal.SIGINT) is before
    rest = shell("import-transcripts", str(FIXTURES / "codex"), "--json").json
    assert (rest["stored"], rest["known"]) == (17, 1) and not rest["cancelled"]


def test_notes_are_taken_over_with_a_mapping(shell: Shell, machine: Path) -> None:
    path = machine / "elsewhere" / "CLAUDE.md"
    path.write_text("# Money\nDecimal everywhere.\n\n# Tests\npytest -q\n")
    dry = shell("import", str(path), "--dry-run")
    assert dry.code == 0 and "2 would be added" in dry.out and "undo" not in dry.out
    answer = shell("import", str(path))
    assert "section: rule" in answer.out and "convention" in answer.out and "semantic" in answer.out
    assert "2 added, 0 changed, 0 known already · tui-memory undo takes it back" in answer.out
    assert shell("undo").code == 0
    assert shell("list", "--all-projects", "--json").json["memories"] == []


def test_notes_go_where_they_are_told(shell: Shell, machine: Path, memory: Memory) -> None:
    path = machine / "AGENTS.md"
    path.write_text("Be brief.\n")
    added = shell("import", str(path), "--project", "orderly", "--json").json["added"]
    assert [one.project for one in memory.get(added)] == ["orderly"]


def test_a_file_of_no_known_kind_is_refused(shell: Shell, machine: Path) -> None:
    (machine / "x.bin").write_bytes(b"\0\1")
    answer = shell("import", str(machine / "x.bin"))
    assert answer.code == 2 and "claude-mem" in answer.err and "Nothing was imported" in answer.err
