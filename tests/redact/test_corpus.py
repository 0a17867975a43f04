"""The development rows of a corpus that is kept outside the repository, where TUI_MEMORY_SECRETS names its folder."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tui_memory.redact import redact

FOLDER = os.environ.get("TUI_MEMORY_SECRETS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TUI_MEMORY_SECRETS names no folder with corpus.jsonl.gz")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Rows with `label` (pos, neg), `split`, `text` and the exact `secrets` in it."""
    with gzip.open(Path(FOLDER) / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["split"] == "dev"]


def test_every_secret_of_a_row_is_gone_in_99_of_100(rows: list[dict[str, Any]]) -> None:
    secret = [row for row in rows if row["label"] == "pos"]
    left = [row["id"] for row in secret if any(value in redact(row["text"]) for value in row["secrets"])]
    assert len(left) <= 0.01 * len(secret), left


def test_at_most_one_clean_row_in_200_is_changed(rows: list[dict[str, Any]]) -> None:
    clean = [row for row in rows if row["label"] == "neg"]
    changed = [row["id"] for row in clean if redact(row["text"]) != row["text"]]
    assert len(changed) <= 0.005 * len(clean), changed


def test_every_row_is_masked_once_and_for_all(rows: list[dict[str, Any]]) -> None:
    assert not [row["id"] for row in rows if redact(once := redact(row["text"])) != once]
