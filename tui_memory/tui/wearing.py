"""What the application wears: a theme before anything is drawn, the others a moment later, one's own at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App
from textual.theme import Theme

from tui_memory import places
from tui_memory.errors import ConfigError
from tui_memory.tui import keepsake, themes
from tui_memory.tui.commands import Command
from tui_memory.tui.starting import Starting

THEMES_AFTER = 1.0
"""Seconds until the other themes are read: nobody changes the colours before the rows are there."""


class Wearing(Starting):
    """Finds, watches, tries on and remembers themes; `begin_wearing` comes first of all."""

    _ours: frozenset[str] = frozenset()

    def begin_wearing(self, wanted: str) -> list[str]:
        """Put on the theme that was chosen last, or `wanted`, the settings'; what is wrong with it."""
        self._wanted_theme, self._themes_seen, self._said = wanted, themes.stamp(), set[str]()
        self._wrong_theme: list[str] = []
        own = self.kept.plain.get(keepsake.APP, {})
        self._chosen_theme = keepsake.text(own, "theme") if keepsake.text(own, "over") == wanted else ""
        if self._chosen_theme and self._known(self._chosen_theme) is None:
            self._chosen_theme = ""  # its file is gone
        self._wear(self._chosen_theme or wanted)
        return self._wrong_theme

    def _wear(self, wanted: str) -> None:
        """The theme before anything is styled: set later, every style would be worked out twice."""
        theme = None
        try:
            theme = themes.find(wanted) or self.available_themes.get(wanted)
            if theme is None:
                file = tilde(places.config_file())
                self._wrong_theme.append(f"{file}: ui.theme: there is no theme {wanted}; ctrl+p, theme: lists them.")
        except ConfigError as error:
            self._wrong_theme.append(error.message)
            self._said.add(error.message)
        self._theme_failed = theme is None
        theme = theme or themes.default()
        self.register_theme(theme)
        if theme.ansi:
            self.theme = theme.name
            return
        self.set_reactive(App.theme, theme.name)
        self.stylesheet.set_variables(self.get_css_variables())
        self.update_classes({f"-theme-{theme.name}": True, "-dark-mode": theme.dark, "-light-mode": not theme.dark})

    def _known(self, name: str) -> Theme | None:
        try:
            return themes.find(name) or self.available_themes.get(name)
        except ConfigError:
            return None

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colours, for themes that do not know them."""
        return themes.VARIABLES

    def get_theme(self, theme_name: str) -> Theme | None:
        """A theme by name; Textual merges all it knows for each question, ten thousand times a minute under a flood."""
        return self._registered_themes.get(theme_name) or super().get_theme(theme_name)

    def watch_themes(self) -> None:
        """Read the other themes soon, and a person's own whenever they are written."""
        self.set_timer(THEMES_AFTER, self._look_for_themes)
        self.set_interval(THEMES_AFTER, self._watch_themes)

    def _look_for_themes(self) -> None:
        self.run_worker(self._read_themes, thread=True, group="themes", description="themes", exit_on_error=False)

    def _read_themes(self) -> None:
        shelf = themes.load()
        self.call_later(self._shelve, shelf)

    def _watch_themes(self) -> None:
        """A theme's file was written: its colours follow at once, or a toast says what is wrong with it."""
        now = themes.stamp()
        if now != self._themes_seen:
            self._themes_seen = now
            self._look_for_themes()

    def _shelve(self, shelf: themes.Shelf) -> None:
        worn = self.current_theme
        for theme in shelf.themes.values():
            self.register_theme(theme)
        self._ours = frozenset(shelf.themes)
        if shelf.themes.get(worn.name, worn) != worn:
            self._watch_theme(worn.name)  # what Textual does when another theme is chosen: this one is another now
        elif self._wanted_theme in shelf.themes and self._theme_failed:
            self._theme_failed, self.theme = False, self._wanted_theme
        new = [sentence for sentence in shelf.wrong if sentence not in self._said]
        self._said = set(shelf.wrong)
        if new:
            self.warn("\n".join(new))

    # choosing

    def own_keepsake(self) -> dict[str, Any]:
        """With the theme that was chosen here, until the settings name another one than they did then."""
        chosen = {"theme": self._chosen_theme, "over": self._wanted_theme} if self._chosen_theme else {}
        return super().own_keepsake() | chosen

    def action_choose_theme(self) -> None:
        """Try themes on, one after the other."""
        from tui_memory.tui.dialogs.wardrobe import Wardrobe

        self.push_screen(Wardrobe(self._theme_names(), self.theme), self._choose_theme)

    def _choose_theme(self, name: str | None) -> None:
        if name:
            self.theme = self._chosen_theme = name

    def _theme_names(self) -> list[str]:
        """Ours and the person's first, then those that come with Textual."""
        ours = self._ours
        return [*(name for name in self.available_themes if name in ours),
                *(name for name in self.available_themes if name not in ours)]  # fmt: skip

    def theme_commands(self) -> Iterator[Command]:
        """What the palette offers."""
        yield Command("view: Choose theme", "tries each on as you go through them", self.action_choose_theme)
        for name in self._theme_names():
            if name != self.theme:
                yield Command(f"theme: {name}", "change the colours", partial(self._choose_theme, name))


def tilde(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)
