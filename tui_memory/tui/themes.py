"""Themes are YAML files: ours, and the user's beside the settings; a mistake in one is a sentence, never a crash."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

from tui_memory import places
from tui_memory.errors import ConfigError
from tui_memory.light import dataclass, field
from tui_memory.tui import default_theme

PACKAGE = Path(__file__).resolve().parent.parent
COLOURS = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
    "success",
    "warning",
    "error",
)
VARIABLES: dict[str, str] = {
    "tm-muted": "#8a8f98",
    "tm-line": "#5a606b",
    "tm-cursor": "#3a5f8a",
    "tm-cursor-dim": "#4a4f58",
    "tm-mark": "#5a4a20",
    # Okabe-Ito hues: told apart by everyone, and each comes with a fill, a letter and a number.
    "score-dense": "#0072b2",
    "score-passage": "#56b4e9",
    "score-lexical": "#e69f00",
    "score-names": "#f0e442",
    "score-coverage": "#d55e00",
    "score-neighbours": "#009e73",
    "score-age": "#cc79a7",
    "score-use": "#009e73",
    "score-pin": "#d55e00",
    "score-affinity": "#56b4e9",
    "score-other": "#999999",
}
"""Our own colours, as themes that do not name them get them."""
_KEYS = ("name", "dark", "ansi", "colours", "variables")


@dataclass(frozen=True, slots=True)
class Shelf:
    """What was found: the themes by name, and a sentence for each file that is no theme."""

    themes: dict[str, Theme] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()


def folders() -> list[Path]:
    """Where themes are looked for: inside the package, or beside it in a checkout; then the user's."""
    ours = [place for place in (PACKAGE / "_data" / "themes", PACKAGE.parent / "themes") if place.is_dir()][:1]
    return [*ours, places.config_file().parent / "themes"]


def stamp() -> tuple[tuple[str, int, int], ...]:
    """Path, time and size of every theme's file: changes when one is written."""
    found = []
    for folder in folders():
        for path in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
            with suppress(OSError):  # gone between listing and looking
                at = path.stat()
                found.append((str(path), at.st_mtime_ns, at.st_size))
    return tuple(found)


def find(name: str) -> Theme | None:
    """One theme by its file's name, the user's before ours; None where there is none. ConfigError."""
    *ours, users = folders()
    for folder in (users, *ours):
        path = folder / f"{name}.yaml"
        if folder is not users and name == default_theme.NAME:
            break
        if "/" not in name and path.is_file():
            return read(path)
    return default() if name == default_theme.NAME else None


def default() -> Theme:
    """The theme that needs no file."""
    colours: dict[str, Any] = dict(default_theme.COLOURS)
    return Theme(default_theme.NAME, variables={**VARIABLES, **default_theme.VARIABLES}, **colours)


def load(places_to_look: Iterable[Path] | None = None) -> Shelf:
    """All of them; the user's replace ours of the same name."""
    themes: dict[str, Theme] = {}
    wrong: list[str] = []
    for folder in places_to_look or folders():
        for path in sorted(folder.glob("*.yaml")) if folder.is_dir() else ():
            try:
                theme = read(path)
            except ConfigError as error:
                wrong.append(error.message)
            else:
                themes[theme.name] = theme
    return Shelf(themes, tuple(wrong))


def read(path: Path) -> Theme:
    """The theme of a file; ConfigError names the file and the key."""
    import yaml  # 20 ms that a start with nothing to read does not pay

    try:
        value = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:  # a date that is none; a thousand brackets
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{path}: not readable as YAML ({reason}); the theme is left out.") from error
    return build(value, path)


def build(value: Any, path: Path) -> Theme:
    """A theme of parsed YAML; ConfigError names the file and the key."""
    top = _mapping(value, path, "the file")
    _known(top, _KEYS, path, "")
    colours = _mapping(top.get("colours"), path, "colours")
    _known(colours, COLOURS, path, "colours.")
    variables = _mapping(top.get("variables") or {}, path, "variables")
    if "primary" not in colours:
        raise ConfigError(f"{path}: colours.primary is missing; the theme is left out.")
    for key, colour in (*colours.items(), *((k, v) for k, v in variables.items() if k in VARIABLES)):
        _colour(colour, path, str(key))
    named: dict[str, Any] = {str(key): str(text) for key, text in colours.items()}
    given = {str(key): str(text) for key, text in variables.items()}
    return Theme(
        name=str(top.get("name") or path.stem),
        dark=bool(top.get("dark", True)),
        ansi=bool(top.get("ansi", False)),
        variables={**VARIABLES, **given},
        **named,
    )


def _mapping(value: Any, path: Path, what: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: {what} must be names with values; the theme is left out.")
    return value


def _known(value: Mapping[Any, Any], names: Iterable[str], path: Path, prefix: str) -> None:
    for key in value:
        if key not in names:
            near = difflib.get_close_matches(str(key), list(names), n=1)
            hint = f"; did you mean {prefix}{near[0]}?" if near else ""
            raise ConfigError(f"{path}: there is no {prefix}{key}{hint} The theme is left out.")


def _colour(value: Any, path: Path, key: str) -> None:
    try:
        Color.parse(str(value))
    except ColorParseError as error:
        raise ConfigError(f"{path}: {key}: {value!r} is no colour (write #rrggbb); the theme is left out.") from error
