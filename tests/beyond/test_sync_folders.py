"""A project that came from elsewhere, and the folder that it belongs to where there is no repository: the same name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.repositories import Repository
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory
from tui_memory.store import projects

Way = Callable[[Memory, Memory, Path], object]


def by_sync(one: Memory, two: Memory, root: Path) -> None:
    for memory in (one, two):
        memory.syncing.sync(str(root / "place"))


def by_import(one: Memory, two: Memory, root: Path) -> None:
    one.exporting.export(root / "memories.jsonl")
    Importing(two).file(root / "memories.jsonl")


@pytest.fixture(params=[by_sync, by_import])
def came(request: pytest.FixtureRequest, memory: Memory, other: Memory, tmp_path: Path) -> Memory:
    """A device that got the memories of a folder `orders`, which was no repository, from another."""
    made = tmp_path / "there" / "orders"
    made.mkdir(parents=True)
    project = projects.resolve(memory.store, str(made))
    assert project is not None
    for number in (1, 2, 3):
        memory.edit(number, project=project.uid)
    request.param(memory, other, tmp_path)
    assert [one.root for one in projects.list_all(other.store)] == [""]
    return other


def name_of(memory: Memory, folder: Path) -> str | None:
    """The project of a folder for who only reads; it is the one that is written to as well."""
    read = projects.lookup(memory.store, str(folder))
    written = projects.resolve(memory.store, str(folder))
    assert read is None or (written is not None and read.id == written.id)
    return read.name if read else None


def test_every_command_in_that_folder_sees_them_and_there_is_one_project(
    came: Memory, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here" / "orders"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TUI_MEMORY_HOME", str(came.home))
    came.close()
    for command in (["list"], ["search", "Decimal"], ["context"]):
        assert "Money is Decimal, rule 0" in shell(*command).out, command
    assert "the same name" in shell("project", "show", ".").out
    assert shell("add", "--title", "More", "--text", "of it").code == 0
    assert [row["name"] for row in shell("project", "list", "--json").json["projects"]] == ["orders"]
    assert len(shell("list", "--json").json["memories"]) == 4


def test_an_agent_that_works_there_first_takes_it_over(came: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "here" / "orders"
    (folder / "src").mkdir(parents=True)
    assert (found := projects.resolve(came.store, str(folder))) and found.name == "orders"
    assert name_of(came, folder) == "orders"
    assert [one.root for one in projects.list_all(came.store)] == [str(folder)]


def test_below_a_folder_that_is_known_its_own_name_counts(came: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "here" / "orders"
    folder.mkdir(parents=True)
    projects.resolve(came.store, str(folder.parent))
    assert name_of(came, folder) == "orders"


def test_of_two_folders_of_that_name_the_first_has_it(came: Memory, tmp_path: Path) -> None:
    first, second = tmp_path / "here" / "orders", tmp_path / "copy" / "orders"
    for folder in (first, second):
        folder.mkdir(parents=True)
    assert name_of(came, first) == "orders"
    assert name_of(came, second) is None and name_of(came, second) == "orders (copy)"


def plain(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def repository(folder: Path) -> Path:
    made = Repository.make(folder)
    made.commit("Begin")
    return made.folder


def several(folder: Path) -> Path:
    for name in ("a", "b"):
        repository(folder / name)
    return folder


@pytest.mark.parametrize(
    ("make", "name"),
    [(plain, "order"), (plain, "Orders"), (plain, "orders-2"), (repository, "orders"), (several, "orders"),
     (lambda folder: folder, "orders")],
    ids=["another name", "another spelling", "a longer name", "a repository", "several repositories", "a folder gone"],
)  # fmt: skip
def test_what_is_not_a_plain_folder_of_exactly_that_name_is_something_else(
    came: Memory, tmp_path: Path, make: Callable[[Path], Path], name: str
) -> None:
    folder = make(tmp_path / "here" / name)
    assert projects.lookup(came.store, str(folder)) is None
    found = projects.resolve(came.store, str(folder))
    assert found is None or found.name != "orders"


def test_a_repositorys_project_is_no_plain_folders(memory: Memory, other: Memory, tmp_path: Path) -> None:
    found = projects.resolve(memory.store, str(repository(tmp_path / "there" / "orders")))
    assert found is not None
    memory.edit(1, project=found.uid)
    by_sync(memory, other, tmp_path)
    assert projects.lookup(other.store, str(plain(tmp_path / "here" / "orders"))) is None
