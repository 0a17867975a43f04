"""Other memories' stores and notes come in once, clean, and in their place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tui_memory.config import Settings
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory
from tui_memory.errors import UsageError

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def claude_mem(path: Path, session: str = "s1") -> Path:
    """A small claude-mem database."""
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT);"
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,"
        " title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,"
        " created_at_epoch INTEGER);"
    )
    said = f"We chose Decimal. The deploy token is {TOKEN}."
    row = (
        1, session, "orderly", None, "decision", "Money is Decimal", "No floats", '["Totals use Decimal"]', said,
        '["money"]', '["src/a.py"]', '["src/cart.py"]', 1767258000000,
    )  # fmt: skip
    connection.execute(f"INSERT INTO observations VALUES ({', '.join('?' * 13)})", row)
    connection.commit()
    connection.close()
    return path


def test_a_foreign_store_comes_in_redacted_and_as_one_change(memory: Memory, tmp_path: Path) -> None:
    report = Importing(memory).foreign(claude_mem(tmp_path / "claude-mem.db"))
    found = memory.get(report.added)[0]
    assert (found.title, found.summary, found.kind, found.tier) == (
        "Money is Decimal",
        "No floats",
        "decision",
        "episodic",
    )
    assert (found.project, found.labels, found.facts) == ("orderly", ["claude-mem", "money"], ["Totals use Decimal"])
    assert found.files == ["src/cart.py", "src/a.py"] and found.created == 1767258000000
    assert found.made_by.route == "import" and TOKEN not in found.text and "[redacted:github-token" in found.text
    assert report.redactions["github-token"] == 1
    memory.undo()
    assert memory.count() == 0


def test_a_second_import_adds_nothing_and_one_that_was_undone_comes_again(memory: Memory, tmp_path: Path) -> None:
    path = claude_mem(tmp_path / "claude-mem.db")
    Importing(memory).foreign(path)
    again = Importing(memory).foreign(path)
    assert (again.new, again.known, again.added) == (0, 1, [])
    assert len(memory.history()) == 1
    memory.undo()
    assert Importing(memory).foreign(path).new == 1 and memory.count() == 1


def test_what_was_deleted_here_stays_deleted(memory: Memory, tmp_path: Path) -> None:
    path = claude_mem(tmp_path / "claude-mem.db")
    memory.delete(Importing(memory).foreign(path).added)
    report = Importing(memory).foreign(path)
    assert report.new == 0 and report.skipped == {"deleted here since it was imported": 1} and memory.count() == 0


def test_the_same_source_has_the_same_identity_in_every_store(memory: Memory, tmp_path: Path) -> None:
    path = claude_mem(tmp_path / "claude-mem.db")
    here = memory.get(Importing(memory).foreign(path).added)[0].uid
    with Memory(tmp_path / "other", embedding="none", settings=Settings()) as other:
        assert other.get(Importing(other).foreign(path).added)[0].uid == here


def test_a_dry_run_of_a_foreign_store_maps_it_and_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    report = Importing(memory).foreign(claude_mem(tmp_path / "claude-mem.db"), dry_run=True)
    assert report.new == 1 and report.added == [] and memory.count(state="all") == 0 and memory.projects() == []
    assert report.public()["mapping"] == [
        {
            "source": "observation: decision",
            "kind": "decision",
            "tier": "episodic",
            "labels": ["claude-mem"],
            "count": 1,
        }
    ]


def test_notes_are_rules_of_the_project_they_lie_in_and_change_with_their_file(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "orderly"
    folder.mkdir()
    path = folder / "CLAUDE.md"
    path.write_text("# Orderly\n\n## Money\nDecimal everywhere.\n\n## Tests\nRun `pytest -q`.\n")
    first = Importing(memory).foreign(path)
    assert [(one.title, one.kind, one.tier, one.project) for one in memory.get(first.added)] == [
        ("Money", "convention", "semantic", "orderly"),
        ("Tests", "procedure", "semantic", "orderly"),
    ]
    path.write_text("# Orderly\n\n## Money\nDecimal, rounded half to even.\n\n## Tests\nRun `pytest -q`.\n")
    second = Importing(memory).foreign(path)
    assert (second.new, second.changed, second.known) == (0, 1, 1)
    assert memory.get(first.added[0])[0].text == "Decimal, rounded half to even."
    memory.undo()
    assert memory.get(first.added[0])[0].text == "Decimal everywhere."


def test_notes_in_an_agents_own_settings_hold_for_all_projects(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".claude"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("Answer in British English.\n")
    assert memory.get(Importing(memory).foreign(folder / "CLAUDE.md").added)[0].project is None


def test_any_other_file_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    with pytest.raises(UsageError, match="Nothing was imported"):
        Importing(memory).foreign(tmp_path / "x.txt")
    sqlite3.connect(tmp_path / "y.db").executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    with pytest.raises(UsageError, match="another program"):
        Importing(memory).foreign(tmp_path / "y.db")
