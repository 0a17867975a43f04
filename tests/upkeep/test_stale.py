"""Stale by code: what a memory names that the repository had and has no longer; never what was never there."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from tests.upkeep.conftest import Repository
from tui_memory import Memory
from tui_memory.upkeep import naming
from tui_memory.upkeep.findings import GoneName

Make = Callable[[str], Repository]
CODE = "class PaylaneClient:\n    def retry_later(self):\n        return ORDERLY_POOL\n"


def gone(memory: Memory, *, full: bool = False) -> dict[int, list[str]]:
    memory.upkeep.refresh(full=full)
    return {found.memory: [name.name for name in found.names] for found in memory.upkeep.stale()}


def names(memory: Memory, which: int) -> list[GoneName]:
    return next(found.names for found in memory.upkeep.stale() if found.memory == which)


@pytest.fixture
def known(memory: Memory, repository: Make) -> tuple[Memory, Repository, int]:
    """A repository, and a memory that names what is in it and what never was."""
    made = repository("orderly")
    made.commit(src__client_dot_py=CODE, src__pool_dot_py="SIZE = 3\n" * 20, Makefile="release-all:\n\techo\n")
    which = memory.add(
        title="Client retries",
        text="`PaylaneClient` calls `retry_later()`, `make release-all` ships it; ORDERLY_POOL is 3."
        " NeverThere and lib/never.py and `make nothing-such` were only an idea.",
        files=["src/pool.py"],
        project=str(made.folder),
    )
    return memory, made, which


def test_what_is_there_is_not_gone(known: tuple[Memory, Repository, int]) -> None:
    memory, _, _ = known
    assert gone(memory) == {}
    assert gone(memory, full=True) == {}


def test_what_was_taken_away_is_said_with_its_commit(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    gone(memory)
    commit = made.commit(
        src__client_dot_py="class Other:\n    pass\n", Makefile="release:\n\techo\n", src__pool_dot_py=None
    )
    assert gone(memory) == {which: ["src/pool.py", "PaylaneClient", "retry_later", "ORDERLY_POOL", "release-all"]}
    assert {(name.kind, name.commit, name.renamed_to) for name in names(memory, which)} == {
        (kind, commit, None) for kind in ("file", "symbol", "setting", "command")
    }
    (whole,) = memory.get(which)
    assert "PaylaneClient" in whole.gone and whole.public()["gone"] == whole.gone
    with Memory(memory.home, embedding="none") as elsewhere:
        assert elsewhere.memories()[0].gone == whole.gone  # every process, lists too


def test_an_agent_is_told_within_its_budget(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    fresh = memory.context(project="orderly")
    assert "stale" not in fresh.text and fresh.memories == [which]
    made.commit(src__client_dot_py=None)
    gone(memory)
    told = memory.context(project="orderly")
    assert " t, stale: 3 gone)" in told.text and told.memories == [which]
    assert told.tokens > fresh.tokens  # the marker is paid for like every other word
    assert memory.context(project="orderly", budget=told.tokens).memories == [which]
    assert memory.context(project="orderly", budget=told.tokens - 1).memories == []


def test_a_renamed_file_says_its_new_name(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    made.git("mv", "src/pool.py", "src/one.py")
    made.commit()
    made.git("mv", "src/one.py", "src/two.py")
    made.commit()
    assert gone(memory) == {which: ["src/pool.py"]}
    assert names(memory, which)[0].renamed_to == "src/two.py"
    assert memory.get(which)[0].gone == ["src/pool.py (now src/two.py)"]


def test_what_comes_back_is_not_gone(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    made.commit(src__client_dot_py="", src__pool_dot_py=None)
    assert which in gone(memory)
    made.commit(src__client_dot_py=CODE, src__pool_dot_py="SIZE = 4\n")
    assert gone(memory) == {}


def test_another_branch_is_another_tree(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    made.git("checkout", "--quiet", "-b", "without")
    made.commit(src__client_dot_py="")
    assert which in gone(memory)
    made.git("checkout", "--quiet", "main")
    assert gone(memory) == {}
    made.git("merge", "--quiet", "without")
    assert which in gone(memory)


def test_a_second_working_tree_that_has_it_keeps_it(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    other = made.folder.parent / "worktree"
    made.git("worktree", "add", "--quiet", str(other), "-b", "second")
    memory.project_of(other, make=True)
    made.commit(src__client_dot_py="")
    assert gone(memory, full=True) == {}
    made.git("worktree", "remove", "--force", str(other))
    assert which in gone(memory, full=True)


def test_what_is_removed_and_not_committed_is_gone_too(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    gone(memory)
    (made.folder / "src" / "pool.py").unlink()
    (made.folder / "src" / "client.py").write_text("")
    assert gone(memory, full=True)[which][:2] == ["src/pool.py", "PaylaneClient"]
    assert {name.commit for name in names(memory, which)} == {""}


def test_an_edit_that_names_it_no_more_is_not_stale(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    made.commit(src__client_dot_py="", src__pool_dot_py=None)
    assert which in gone(memory)
    memory.edit(which, text="It retries.", files=[])
    assert memory.upkeep.stale() == []  # at once
    assert gone(memory) == {}
    memory.undo()
    assert which in gone(memory)


def test_a_history_that_is_cut_off_proves_nothing(memory: Memory, known: tuple[Memory, Repository, int]) -> None:
    _, made, _ = known
    made.commit(src__client_dot_py="", src__pool_dot_py=None)
    shallow = made.folder.parent / "shallow"
    made.git("clone", "--quiet", "--depth", "1", f"file://{made.folder}", str(shallow))
    subprocess.run(["git", "-C", str(shallow), "remote", "remove", "origin"], check=True)  # else one project with it
    elsewhere = memory.add(title="x", text="`PaylaneClient`", files=["src/pool.py"], project=str(shallow))
    assert elsewhere not in gone(memory, full=True)


def test_a_hook_of_the_repository_is_never_run(known: tuple[Memory, Repository, int]) -> None:
    memory, made, which = known
    mark = made.folder / "ran"
    hook = made.folder / "evil.sh"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    made.git("config", "core.fsmonitor", str(hook))
    made.commit(src__client_dot_py="")
    mark.unlink(missing_ok=True)
    assert which in gone(memory, full=True)
    assert not mark.exists()


def test_a_folder_without_a_repository_has_nothing_gone(
    memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("plain")
    memory.add(title="x", text="`PaylaneClient`", files=["src/pool.py"], project=str(folder))
    assert gone(memory, full=True) == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`make release-all` and `--no-cache`", {("command", "release-all"), ("setting", "--no-cache")}),
        ("getUserById calls get_user in src/users.py", {
            ("symbol", "getUserById"), ("symbol", "get_user"), ("file", "src/users.py")}),
        ("ORDERLY_POOL is 3 in Version 1.2.3, see https://example.com/a/b.html", {("setting", "ORDERLY_POOL")}),
        ("We make things up, and the price is 3.50 and/or more", set()),
        ("Removed `OldClient` and src/old.py. `NewClient` it is", {("symbol", "NewClient")}),
        ("Renamed old_name to new_name", set()),
    ],
)  # fmt: skip
def test_names(text: str, found: set[tuple[str, str]]) -> None:
    assert set(naming.of("", "", text, [], [])) == found
