"""Everything that is to be read can be read: each theme's words against what is behind them, as they are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.color import Color
from textual.geometry import Region
from textual.pilot import Pilot

from tests.tui.conftest import make, settle
from tests.tui.test_snapshots import audited, shown, unwell
from tui_memory.tui import themes

LEAST = 4.5
"""WCAG 2.1, level AA, for text of ordinary size."""
OURS = [path.stem for path in sorted(themes.folders()[0].glob("*.yaml")) if path.stem != "tui-memory-16"]
"""The one of sixteen colours is the terminal's own, whatever they are there."""
VIEWS: dict[str, tuple[Any, list[str]]] = {
    "live": (shown, []),
    "memories": (unwell, ["2", "j", "space", "space", "v"]),
    "audit": (audited, ["3"]),
    "playground": (shown, ["4", "slash", *"retries", "enter", "p"]),
    "lab": (shown, ["5", "space"]),
    "health": (unwell, ["6"]),
    "help": (shown, ["question_mark"]),
    "merge": (shown, ["2", "space", "space", "m"]),
    "edit": (shown, ["2", "e"]),
    "export": (shown, ["2", "w"]),
    "confirm": (shown, ["2", "space", "space", "N"]),
}


def luminance(colour: Color) -> float:
    """WCAG's relative luminance, 0 to 1."""
    assert colour.triplet is not None

    def linear(part: int) -> float:
        share = part / 255
        return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)

    red, green, blue = colour.triplet
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(one: Color, other: Color) -> float:
    """WCAG's contrast of two colours, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def words(pilot: Pilot[Any]) -> Iterator[tuple[str, Color, Color]]:
    """Every piece of text that is drawn, with its colour and the one behind; of a dialog, what is in it."""
    screen = pilot.app.screen
    dialogs = list(screen.query(".dialog"))
    inside = dialogs[0].region if dialogs else Region(0, 0, *screen.size)
    update = screen._compositor.render_full_update()
    for y, strips in enumerate(update.strips):
        x = 0
        for segment in (segment for strip in strips for segment in strip):
            start, x = x, x + segment.cell_length
            style = segment.style
            letters = "".join(char for char in segment.text if char.isalnum())
            if letters and style and style.color and style.bgcolor and inside.contains(start, y):
                front, back = (style.bgcolor, style.color) if style.reverse else (style.color, style.bgcolor)
                yield segment.text.strip(), front, back


def test_black_on_white_and_a_known_grey() -> None:
    white, black, grey = (Color.from_rgb(*rgb) for rgb in ((255, 255, 255), (0, 0, 0), (118, 118, 118)))
    assert round(contrast(white, black)) == 21 and 4.5 <= contrast(grey, white) < 4.6


@pytest.mark.parametrize("view", VIEWS)
async def test_every_word_stands_out(view: str, tmp_path: Path) -> None:
    build, keys = VIEWS[view]
    app = make(build(), tmp_path)
    weak = set()
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
        await settle(pilot)
        app.clear_notifications()
        for name in OURS:
            app.register_theme(themes.find(name) or themes.default())
            app.theme = name
            await settle(pilot)
            for text, front, back in words(pilot):
                if (ratio := contrast(front, back)) < LEAST:
                    weak.add(f"{name}: {text[:30]!r} {front.name} on {back.name} is {ratio:.1f}")
    assert not weak, "\n".join(sorted(weak))
