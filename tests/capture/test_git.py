"""What a commit becomes."""

from __future__ import annotations

from typing import Any

from tui_memory import capture
from tui_memory.model import Draft, Kind

SHA = "9b0762f1" + "0" * 32
PAYLOAD: dict[str, Any] = {
    "hook": "post-commit",
    "cwd": "/home/dev/orderly",
    "branch": "main",
    "sha": SHA,
    "parents": ["b219f4c"],
    "author": "dev <dev@example.com>",
    "message": "Move validators to pydantic v2\n\nvalidator is gone.",
    "files": [{"path": "orderly/models.py", "added": 2, "removed": 1}, {"path": "NOTES.md", "added": 3}],
    "diff": "--- a/orderly/models.py\n+++ b/orderly/models.py\n-old\n+new\n",
}


def commit(**changes: Any) -> Draft:
    """The draft of the commit with some fields changed."""
    made = capture.normalise("git", PAYLOAD | changes, 7)
    assert made is not None
    return made


def test_a_commit_keeps_message_files_and_diff() -> None:
    made = commit()
    assert (made.kind, made.session, made.key, made.branch) == (Kind.COMMIT, "git-9b0762f10000", SHA, "main")
    assert made.files == ["orderly/models.py", "NOTES.md"]
    assert made.text.startswith("commit 9b0762f10000\nMove validators") and made.text.endswith("+new")
    assert made.detail["subject"] == "Move validators to pydantic v2" and made.detail["added"] == 5


def test_two_parents_make_a_merge() -> None:
    assert commit(parents=["a", "b"]).kind == Kind.MERGE


def test_a_hook_without_a_commit_carries_nothing() -> None:
    assert capture.normalise("git", {"hook": "post-checkout"}, 7) is None


def test_broken_fields_make_a_poorer_commit() -> None:
    made = commit(files=[None, {"path": 3}, {"path": "a"}], parents=None, message=None, diff=["x"])
    assert made.files == ["3", "a"] and made.kind == Kind.COMMIT
