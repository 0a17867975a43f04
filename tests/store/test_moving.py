"""Giving folders to other projects, and making one project of two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import Repository
from tests.store.conftest import Agent
from tui_memory.errors import NotFoundError, UsageError
from tui_memory.model import Filters
from tui_memory.store import memories, moving, observations, projects
from tui_memory.store.changes import Changes
from tui_memory.store.db import Store

Add = Callable[..., int]


def repository(folder: Path) -> Path:
    made = Repository.make(folder)
    made.commit(f"Begin {folder}")
    return made.folder


def name(store: Store, folder: Path) -> str:
    found = projects.resolve(store, str(folder))
    assert found is not None
    return found.name


def test_a_reassigned_repository_stays_so_in_every_worktree_and_subfolder(store: Store, tmp_path: Path) -> None:
    main = repository(tmp_path / "orderly")
    (main / "src").mkdir()
    Repository(main).git("worktree", "add", "--quiet", "-b", "x", str(tmp_path / "wt"))
    for folder in (main, tmp_path / "wt"):
        assert name(store, folder) == "orderly"
    move = moving.reassign(store, str(main), "shop")
    assert (move.source, move.target) == ("orderly", "shop")
    with Store(store.home) as later:
        for opened in (store, later):
            assert {name(opened, folder) for folder in (main, main / "src", tmp_path / "wt")} == {"shop"}
    found = projects.lookup(store, str(main / "src"))
    assert found and "project reassign" in found.why


def test_a_part_of_a_repository_can_be_a_project_of_its_own(store: Store, tmp_path: Path) -> None:
    main = repository(tmp_path / "mono")
    (main / "api" / "src").mkdir(parents=True)
    assert name(store, main / "api") == "mono"
    moving.reassign(store, str(main / "api"), "api")
    assert (name(store, main / "api" / "src"), name(store, main)) == ("api", "mono")
    inner = repository(main / "api" / "vendor" / "lib")
    assert name(store, inner) == "lib"


def test_another_process_sees_it_at_once(store: Store, tmp_path: Path) -> None:
    main = repository(tmp_path / "orderly")
    with Store(store.home) as worker:
        assert name(worker, main) == "orderly"
        moving.reassign(store, str(main), "shop")
        assert name(worker, main) == "shop"


def test_a_folder_without_git_and_one_that_is_gone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    assert name(store, tmp_path / "notes") == "notes"
    moving.reassign(store, str(tmp_path / "notes"), "diary")
    assert name(store, tmp_path / "notes") == "diary"
    assert name(store, Path("/home/dev/orderly")) == "orderly"
    moving.reassign(store, "/home/dev/orderly", "shop")
    assert name(store, Path("/home/dev/orderly/api")) == "shop"


def test_a_remote_is_a_key_that_can_be_given_away(store: Store, tmp_path: Path) -> None:
    main = repository(tmp_path / "orderly")
    Repository(main).git("remote", "add", "origin", "https://example.com/team/orderly")
    assert name(store, main) == "orderly"
    move = moving.reassign(store, "example.com/team/orderly", "shop")
    assert [key.kind for key in move.keys] == ["remote"] and move.source == "orderly"
    clone = repository(tmp_path / "clone")
    Repository(clone).git("remote", "add", "origin", "git@example.com:team/orderly.git")
    assert name(store, clone) == "shop"


def test_contents_go_along_when_asked_and_memories_come_back_with_undo(
    store: Store, agent: Agent, add: Add, changes: Changes, tmp_path: Path
) -> None:
    agent.cwd = repository(tmp_path / "repo")
    agent.prompt("a")
    projects.assign(store)
    (seen,) = observations.page(store)
    old = projects.find(store, "repo")
    learned = add("Learned here", project_id=old, sources=[seen.id])
    other = add("Told by hand", project_id=old)
    shown = moving.reassign(store, str(agent.cwd), "shop", contents=True, dry_run=True)
    assert (shown.sessions, shown.observations, shown.memories) == (1, 1, (learned,))
    assert [one.project for one in memories.get(store, [learned])] == ["repo"] and len(projects.list_all(store)) == 1
    assert moving.reassign(store, str(agent.cwd), "shop", contents=True) == shown
    assert [one.project for one in memories.get(store, [learned, other])] == ["shop", "repo"]
    assert observations.page(store)[0].project == "shop"
    changes.undo()
    assert [one.project for one in memories.get(store, [learned])] == ["repo"]


def test_without_contents_only_what_comes_is_there(store: Store, agent: Agent, tmp_path: Path) -> None:
    agent.cwd = repository(tmp_path / "repo")
    agent.prompt("a")
    projects.assign(store)
    moving.reassign(store, str(agent.cwd), "shop")
    agent.prompt("b")
    projects.assign(store)
    assert [one.project for one in observations.page(store)] == ["shop", "repo"]


def test_what_was_never_seen_and_the_home_directory_are_refused(store: Store) -> None:
    with pytest.raises(NotFoundError, match="project show"):
        moving.reassign(store, "orderyl", "shop")
    with pytest.raises(UsageError, match="everything you have"):
        moving.reassign(store, str(Path.home()), "shop")
    assert projects.list_all(store) == []


class TestMerge:
    @pytest.fixture
    def two(self, store: Store, agent: Agent, add: Add, tmp_path: Path) -> tuple[Path, int]:
        """A folder of project `old` with an observation and a memory, and a project `new`."""
        agent.cwd = repository(tmp_path / "old")
        agent.prompt("a")
        projects.assign(store)
        repository(tmp_path / "new")
        name(store, tmp_path / "new")
        return agent.cwd, add("Learned", project_id=projects.find(store, "old"))

    def test_everything_is_the_others_then(self, store: Store, two: tuple[Path, int]) -> None:
        folder, memory = two
        uid = projects.named(store, "old").uid
        move = moving.merge(store, "old", "new")
        assert (move.sessions, move.observations, move.memories) == (1, 1, (memory,))
        assert [one.name for one in projects.list_all(store)] == ["new"]
        assert {projects.find(store, key) for key in ("old", uid, str(folder), "new")} == {projects.find(store, "new")}
        assert name(store, folder) == "new" and observations.page(store)[0].project == "new"
        assert [one.id for one in memories.page(store, Filters(project="old"))] == [memory]

    def test_a_dry_run_counts_and_changes_nothing(self, store: Store, two: tuple[Path, int]) -> None:
        shown = moving.merge(store, "old", "new", dry_run=True)
        assert (shown.observations, len(shown.memories)) == (1, 1)
        assert len(projects.list_all(store)) == 2

    def test_undo_gives_the_memories_back(self, store: Store, two: tuple[Path, int], changes: Changes) -> None:
        moving.merge(store, "old", "new")
        (entry,) = changes.undo()
        assert entry.action == "merge projects"
        assert memories.get(store, [two[1]])[0].project == "old"
        assert [one.name for one in projects.list_all(store)] == ["new", "old"]
        changes.redo()
        assert [one.name for one in projects.list_all(store)] == ["new"]

    def test_a_project_cannot_be_merged_with_itself(self, store: Store, two: tuple[Path, int]) -> None:
        with pytest.raises(UsageError, match="itself"):
            moving.merge(store, "new", "new")
