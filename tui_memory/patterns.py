"""Whether a regular expression that a person wrote can be a rule. Standard library only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tui_memory.errors import ConfigError

if TYPE_CHECKING:
    from tui_memory.config import RedactSettings

LONGEST = 1_000
"""Characters of one pattern."""
_KIND = re.compile(r"[a-z][a-z0-9-]{1,40}")


def trouble(pattern: str) -> str:
    """What is wrong with a pattern, in a few words; empty where nothing is."""
    if not pattern or len(pattern) > LONGEST:
        return "is empty" if not pattern else f"is longer than {LONGEST} characters"
    try:
        found = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is no regular expression ({error})"
    return "matches an empty text, so it would match everywhere" if found.search("") else ""


def kind_trouble(kind: str) -> str:
    """What is wrong with the name of a kind; empty where nothing is."""
    return "" if _KIND.fullmatch(kind) else "must be 2 to 41 small letters, digits and hyphens"


def check(settings: RedactSettings, path: Path) -> None:
    """ConfigError that names the file, the key and the pattern, where one of the user's rules cannot be one."""
    found = [(f"redact.extra[{n}].kind", rule.kind, kind_trouble(rule.kind)) for n, rule in enumerate(settings.extra)]
    found += [(f"redact.extra[{n}].pattern", one.pattern, trouble(one.pattern)) for n, one in enumerate(settings.extra)]
    found += [(f"redact.allow[{n}]", pattern, trouble(pattern)) for n, pattern in enumerate(settings.allow)]
    for key, value, wrong in found:
        if wrong:
            raise ConfigError(f"{path}: {key}: {value[:200]!r} {wrong}. Nothing was changed; correct the file.")
