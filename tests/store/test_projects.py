"""Which folder belongs to which project."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.conftest import Agent
from tui_memory.errors import NotFoundError
from tui_memory.store import git_facts, observations, projects
from tui_memory.store.db import Store
from tui_memory.store.projects import Project

Git = Callable[..., str]
Repository = Callable[[Path], Path]


def project(store: Store, folder: Path) -> Project:
    found = projects.resolve(store, str(folder))
    assert found is not None
    return found


def test_worktrees_subfolders_and_branches_are_one(
    store: Store, git: Git, repository: Repository, tmp_path: Path
) -> None:
    main = repository(tmp_path / "orderly")
    (main / "src").mkdir()
    git(main, "worktree", "add", "--quiet", "-b", "feature/x", str(tmp_path / "wt"))
    first, inside, linked = (project(store, folder) for folder in (main, main / "src", tmp_path / "wt"))
    assert first.id == inside.id == linked.id
    assert (first.name, first.branch, linked.branch) == ("orderly", "main", "feature/x")
    assert "same git repository" in linked.why
    git(main, "switch", "--quiet", "-c", "other")
    assert project(store, main).branch == "other"
    git(main, "checkout", "--quiet", "--detach")
    assert project(store, main).branch == ""


def test_a_worktree_that_is_seen_first_gives_the_repositorys_name(
    store: Store, git: Git, repository: Repository, tmp_path: Path
) -> None:
    main = repository(tmp_path / "orderly")
    git(main, "worktree", "add", "--quiet", "-b", "x", str(tmp_path / "wt"))
    assert project(store, tmp_path / "wt").name == "orderly"


def test_a_moved_folder_and_a_clone_are_the_same(
    store: Store, git: Git, repository: Repository, tmp_path: Path
) -> None:
    first = project(store, repository(tmp_path / "a" / "orderly"))
    (tmp_path / "a").rename(tmp_path / "b")
    moved = tmp_path / "b" / "orderly"
    git(tmp_path, "clone", "--quiet", str(moved), str(tmp_path / "copy"))
    assert {project(store, folder).id for folder in (moved, tmp_path / "copy")} == {first.id}
    assert "first commit" in project(store, moved).why


def test_clones_of_one_remote_are_one_and_forks_are_two(
    store: Store, git: Git, repository: Repository, tmp_path: Path
) -> None:
    first = repository(tmp_path / "one" / "orderly")
    git(first, "remote", "add", "origin", "https://robin:secret@example.com/team/orderly.git")
    clone, fork = tmp_path / "two" / "orderly", tmp_path / "three" / "orderly"
    for folder, url in ((clone, "git@Example.com:team/orderly"), (fork, "git@example.com:casey/orderly.git")):
        git(tmp_path, "clone", "--quiet", str(first), str(folder))
        git(folder, "remote", "set-url", "origin", url)
    original, cloned, forked = (project(store, folder) for folder in (first, clone, fork))
    assert original.id == cloned.id != forked.id
    assert (original.name, forked.name) == ("orderly", "orderly (casey)")
    assert cloned.why == "the same remote, example.com/team/orderly"
    assert not any("secret" in row[0] for row in store.rows("SELECT value FROM project_aliases"))


def test_a_shallow_clone_goes_by_its_remote(store: Store, git: Git, repository: Repository, tmp_path: Path) -> None:
    first = repository(tmp_path / "orderly")
    (first / "more").write_text("more")
    git(first, "add", ".")
    git(first, "commit", "--quiet", "-m", "More")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{first}", str(tmp_path / "shallow"))
    for folder in (first, tmp_path / "shallow"):
        git(folder, "config", "remote.origin.url", "https://example.com/team/orderly")
    facts = git_facts.facts(str(tmp_path / "shallow"))
    assert facts and facts.roots == ()
    assert project(store, first).id == project(store, tmp_path / "shallow").id


def test_a_shallow_clone_of_a_folder_belongs_to_it(
    store: Store, git: Git, repository: Repository, tmp_path: Path
) -> None:
    first = repository(tmp_path / "orderly")
    (first / "more").write_text("more")
    git(first, "add", ".")
    git(first, "commit", "--quiet", "-m", "More")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{first}", str(tmp_path / "shallow"))
    of_first = project(store, first)
    clone = project(store, tmp_path / "shallow")
    assert clone.id == of_first.id and "a clone of" in clone.why


def test_two_folders_of_one_name_are_two(store: Store, repository: Repository, tmp_path: Path) -> None:
    one, two = (project(store, repository(tmp_path / owner / "api")) for owner in ("casey", "robin"))
    assert (one.name, two.name) == ("api", "api (robin)")
    third = project(store, repository(tmp_path / "x" / "robin" / "api"))
    assert third.name == "api-2"


def test_a_folder_used_anew_is_another_project(store: Store, repository: Repository, tmp_path: Path) -> None:
    folder = repository(tmp_path / "orderly")
    first = project(store, folder)
    shutil.rmtree(folder)
    (repository(tmp_path / "elsewhere")).rename(folder)
    with Store(store.home) as later:
        assert project(later, folder).id != first.id


def test_a_repository_that_gains_a_remote_stays_itself(
    store: Store, git: Git, repository: Repository, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "orderly")
    first = project(store, folder)
    git(folder, "remote", "add", "origin", "https://example.com/team/renamed")
    with Store(store.home) as later:
        assert project(later, folder).id == first.id


def test_nested_repositories_are_their_own(store: Store, git: Git, repository: Repository, tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer")
    inner = repository(outer / "vendor" / "inner")
    module = repository(tmp_path / "module")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module), "sub")
    assert len({project(store, folder).id for folder in (outer, inner, outer / "sub")}) == 3


def test_an_empty_repository_and_a_plain_folder_are_projects(store: Store, git: Git, tmp_path: Path) -> None:
    empty, plain = tmp_path / "empty", tmp_path / "plain"
    for folder in (empty, plain):
        folder.mkdir()
    git(empty, "init", "--quiet")
    assert [project(store, folder).name for folder in (empty, plain)] == ["empty", "plain"]
    assert project(store, empty).branch == "main"


def test_home_and_its_like_are_no_project(store: Store, git: Git, repository: Repository, tmp_path: Path) -> None:
    home = Path.home()
    git(home, "init", "--quiet")
    (home / "notes").mkdir()
    for name in ("a", "b"):
        repository(tmp_path / "code" / name)
    for folder in (home, home / "notes", home.parent, Path("/"), tempfile.gettempdir(), tmp_path / "code"):
        assert projects.resolve(store, str(folder)) is None
    assert projects.list_all(store) == []


def test_what_is_gone_is_known_by_where_it_was(store: Store, repository: Repository, tmp_path: Path) -> None:
    folder = repository(tmp_path / "orderly")
    first = project(store, folder)
    shutil.rmtree(folder)
    with Store(store.home) as later:
        assert project(later, folder / "src").id == first.id
        assert projects.resolve(later, "") is None
        assert projects.resolve(later, "relative/folder") is None


def test_a_folder_of_another_machine_is_a_project_by_its_name_but_never_somebodys_home(store: Store) -> None:
    elsewhere = project(store, Path("/home/dev/orderly"))
    assert elsewhere.name == "orderly"
    assert project(store, Path("/home/dev/orderly/api")).id == elsewhere.id
    assert projects.resolve(store, "/home/dev") is None
    assert projects.resolve(store, "/") is None


def test_folders_can_be_said_to_be_one_project(store: Store) -> None:
    placed = projects.place(store, "orderly", ("/home/dev/orderly", "/home/dev/orderly-fix"))
    assert {project(store, Path(f"/home/dev/{name}")).id for name in ("orderly", "orderly-fix")} == {placed}


def test_the_folder_an_agent_names_decides(store: Store, repository: Repository, tmp_path: Path) -> None:
    named, other = repository(tmp_path / "named"), repository(tmp_path / "other")
    found = projects.resolve(store, str(other), str(named))
    assert found and found.name == "named"


def test_without_git_a_folder_is_known_by_its_path(
    store: Store, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path / "orderly")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert project(store, folder).name == "orderly"


def test_nothing_of_the_repository_is_run(store: Store, git: Git, repository: Repository, tmp_path: Path) -> None:
    folder = repository(tmp_path / "orderly")
    trap, proof = tmp_path / "trap", tmp_path / "proof"
    trap.write_text(f"#!/bin/sh\ntouch {proof}\n")
    trap.chmod(0o755)
    git(folder, "config", "core.fsmonitor", str(trap))
    for hook in ("post-index-change", "reference-transaction"):
        shutil.copy(trap, folder / ".git" / "hooks" / hook)
    assert project(store, folder).name == "orderly"
    assert not proof.exists()


def test_gits_own_variables_do_not_mislead(
    store: Store, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = repository(tmp_path / "orderly"), repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert project(store, folder).name == "orderly"


def test_a_git_that_hangs_is_given_up(
    store: Store, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, slow = repository(tmp_path / "orderly"), tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git_facts, "TIMEOUT_S", 0.1)
    assert project(store, folder).why == "first seen here"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/team/orderly.git", "example.com/team/orderly"),
        ("https://robin:pass@Example.com:8443/team/orderly/", "example.com/team/orderly"),
        ("ssh://git@example.com:22/team/orderly", "example.com/team/orderly"),
        ("git@example.com:team/orderly.git", "example.com/team/orderly"),
        ("/srv/git/orderly.git", ""),
        ("file:///srv/git/orderly", ""),
        ("../orderly", ""),
        ("C:\\git\\orderly", ""),
        ("", ""),
    ],
)
def test_remotes_are_compared_without_scheme_and_credentials(url: str, expected: str) -> None:
    assert git_facts.normalised(url) == expected


class TestNames:
    def test_a_project_is_found_by_name_uid_and_path(
        self, store: Store, repository: Repository, tmp_path: Path
    ) -> None:
        folder = repository(tmp_path / "orderly")
        found = project(store, folder)
        for name in ("orderly", "Orderly", found.uid, str(folder), str(folder / "src")):
            assert projects.find(store, name) == found.id
        assert projects.find_or_add(store, "orderly") == found.id

    def test_a_path_that_was_never_seen_is_a_project_only_for_what_is_written(
        self, store: Store, repository: Repository, tmp_path: Path
    ) -> None:
        folder = repository(tmp_path / "orderly")
        with pytest.raises(NotFoundError):
            projects.find(store, str(folder))
        assert projects.list_all(store) == []
        assert projects.find_or_add(store, str(folder)) == projects.find(store, str(folder))
        assert projects.find(store, str(folder)) == project(store, folder).id

    def test_a_name_with_a_slash_that_is_no_folder_is_a_name(self, store: Store) -> None:
        added = projects.find_or_add(store, "owner/name")
        assert [(one.id, one.name) for one in projects.list_all(store)] == [(added, "owner/name")]

    def test_near_names_are_suggested(self, store: Store) -> None:
        with pytest.raises(NotFoundError, match="no projects yet"):
            projects.find(store, "orderly")
        projects.find_or_add(store, "orderly")
        with pytest.raises(NotFoundError, match="near it: orderly"):
            projects.find(store, "ordrely")

    def test_an_unknown_name_can_be_added_once(self, store: Store) -> None:
        assert projects.find_or_add(store, "new") == projects.find_or_add(store, "new")
        assert [found.name for found in projects.list_all(store)] == ["new"]

    def test_the_list_says_where_each_was_last_seen(self, store: Store, repository: Repository, tmp_path: Path) -> None:
        folder = repository(tmp_path / "orderly")
        project(store, folder)
        assert [(found.name, found.root) for found in projects.list_all(store)] == [("orderly", str(folder))]


class TestAssign:
    def test_observations_get_the_project_and_branch_of_their_folder(
        self, store: Store, agent: Agent, git: Git, repository: Repository, tmp_path: Path
    ) -> None:
        agent.cwd = repository(tmp_path / "repo")
        agent.prompt("a")
        agent.prompt("b", cwd=str(Path.home()))
        assert projects.assign(store) == 1
        second, first = observations.page(store)
        assert (first.project, first.branch, second.project, second.branch) == ("repo", "main", None, "")
        (session,) = observations.sessions(store)
        assert (session.project, session.branch) == ("repo", "main")
        assert projects.assign(store) == 0

    def test_a_known_folder_is_known_at_once_and_its_branch_is_added(
        self, store: Store, agent: Agent, git: Git, repository: Repository, tmp_path: Path
    ) -> None:
        agent.cwd = repository(tmp_path / "repo")
        project(store, agent.cwd)
        agent.prompt("a")
        assert observations.page(store)[0].project == "repo"
        git(agent.cwd, "switch", "--quiet", "-c", "fix")
        projects.assign(store)
        assert observations.page(store)[0].branch == "fix"

    def test_the_named_folder_counts_wherever_the_agent_works(
        self, store: Store, agent: Agent, repository: Repository, tmp_path: Path
    ) -> None:
        from tui_memory.store import ingest

        named, elsewhere = repository(tmp_path / "named"), repository(tmp_path / "elsewhere")
        sent = ingest.Delivery("d", "claude-code", agent.now, str(elsewhere), str(named))
        payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "a", "cwd": str(elsewhere)}
        ingest.receive(store.connection, sent, payload, agent.settings, b"")
        projects.assign(store)
        assert observations.page(store)[0].project == "named"
