"""Paths are renamed where they stand by themselves, and nowhere else."""

from __future__ import annotations

import pytest

from tui_memory.model import Body
from tui_memory.upkeep.audit.renaming import renamed

NAMES = {"src/app.py": "lib/core.py", "app.py": "core.py"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("src/app.py starts it.", "lib/core.py starts it."),
        ("It is in `src/app.py`, or app.py.", "It is in `lib/core.py`, or core.py."),
        ("src/app.py:12", "lib/core.py:12"),
        ("old/src/app.py", "old/src/app.py"),
        ("src/app.pyc and src/app.py.bak", "src/app.pyc and src/app.py.bak"),
        ("my-app.py and app.py/x", "my-app.py and app.py/x"),
        ("(src/app.py)\n- src/app.py", "(lib/core.py)\n- lib/core.py"),
    ],
)
def test_a_path_by_itself(before: str, after: str) -> None:
    assert renamed(Body("t", text=before), NAMES).text == after


def test_every_field_that_names_files() -> None:
    body = Body("src/app.py", "src/app.py", "src/app.py", ["src/app.py"], files=["src/app.py", "src/other.py"])
    new = renamed(body, NAMES)
    assert (new.title, new.summary, new.text, new.facts) == (*["lib/core.py"] * 3, ["lib/core.py"])
    assert new.files == ["lib/core.py", "src/other.py"] and (new.kind, new.tier) == (body.kind, body.tier)
