"""Which sections of a notes file become memories, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui_memory.capture import fence, foreign
from tui_memory.capture.foreign import Item
from tui_memory.errors import UsageError


def items(path: Path, text: str) -> list[Item]:
    """The items of a notes file with this text."""
    path.write_text(text, "utf-8")
    return foreign.read(path).items


def test_each_section_with_words_of_its_own_is_one_rule(tmp_path: Path) -> None:
    text = "Answer briefly.\n\n# Style\n\n## Names\nNo abbreviations.\n\n### Tests\nSay what is so.\n"
    text += "\n## Errors\nTell why.\n"
    made = items(tmp_path / "AGENTS.md", text)
    assert [(item.title, item.summary, item.text) for item in made] == [
        ("Answer briefly.", "", "Answer briefly."),
        ("Names", "Style › Names", "No abbreviations."),
        ("Tests", "Style › Names › Tests", "Say what is so."),
        ("Errors", "Style › Errors", "Tell why."),
    ]
    assert {item.tier for item in made} == {"semantic"}
    assert [item.kind for item in made] == ["convention", "convention", "procedure", "convention"]
    assert {tuple(item.labels) for item in made} == {("agents.md",)}


def test_a_hash_in_a_code_block_is_no_heading(tmp_path: Path) -> None:
    made = items(tmp_path / "CLAUDE.md", "# Setup\n```sh\n# make it\nmake\n```\n")
    assert [(item.title, item.text) for item in made] == [("Setup", "```sh\n# make it\nmake\n```")]


def test_comments_other_memories_and_our_own_context_are_left_out(tmp_path: Path) -> None:
    text = f"# Rules\nKeep.\n<!-- hidden -->\n<claude-mem-context>old</claude-mem-context>\n{fence.wrap('ours')}\n"
    text += "@docs/more.md\n"
    path = tmp_path / "CLAUDE.md"
    path.write_text(text)
    contents = foreign.read(path)
    assert [item.text for item in contents.items] == ["Keep."]
    assert contents.skipped == {
        "comment": 1, "what claude-mem put in": 1, "@import of another file (not followed)": 1,
    }  # fmt: skip


def test_a_section_keeps_its_identity_when_its_words_or_its_neighbours_change(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    before = items(path, "# A\none\n# B\ntwo\n")
    after = items(path, "# New\nzero\n# A\nother\n# B\ntwo\n")
    assert [item.uid for item in before] == [item.uid for item in after[1:]]
    assert len({item.uid for item in items(path, "# A\none\n# A\ntwo\n")}) == 2


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"x" * 2_000_001)
    with pytest.raises(UsageError, match="2 MB"):
        foreign.read(path)
