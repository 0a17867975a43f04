"""Rollouts that Codex has packed are read as they were; nothing of one is unpacked to the disk."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from backports import zstd

from tests.capture.transcripts.reading import FIXTURES, RECORDED, drafts, steps
from tui_memory.capture.transcripts import READERS, Tally, records, search, unpacking
from tui_memory.engine.importing import Importing
from tui_memory.engine.memory import Memory

DAY = FIXTURES / "codex" / "2026" / "11" / "29"
ROLLOUTS = [*DAY.glob("*.jsonl"), RECORDED / "codex.transcript.jsonl"]
PROMPT = b'{"type":"event_msg","payload":{"type":"user_message","message":"x"}}\n'


def packed(folder: Path, content: bytes, name: str = "rollout-1.jsonl.zst") -> Path:
    """The content, packed."""
    path = folder / name
    path.write_bytes(zstd.compress(content))
    return path


@pytest.mark.parametrize("rollout", ROLLOUTS, ids=lambda path: path.name)
def test_a_packed_rollout_tells_what_it_told_before(rollout: Path, tmp_path: Path) -> None:
    whole = steps("codex", rollout)
    path, tally = packed(tmp_path, rollout.read_bytes()), Tally()
    again = steps("codex", path, 0, tally)
    assert [(one.identity, one.resume, one.draft) for one in again] == [
        (one.identity, one.resume, one.draft) for one in whole
    ]
    middle = whole[len(whole) // 2].resume
    assert [one.identity for one in steps("codex", path, middle)] == [
        one.identity for one in steps("codex", rollout, middle)
    ]
    assert [session.agent for session in search([tmp_path]).sessions] == ["codex"]


def test_what_was_read_before_it_was_packed_is_known(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl"
    path.write_bytes(ROLLOUTS[0].read_bytes())
    first = Importing(memory).transcripts([tmp_path])
    packed(tmp_path, path.read_bytes())
    path.unlink()
    second = Importing(memory).transcripts([tmp_path])
    third = Importing(memory).transcripts([tmp_path])
    assert first.stored and (second.stored, second.known) == (0, first.stored) and third.unchanged == 1
    assert [file.name for file in tmp_path.glob("rollout*")] == ["rollout-1.jsonl.zst"]


def test_one_that_was_cut_short_is_told_as_far_as_it_goes(tmp_path: Path) -> None:
    lines = ROLLOUTS[-1].read_bytes() * 40
    path = packed(tmp_path, lines)
    path.write_bytes(path.read_bytes()[:-20])
    assert 0 < len(drafts("codex", path)) <= len(steps("codex", packed(tmp_path, lines, "whole.jsonl.zst")))


@pytest.mark.parametrize("content", [unpacking.MAGIC + b"\xff" * 500, unpacking.MAGIC, b"", b"\0" * 40])
def test_what_is_no_packed_file_is_refused_by_name_or_told_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rollout-1.jsonl.zst").write_bytes(content)
    found = search([tmp_path])
    assert found.sessions == [] and (found.skipped["no transcript"] == 1 or "rollout-1" in found.failed[0])


def test_a_line_that_unpacks_to_any_size_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST_LINE", 1 << 20)
    meta = ROLLOUTS[-1].read_bytes()
    path = packed(tmp_path, meta + b'{"x": "' + bytes(200 << 20) + b'"}\n' + PROMPT)
    assert path.stat().st_size < 100_000
    tally = Tally()
    tracemalloc.start()
    list(READERS["codex"](path, 0, tally))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert tally.skipped[records.TOO_LONG] == 1 and peak < 24 << 20


def test_a_file_that_unpacks_without_end_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "LARGEST", 1 << 20)
    path = packed(tmp_path, ROLLOUTS[-1].read_bytes() + PROMPT * 200_000)
    with pytest.raises(OSError, match="unpacks to more"):
        drafts("codex", path)
