"""What the application remembers: private, bounded, set aside where it is broken, and out of reach of nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tui_memory.engine.memory import Memory
from tui_memory.store import ui_state
from tui_memory.store.ui_state import Kept

KEPT = Kept({"memories": {"sort": "uses"}}, {"memories": {"query": "retry", "queries": ["zebra budget", "retry"]}})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with nothing in it."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def test_what_is_written_is_read_and_only_its_owner_can(place: Path) -> None:
    assert ui_state.read(place) == Kept()
    assert ui_state.write(place, KEPT) == KEPT
    assert ui_state.read(place) == KEPT
    assert (place / "ui.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in place.iterdir()] == ["ui.json"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"version": 9}', b'{"version": 1, "plain": 3, "texts": {}, "purged": 0}',
     b'{"version": 1, "plain": {"live": 3}, "texts": {}, "purged": 0}', b"[" * 300_000],
    ids=["empty", "torn", "list", "bytes", "version", "shape", "inside", "huge"],
)  # fmt: skip
def test_a_broken_file_is_set_aside_and_said_once(place: Path, content: bytes) -> None:
    (place / "ui.json").write_bytes(content)
    first = ui_state.read(place)
    assert first.plain == first.texts == {}
    assert "set aside as ui.json.broken" in first.trouble
    assert (place / "ui.json.broken").read_bytes() == content
    assert ui_state.read(place) == Kept()


def test_a_purge_takes_out_what_matches_and_keeps_the_rest(place: Path) -> None:
    ui_state.write(place, KEPT)
    ui_state.forget(place, re.compile("zebra"))
    now = ui_state.read(place)
    assert now.texts == {"memories": {"query": "retry", "queries": ["retry"]}}
    assert now.plain == KEPT.plain


def test_a_purge_that_names_no_text_takes_every_text_and_no_choice(place: Path) -> None:
    ui_state.write(place, KEPT)
    ui_state.forget(place, None)
    assert (ui_state.read(place).texts, ui_state.read(place).plain) == ({}, KEPT.plain)


@pytest.mark.parametrize("scope", ["ids", "project", "before"])
def test_whatever_names_what_goes_no_query_that_may_quote_it_is_left(tmp_path: Path, scope: str) -> None:
    with Memory(tmp_path / "store", embedding="none") as memory:
        number = memory.add(title="The zebra budget", text="zebra", project="orderly")
        memory.observing.remember(Kept({"app": {"screen": "live"}}, {"memories": {"queries": ["striped animals"]}}))
        given: dict[str, Any] = {"ids": [number], "project": "orderly", "before": 2**52}
        memory.purge(**{scope: given[scope]}, yes=True, expect=1)
        left = (tmp_path / "store" / "ui.json").read_text()
        assert "striped" not in left
        assert "screen" in left


def test_an_application_that_was_open_does_not_bring_it_back(place: Path) -> None:
    held = ui_state.write(place, KEPT)
    ui_state.forget(place, re.compile("zebra"))
    stands = ui_state.write(place, Kept({"memories": {"sort": "title"}}, held.texts, held.purged))
    assert "zebra" not in (place / "ui.json").read_text()
    assert stands.plain == {"memories": {"sort": "title"}}
    assert ui_state.write(place, stands) == stands


def test_one_that_never_wrote_before_does_not_either(place: Path) -> None:
    ui_state.forget(place, re.compile("zebra"))
    ui_state.write(place, KEPT)
    assert "zebra" not in (place / "ui.json").read_text()


def test_what_was_set_aside_goes_with_a_purge(place: Path) -> None:
    (place / "ui.json").write_text("zebra {")
    ui_state.read(place)
    ui_state.forget(place, re.compile("zebra"))
    assert not any(b"zebra" in path.read_bytes() for path in place.iterdir())


def test_through_the_engine_it_is_masked_and_a_purge_reaches_it(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with Memory(tmp_path / "store", embedding="none") as memory:
        memory.add(title="The zebra budget", text="zebra")
        held = memory.observing.remember(Kept({}, {"memories": {"queries": ["zebra budget", f"use {token}", "kept"]}}))
        path = tmp_path / "store" / "ui.json"
        assert token not in path.read_text() and "[redacted:" in path.read_text()
        memory.purge(match="zebra", yes=True, expect=1)
        assert "zebra" not in path.read_text()
        memory.observing.remember(Kept({}, {"memories": {"queries": ["zebra budget"]}}, held.purged))
        assert "zebra" not in path.read_text()
        assert "kept" in json.loads(path.read_text())["texts"]["memories"]["queries"]
