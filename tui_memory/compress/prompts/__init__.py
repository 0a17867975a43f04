"""Prompts as files: the package's own, or the user's in `prompts/` beside the settings file.

A file's first line is `version: N`; a user's file without it counts as version 0. `turn.terse.md` is the variant
`terse` of `turn.md`, used where `compress.prompt` or a configuration of the lab names it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from tui_memory import places
from tui_memory.errors import ConfigError

NAMES = ("turn", "session", "reduce", "merge", "repair", "judge", "rejudge")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: its text with `{name}` places, and its version."""

    name: str
    version: int
    text: str

    def fill(self, **values: str) -> str:
        """The text with its places filled; other braces stay as they are."""
        return re.sub(r"\{(\w+)\}", lambda match: values.get(match.group(1), match.group()), self.text)


def folder() -> Path:
    """Where the user's own prompts are."""
    return places.config_file().parent / "prompts"


def variants() -> list[str]:
    """The variants of prompts that the user has, by name."""
    parts = (path.name.split(".") for path in folder().glob("*.*.md"))
    return sorted({found[1] for found in parts if len(found) == 3 and found[0] in NAMES and found[1]})


def load(name: str, variant: str = "") -> Prompt:
    """A prompt by name, the user's before the package's. ConfigError where the user's cannot be read.

    `variant`: the user's own of this name; the ordinary prompt where only others have that variant.
    """
    if variant and variant not in variants():
        raise ConfigError(
            f"There is no variant “{variant}” of a prompt in {folder()}. Nothing was compressed with it."
            f" A file {name}.{variant}.md there makes it."
        )
    own = folder() / f"{name}.{variant}.md"
    if not variant or not own.is_file():
        own = folder() / f"{name}.md"
    try:
        text = own.read_text("utf-8") if own.is_file() else (files(__name__) / f"{name}.md").read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prompt {own} cannot be read ({error}). Nothing was compressed with it.") from None
    head, _, rest = text.partition("\n")
    found = re.match(r"version:\s*(\d+)\s*$", head)
    return Prompt(name, int(found.group(1)), rest.strip()) if found else Prompt(name, 0, text.strip())
