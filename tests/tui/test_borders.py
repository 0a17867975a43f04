"""Words in borders: there at once, and what is inside is not drawn again for them."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tests.tui.reading import screen_text
from tui_memory.tui.widgets.borders import entitle


class Framed(App[None]):
    """One pane with a border."""

    CSS = "Vertical { border: round red; padding: 0 1; }"

    def compose(self) -> ComposeResult:
        """The pane and what is in it."""
        yield Vertical(Static("inside"), id="pane")


async def test_other_words_are_seen() -> None:
    app = Framed()
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        for number in (12, 13):
            said = Content.assemble((f"{number} rows", "red"))
            entitle(app.query_one("#pane"), title=said, subtitle=Content(f"{number}.1/s"))
            await pilot.pause()
            lines = screen_text(pilot).splitlines()
            assert f"{number} rows" in lines[0] and f"{number}.1/s" in lines[-1]


async def test_only_the_border_s_own_line_is_painted() -> None:
    app = Framed()
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        pane = app.query_one("#pane")
        entitle(pane, title=Content.assemble(("12 rows", "red")), subtitle=Content("3.1/s"))
        assert {(region.y, region.height) for region in pane._repaint_regions} == {(0, 1), (9, 1)}
        await pilot.pause()
        entitle(pane, title=Content.assemble(("12 rows", "red")), subtitle=Content("3.1/s"))
        assert not pane._repaint_regions
        entitle(pane, subtitle=Content("2.9/s"))
        assert {(region.y, region.height) for region in pane._repaint_regions} == {(9, 1)}


async def test_words_that_come_before_the_first_layout_are_there_after_it() -> None:
    class Early(Framed):
        def on_mount(self) -> None:
            entitle(self.query_one("#pane"), title=Content("early"))

    app = Early()
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert "early" in screen_text(pilot).splitlines()[0]
