"""Prompts as files: the package's own, or the user's in `prompts/` beside the settings file.

A file's first line is `version: N`; a user's file without it counts as version 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

from tui_memory import places
from tui_memory.errors import ConfigError

NAMES = ("turn", "session", "reduce", "merge", "repair")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: its text with `{name}` places, and its version."""

    name: str
    version: int
    text: str

    def fill(self, **values: str) -> str:
        """The text with its places filled; other braces stay as they are."""
        return re.sub(r"\{(\w+)\}", lambda match: values.get(match.group(1), match.group()), self.text)


def load(name: str) -> Prompt:
    """A prompt by name, the user's before the package's. ConfigError where the user's cannot be read."""
    own = places.config_file().parent / "prompts" / f"{name}.md"
    try:
        text = own.read_text("utf-8") if own.is_file() else (files(__name__) / f"{name}.md").read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prompt {own} cannot be read ({error}). Nothing was compressed with it.") from None
    head, _, rest = text.partition("\n")
    found = re.match(r"version:\s*(\d+)\s*$", head)
    return Prompt(name, int(found.group(1)), rest.strip()) if found else Prompt(name, 0, text.strip())
