"""Projects as the library shows them and puts them right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repositories import Repository
from tui_memory import Memory
from tui_memory.errors import NotFoundError


@pytest.fixture
def repository(tmp_path: Path, memory: Memory) -> Repository:
    made = Repository.make(tmp_path / "orderly")
    made.commit("Begin")
    made.git("remote", "add", "origin", "https://robin:pw@example.com/team/orderly.git")
    memory.index_git(made.folder)
    return made


def test_a_project_says_why_and_under_which_keys_it_was_seen(memory: Memory, repository: Repository) -> None:
    found = memory.project_details(repository.folder)
    assert (found.project.name, found.project.branch) == ("orderly", "main")
    assert "same git repository" in found.why
    assert {key.kind for key in found.aliases} == {"path", "git_dir", "remote", "root", "trunk"}
    assert not any("pw" in key.value for key in found.aliases)
    assert found.counts["observations"] == found.counts["sessions"] == 1
    shown = memory.project_details("orderly").public()
    assert shown["why"] == found.why and shown["aliases"][0]["since"].endswith("Z")


def test_a_project_whose_folder_is_gone_is_shown_without_a_reason(memory: Memory) -> None:
    memory.add(title="x", project="elsewhere")
    assert memory.project_details("elsewhere").why == ""
    with pytest.raises(NotFoundError, match="near it: elsewhere"):
        memory.project_details("elsewher")


def test_a_folder_is_reassigned_by_whatever_names_it(
    memory: Memory, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    assert memory.reassign_project(".", "shop", dry_run=True).source == "orderly"
    assert memory.reassign_project(".", "shop").target == "shop"
    monkeypatch.chdir(repository.folder.parent)
    assert memory.reassign_project("orderly", "depot").source == "shop"
    project = memory.project_of(repository.folder)
    assert project is not None and project.name == "depot"


def test_projects_become_one_and_what_was_learned_is_found_by_both_names(
    memory: Memory, repository: Repository
) -> None:
    made = memory.add(title="The retry waits", project="order-ly")
    move = memory.merge_projects("order-ly", "orderly")
    assert move.memories == (made,)
    assert [one.name for one in memory.projects()] == ["orderly"]
    assert memory.project("order-ly").name == "orderly"
    assert memory.get(made)[0].project == "orderly"
    assert [entry.action for entry in memory.undo()] == ["merge projects"]
    assert memory.get(made)[0].project == "order-ly"
