"""Reads the settings' YAML into their dataclasses: what is wrong is an error that says what is right."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

import yaml

from tui_memory.errors import ConfigError
from tui_memory.light import fields, is_dataclass

Root = TypeVar("Root")
_WANTED = {bool: "true or false", int: "a whole number, 0 or more", float: "a number, 0 or more", str: "a text"}


class _Loader(yaml.SafeLoader):
    """YAML 1.2's booleans alone: to 1.1 the key `off` is false, and `n` a boolean no."""


_Loader.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:bool"]
    for sign, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def read(root: type[Root], path: Path) -> Root:
    """The settings of a file; all defaults where there is none. ConfigError names file, key and what belongs there."""
    return cast(Root, _Reader(root, path).section(root, _parse(path), ""))


def _parse(path: Path) -> Any:
    if not path.exists():
        return {}
    try:
        found = yaml.load(path.read_text("utf-8"), _Loader)  # a SafeLoader: it makes no objects
    except (yaml.YAMLError, ValueError, RecursionError, OSError) as error:  # a date that is none; a thousand brackets
        raise ConfigError(f"{path} cannot be read as YAML: {error}\nNothing was changed.") from error
    return {} if found is None else found


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the values of one file; `root`: the whole of the settings, for keys that stand in the wrong section."""

    root: type
    path: Path

    def section(self, kind: type, value: Any, at: str) -> object:
        """A dataclass of a mapping; `at`: the dotted place of it in the file."""
        if value is None and at:
            return kind()  # a section with all its keys commented out
        if not isinstance(value, Mapping):
            raise self._wrong(at or "the file", "a mapping of keys to values", value)
        known = {item.name: item for item in fields(kind) if not item.metadata.get("derived")}
        hints = get_type_hints(kind, localns={"Any": Any})
        found: dict[str, object] = {}
        for key, given in value.items():
            place = f"{at}.{key}" if at else str(key)
            if key not in known:
                raise self._unknown(place, str(key), list(known), at)
            found[key] = self._value(hints[key], given, place)
            choices = known[key].metadata.get("choices")
            if choices and found[key] not in choices:
                raise self._wrong(place, "one of " + ", ".join(choices), given)
            self._check_range(known[key].metadata, found[key], place)
        return kind(**found)

    def _check_range(self, allowed: Mapping[str, Any], value: Any, at: str) -> None:
        """A number within what its setting allows; that it is 0 or more, `_scalar` has seen to."""
        least, most = allowed.get("least", 0), allowed.get("most")
        if most is not None and value > most:
            raise self._wrong(at, f"a number from {least} to {most}", value)
        if least and value < least:
            raise self._wrong(at, f"a number, {least} or more", value)

    def _value(self, hint: Any, value: Any, at: str) -> object:
        """A value of the type that a setting has."""
        if is_dataclass(hint):
            return self.section(cast(type, hint), value, at)
        inner = get_args(hint)
        if get_origin(hint) is tuple:
            if not isinstance(value, list):
                raise self._wrong(at, "a list", value)
            return tuple(self._value(inner[0], item, f"{at}[{n}]") for n, item in enumerate(value))
        if get_origin(hint) is dict:
            if not isinstance(value, Mapping):
                raise self._wrong(at, "a mapping of names to values", value)
            return {str(name): self._value(inner[1], item, f"{at}.{name}") for name, item in value.items()}
        return value if hint is Any else self._scalar(hint, value, at)

    def _scalar(self, hint: type, value: Any, at: str) -> object:
        if hint is bool and isinstance(value, bool):
            return value
        numbers = int if hint is int else int | float if hint is float else ()
        if isinstance(value, numbers) and not isinstance(value, bool) and 0 <= value < math.inf:
            return hint(value)
        if hint is str and isinstance(value, str):
            return value
        raise self._wrong(at, _WANTED[hint], value)

    def _wrong(self, at: str, wanted: str, value: Any) -> ConfigError:
        return ConfigError(f"{self.path}: {at} must be {wanted}, not {value!r}. Nothing was changed; correct the file.")

    def _unknown(self, place: str, key: str, known: list[str], at: str) -> ConfigError:
        """Say which key is meant: the nearest in the same section, or the one of that name in another."""
        sections = [(section.name, section.default) for section in fields(self.root)]
        elsewhere = [f"{name}.{key}" for name, section in sections if hasattr(section, key)]
        near = get_close_matches(key, known, 1, 0.6)
        nearest = near[0] if near else elsewhere[0] if elsewhere else get_close_matches(key, known, 1, 0.0)[0]
        suggested = nearest if nearest in elsewhere or not at else f"{at}.{nearest}"
        return ConfigError(
            f"{self.path}: {place} is not a setting; the nearest is {suggested}. Nothing was changed; correct the file."
        )
