"""Whose memories a command sees: by default those of the project one stands in, and those of all projects."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.shell import Shell


def titles(shell: Shell, *args: str) -> set[str]:
    return {one["title"] for one in shell("list", "--json", *args).json["memories"]}


@pytest.fixture
def two(shell: Shell, machine: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Two repositories with a memory each, and one memory for all; we stand in the first."""
    places = {name: machine / name for name in ("orderly", "ledger")}
    for name, place in places.items():
        (place / "src").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(place)], check=True)
        monkeypatch.chdir(place)
        assert shell("add", "--title", f"Of {name}").code == 0
    shell("add", "--title", "Of all", "--everywhere")
    monkeypatch.chdir(places["orderly"])
    return places


def test_the_default_is_the_project_at_hand_and_what_belongs_to_all(shell: Shell, two: dict[str, Path]) -> None:
    assert titles(shell) == {"Of orderly", "Of all"}


def test_a_sub_folder_is_of_its_project(shell: Shell, two: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(two["ledger"] / "src")
    assert titles(shell) == {"Of ledger", "Of all"}


def test_other_projects_by_name_or_path_one_or_several(
    shell: Shell, two: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert titles(shell, "--project", "ledger") == {"Of ledger", "Of all"}
    assert titles(shell, "--project", str(two["ledger"] / "src")) == {"Of ledger", "Of all"}
    assert titles(shell, "--project", "../ledger") == {"Of ledger", "Of all"}
    assert titles(shell, "--project", "ledger", "--project", ".") == {"Of orderly", "Of ledger", "Of all"}
    assert titles(shell, "--all-projects") == {"Of orderly", "Of ledger", "Of all"}


def test_two_projects_of_one_name_are_two(shell: Shell, two: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    other = two["ledger"] / "vendored" / "orderly"
    other.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    monkeypatch.chdir(other)
    shell("add", "--title", "Of the other orderly")
    assert titles(shell) == {"Of the other orderly", "Of all"}


def test_an_unknown_project_is_three_and_near_names_are_offered(shell: Shell, two: dict[str, Path]) -> None:
    for args in (["list"], ["search", "x"], ["observations"], ["context"]):
        answer = shell(*args, "--project", "orderli")
        assert (answer.code, answer.out) == (3, "") and "orderly" in answer.err


def test_a_list_of_several_projects_says_which_is_whose(shell: Shell, two: dict[str, Path]) -> None:
    shown = shell("list", "--all-projects").out
    assert "PROJECT" in shown and "all projects" in shown and "ledger" in shown


def test_a_memory_moves_to_another_project_or_to_all(shell: Shell, two: dict[str, Path]) -> None:
    shell("edit", "1", "--project", "ledger")
    assert titles(shell, "--project", "ledger") == {"Of orderly", "Of ledger", "Of all"}
    shell("edit", "1", "--everywhere")
    assert shell("show", "1", "--json").json["memories"][0]["project"] is None
    assert re.search(r"^learned in +ledger$", shell("show", "1").out, re.MULTILINE)
    explained = shell("search", "orderly", "--limit", "1", "--explain", "--project", "orderly").out
    assert "(learned in ledger, promoted to all projects)" in explained
    assert "promote" in shell("history", "1").out


def test_the_projects_are_listed(shell: Shell, two: dict[str, Path]) -> None:
    found = shell("project", "list", "--json").json["projects"]
    assert {one["name"] for one in found} == {"orderly", "ledger"}
    assert {"id", "uid", "name", "root"} <= set(found[0])
    assert "LAST SEEN IN" in shell("project", "list").out


def test_no_project_at_all_is_said(shell: Shell) -> None:
    answer = shell("project", "list")
    assert (answer.code, answer.out) == (0, "") and "No project yet" in answer.err
