"""The cases of a project's identity as one table, each with real git repositories."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repositories import Repository
from tui_memory.store import projects
from tui_memory.store.db import Store

Case = Callable[[Path], dict[str, Path]]
"""Makes folders below a root, by name."""


def _repository(folder: Path, text: str = "") -> Repository:
    made = Repository.make(folder)
    made.commit(f"Begin {text or folder}", {"README": f"{text or folder}\n"})
    return made


def _clone(source: Path, target: Path, *arguments: str, remote: str = "") -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    Repository(source).git("clone", "--quiet", *arguments, f"file://{source}", str(target))
    if remote:
        Repository(target).git("remote", "set-url", "origin", remote)
    return target


def worktrees(root: Path) -> dict[str, Path]:
    main = _repository(root / "orderly")
    main.git("worktree", "add", "--quiet", "-b", "x", str(root / "elsewhere" / "x"))
    return {"main": main.folder, "worktree": root / "elsewhere" / "x"}


def submodules(root: Path) -> dict[str, Path]:
    outer, module = _repository(root / "outer"), _repository(root / "module")
    outer.git("submodule", "--quiet", "add", str(module.folder), "sub")
    return {"outer": outer.folder, "sub": outer.folder / "sub"}


def a_submodule_and_its_origin(root: Path) -> dict[str, Path]:
    return submodules(root) | {"module": root / "module"}


def nested(root: Path) -> dict[str, Path]:
    return {"outer": _repository(root / "outer").folder, "inner": _repository(root / "outer" / "vendor" / "x").folder}


def subfolders(root: Path) -> dict[str, Path]:
    made = _repository(root / "orderly")
    made.commit("Add", {"api/a.py": "", "web/b.py": ""})
    return {name: made.folder / name for name in ("api", "web")} | {"top": made.folder}


def clones_of_one_remote(root: Path) -> dict[str, Path]:
    origin = _repository(root / "origin").folder
    addresses = {"https": "https://robin:pw@example.com/team/orderly.git", "ssh": "git@example.com:team/orderly"}
    return {name: _clone(origin, root / name / "orderly", remote=url) for name, url in addresses.items()}


def forks(root: Path) -> dict[str, Path]:
    origin = _repository(root / "origin").folder
    return {
        owner: _clone(origin, root / owner / "orderly", remote=f"https://example.com/{owner}/orderly")
        for owner in ("team", "casey")
    }


def shallow_clones(root: Path) -> dict[str, Path]:
    origin = _repository(root / "origin")
    origin.commit("More")
    url = "https://example.com/team/orderly"
    whole = _clone(origin.folder, root / "whole" / "orderly", remote=url)
    return {"whole": whole, "shallow": _clone(origin.folder, root / "thin" / "orderly", "--depth", "1", remote=url)}


def several_roots(root: Path) -> dict[str, Path]:
    main, other = _repository(root / "orderly"), _repository(root / "other")
    before = _clone(main.folder, root / "before" / "orderly")
    main.git("fetch", "--quiet", str(other.folder), "HEAD")
    main.git("merge", "--quiet", "--allow-unrelated-histories", "-X", "ours", "-m", "Join", "FETCH_HEAD")
    return {"main": main.folder, "before": before}


def two_of_one_name(root: Path) -> dict[str, Path]:
    return {owner: _repository(root / owner / "api").folder for owner in ("casey", "robin")}


def a_copy_of_a_template(root: Path) -> dict[str, Path]:
    made = {name: _repository(root / name / "app", "the same template").folder for name in ("one", "two")}
    Repository(made["two"]).git("commit", "--quiet", "--amend", "--reset-author", "-m", "Another beginning")
    return made


def no_git(root: Path) -> dict[str, Path]:
    for name in ("one", "two"):
        (root / name / "notes").mkdir(parents=True)
    return {name: root / name / "notes" for name in ("one", "two")}


def a_link_to_a_repository(root: Path) -> dict[str, Path]:
    made = _repository(root / "orderly").folder
    (root / "link").symlink_to(made)
    return {"real": made, "link": root / "link"}


@pytest.mark.parametrize(
    ("case", "groups"),
    [
        (worktrees, [{"main", "worktree"}]),
        (submodules, [{"outer"}, {"sub"}]),
        (a_submodule_and_its_origin, [{"outer"}, {"sub", "module"}]),
        (nested, [{"outer"}, {"inner"}]),
        (subfolders, [{"top", "api", "web"}]),
        (clones_of_one_remote, [{"https", "ssh"}]),
        (forks, [{"team"}, {"casey"}]),
        (shallow_clones, [{"whole", "shallow"}]),
        (several_roots, [{"main", "before"}]),
        (two_of_one_name, [{"casey"}, {"robin"}]),
        (a_copy_of_a_template, [{"one"}, {"two"}]),
        (no_git, [{"one"}, {"two"}]),
        (a_link_to_a_repository, [{"real", "link"}]),
    ],
)
@pytest.mark.parametrize("backwards", [False, True], ids=["as listed", "the last one seen first"])
def test_which_folders_are_one_project(
    store: Store, tmp_path: Path, case: Case, groups: list[set[str]], backwards: bool
) -> None:
    folders = case(tmp_path)
    order = sorted(folders, reverse=backwards)
    found = {}
    for name in order:
        project = projects.resolve(store, str(folders[name]))
        assert project is not None, name
        found[name] = project.id
    expected = sorted(sorted(group) for group in groups)
    by_id: dict[int, list[str]] = {}
    for name, id_ in found.items():
        by_id.setdefault(id_, []).append(name)
    assert sorted(sorted(group) for group in by_id.values()) == expected
    with Store(store.home) as later:  # and once known, so for ever
        again = [projects.resolve(later, str(folders[name])) for name in reversed(order)]
        assert [one and one.id for one in again] == [found[name] for name in reversed(order)]


def home(root: Path) -> Path:
    return Path.home()


def home_under_git(root: Path) -> Path:
    Repository.make(Path.home() / "x").folder.rename(Path.home() / "y")
    Repository(Path.home()).git("init", "--quiet")
    return Path.home()


def parent_of_many(root: Path) -> Path:
    for name in ("a", "b"):
        _repository(root / "code" / name)
    return root / "code"


@pytest.mark.parametrize("case", [home, home_under_git, parent_of_many, lambda _: Path("/")])
def test_what_holds_everything_is_no_project(store: Store, tmp_path: Path, case: Callable[[Path], Path]) -> None:
    assert projects.resolve(store, str(case(tmp_path))) is None


def test_a_moved_folder_is_known_by_its_first_commit_and_its_old_name_stays(store: Store, tmp_path: Path) -> None:
    made = _repository(tmp_path / "old" / "orderly").folder
    before = projects.resolve(store, str(made))
    shutil.move(tmp_path / "old", tmp_path / "new")
    with Store(store.home) as later:
        after = projects.resolve(later, str(tmp_path / "new" / "orderly"))
        gone = projects.resolve(later, str(made))
        assert before and after and gone and before.id == after.id == gone.id
        assert projects.find(later, str(made)) == before.id


def test_a_deleted_worktree_keeps_its_project(store: Store, tmp_path: Path) -> None:
    folders = worktrees(tmp_path)
    before = projects.resolve(store, str(folders["worktree"]))
    shutil.rmtree(folders["worktree"])
    with Store(store.home) as later:
        after = projects.resolve(later, str(folders["worktree"]))
        assert before and after and before.id == after.id


def test_the_folder_that_an_agent_names_holds_through_its_cd(store: Store, tmp_path: Path) -> None:
    named, visited = _repository(tmp_path / "named").folder, _repository(tmp_path / "visited").folder
    found = projects.resolve(store, str(visited), str(named))
    assert found and found.name == "named"
    without = projects.resolve(store, str(visited))
    assert without and without.name == "visited"
