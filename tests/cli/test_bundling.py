"""bundle: where a kit may be written. What it holds is tested in tests/bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell


def test_it_is_never_written_over_what_is_there(shell: Shell, machine: Path) -> None:
    folder = machine / "kit"
    folder.mkdir()
    (folder / "notes").write_text("mine")
    for place in (folder, folder / "notes"):
        answer = shell("bundle", str(place))
        assert (answer.code, answer.out) == (4, "") and "Nothing was written" in answer.err
    assert [path.name for path in folder.iterdir()] == ["notes"]
    assert not (machine / "store").exists()


@pytest.mark.parametrize("place", ["nowhere/kit", "/"])
def test_a_place_that_is_no_place_for_one_is_said(shell: Shell, machine: Path, place: str) -> None:
    answer = shell("bundle", place)
    assert answer.code == (4 if place == "/" else 3) and "Nothing was written" in answer.err
    assert not list(machine.glob("**/.*part*"))
