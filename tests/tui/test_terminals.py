"""Every screen where colours are few, or none: what a colour says, a glyph and a word say, too."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.color import ColorType
from rich.style import Style
from textual.pilot import Pilot

from tests.tui.conftest import Drive, settle
from tests.tui.fake import FakeMemory, memory
from tests.tui.reading import screen_text
from tui_memory.tui import rooms

ROOMS = [number for number, _, _ in rooms.ROOMS]
LESS = [{"id": "agents", "ok": False, "what": "no agent has spoken yet", "fix": "tui-memory install claude-code"}]
SAID = {"6": ("▲ degraded", "● ready"), "1": ("● following", "✗ error"), "2": ("▲ pinned",)}
"""What the screens of these numbers say in good times and bad."""


def styles(pilot: Pilot[Any]) -> Iterator[Style]:
    """The style of every piece of the screen."""
    update = pilot.app.screen._compositor.render_full_update()
    yield from (segment.style for strip in update.strips for line in strip for segment in line if segment.style)


def prepared(fake: FakeMemory) -> FakeMemory:
    """A store with something degraded, failed and pinned."""
    fake.checks += LESS
    fake.rows[0] = memory(1, pinned=True)
    return fake


@pytest.mark.parametrize("room", ROOMS)
async def test_without_colours_all_is_grey_and_still_said(
    drive: Drive, fake: FakeMemory, monkeypatch: pytest.MonkeyPatch, room: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    prepared(fake)
    async with drive((120, 40), room) as pilot:
        shades = {
            colour.triplet
            for style in styles(pilot)
            for colour in (style.color, style.bgcolor)
            if colour is not None and colour.triplet is not None
        }
        assert shades and all(red == green == blue for red, green, blue in shades)
        assert all(said in screen_text(pilot) for said in SAID.get(room, ()))


@pytest.mark.parametrize("room", ROOMS)
async def test_with_sixteen_colours_nothing_needs_another(drive: Drive, fake: FakeMemory, room: str) -> None:
    prepared(fake)
    async with drive((120, 40), room, theme="tui-memory-16") as pilot:
        assert all(said in screen_text(pilot) for said in SAID.get(room, ()))
        for keys in ([], ["j"], ["question_mark"], ["escape"]):
            await pilot.press(*keys)
            await settle(pilot)
            found = {colour.type for style in styles(pilot) for colour in (style.color, style.bgcolor) if colour}
            assert found <= {ColorType.DEFAULT, ColorType.STANDARD}, keys


def test_a_terminal_that_cannot_move_its_cursor_is_told_so_and_nothing_is_made(tmp_path: Path) -> None:
    home = tmp_path / "store"
    given = os.environ | {"TERM": "dumb", "TUI_MEMORY_HOME": str(home)}
    ours, theirs = pty.openpty()
    program = [sys.executable, "-m", "tui_memory", "ui"]
    code = subprocess.run(program, env=given, stdin=theirs, stdout=theirs, stderr=theirs, timeout=120, check=False)
    said = os.read(ours, 65_536).decode()
    os.close(ours)
    os.close(theirs)
    assert code.returncode == 2 and "cannot" in said and "\x1b" not in said
    assert not home.exists()
