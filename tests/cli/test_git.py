"""install git, index-git and project, as typed."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.repositories import Repository
from tui_memory.engine.memory import Memory
from tui_memory.store import imports


@pytest.fixture
def repository(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with two commits, to stand in."""
    made = Repository.make(machine / "orderly")
    made.commit("Keep money in cents\n\nFloats lost a cent in every hundredth order.", {"money.py": "CENT = 1\n"})
    made.commit("Retry webhooks three times\n\nThe bank drops every tenth call.", {"hooks.py": "TRIES = 3\n"})
    monkeypatch.chdir(made.folder)
    return made


class TestInstall:
    def test_the_change_is_shown_and_made_with_a_word(self, shell: Shell, repository: Repository) -> None:
        dry = shell("install", "git", "--dry-run")
        assert dry.code == 0 and "post-rewrite" in dry.out and "Nothing was changed" in dry.err
        assert shell("install", "git").code == 4
        assert not (repository.folder / ".git" / "hooks" / "post-commit").exists()
        done = shell("install", "git", "--yes")
        assert done.code == 0 and "index-git" in done.out
        assert "Nothing to do" in shell("install", "git", "--yes").out
        gone = shell("uninstall", "git", "--yes")
        assert gone.code == 0 and "what is remembered stays" in gone.out
        assert not (repository.folder / ".git" / "hooks" / "post-commit").exists()

    def test_json_names_the_files(self, shell: Shell, repository: Repository) -> None:
        found = shell("install", "git", "--dry-run", "--json").json
        assert found["changed"] and not found["written"] and len(found["files"]) == 4 and found["reason"] == ""

    def test_a_shared_hooks_folder_is_refused_with_the_reason(self, shell: Shell, repository: Repository) -> None:
        repository.commit("Hooks", {".githooks/pre-push": "#!/bin/sh\n"})
        repository.git("config", "core.hooksPath", ".githooks")
        answer = shell("install", "git")
        assert answer.code == 4 and "part of the repository" in answer.err and "--yes" in answer.err
        assert "part of the repository" in shell("install", "git", "--dry-run").err

    def test_outside_of_a_repository_it_says_so(self, shell: Shell) -> None:
        answer = shell("install", "git", "--yes")
        assert answer.code == 2 and "no git repository" in answer.err


class TestIndexGit:
    def test_a_history_becomes_memories_once(self, shell: Shell, repository: Repository) -> None:
        first = shell("index-git")
        assert first.code == 0 and "Commits: 2 found, 2 stored, 0 known already" in first.out
        assert "Memories: 2" in first.out and "Project: orderly" in first.out
        again = shell("index-git", str(repository.folder), "--json").json
        assert (again["known"], again["stored"], again["dropped"], again["cancelled"]) == (2, 0, {}, False)
        assert "cents" in shell("list").out

    def test_limits_and_routes_are_understood(self, shell: Shell, repository: Repository) -> None:
        assert shell("index-git", "--limit", "1", "--since", "2020-01-01", "--json").json["stored"] == 1
        assert shell("index-git", "--route", "telepathy").code == 2

    def test_ctrl_c_ends_between_two_commits(
        self, shell: Shell, repository: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        take = imports.take

        def interrupted(*given: object, **named: object) -> str:
            signal.raise_signal(signal.SIGINT)
            return take(*given, **named)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(imports, "take", interrupted)
            answer = shell("index-git", "--json")
        assert answer.code == 5 and "`tui-memory index-git` goes on where it was" in answer.err
        rest = shell("index-git", "--json").json
        assert (rest["stored"], rest["known"]) == (1, 1)

    def test_a_folder_that_is_no_repository_is_named(self, shell: Shell, machine: Path) -> None:
        assert shell("index-git", "gone").code == 3
        answer = shell("index-git", str(machine))
        assert answer.code == 2 and str(machine) in answer.err


class TestProject:
    def test_show_says_why(self, shell: Shell, repository: Repository) -> None:
        shell("index-git")
        answer = shell("project", "show")
        assert answer.code == 0 and "why    the same git repository" in answer.out
        assert "2 observations" in answer.out and "git_dir" in answer.out
        assert shell("project", "show", "orderly", "--json").json["name"] == "orderly"
        assert shell("project", "show", "nothing").code == 3

    def test_reassign_moves_a_folder_and_with_a_word_what_was_learned(
        self, shell: Shell, repository: Repository, memory: Memory
    ) -> None:
        shell("index-git")
        kept = shell("project", "reassign", ".", "shop", "--dry-run")
        assert "would now mean shop" in kept.out and "2 memories from it stay in orderly: --contents" in kept.out
        refused = shell("project", "reassign", ".", "shop", "--contents")
        assert refused.code == 4 and "2 memories" in refused.err
        done = shell("project", "reassign", ".", "shop", "--contents", "--yes")
        assert done.code == 0 and "2 memories went with it" in done.out and "undo" in done.out
        assert {one.project for one in memory.memories()} == {"shop"}
        assert "`project reassign` put" in shell("project", "show").out

    def test_merge_shows_the_counts_and_wants_a_word(
        self, shell: Shell, repository: Repository, memory: Memory
    ) -> None:
        shell("index-git")
        memory.add(title="x", project="old")
        assert "1 memory" in shell("project", "merge", "old", "orderly", "--dry-run").out
        refused = shell("project", "merge", "old", "orderly")
        assert refused.code == 4 and "From old to orderly" in refused.err
        assert len(memory.projects()) == 2
        done = shell("project", "merge", "old", "orderly", "--yes", "--json").json
        assert (done["from"], done["to"], done["written"], len(done["memories"])) == ("old", "orderly", True, 1)
        assert [one.name for one in memory.projects()] == ["orderly"]
