"""The names in a memory that a repository may have: files, symbols, settings, commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tui_memory.upkeep.findings import NameKind

_MOST = 40  # names of one memory that are looked for
_SHORT = 4  # characters below which a name is too common to say anything

_CODE = re.compile(r"`([^`\n]{2,120})`")
_PATH = re.compile(r"(?<![\w@:/.])(?:\.{0,2}/)?(?:[\w.-]+/)+[\w.-]*\w|(?<![\w@:/.-])[\w-]+\.[a-z]{1,5}(?![\w/.(])")
_SYMBOL = re.compile(
    r"(?<![\w./-])(?:[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[a-z]\w*_\w+|_\w+)(?![\w/-]|\.[a-z]{1,4}\b)"
)
_CALL = re.compile(r"(?<![\w/-])(?:\w+\.)*([A-Za-z_]\w{2,})\(")
_SETTING = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w-])")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w-])")
_COMMAND = re.compile(r"(?<![\w-])(?:make|just|npm run|yarn|pnpm run|rake|task|poe|nox -s|invoke) ([a-z][\w:.-]{2,40})")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
# What such a sentence names may well be gone: that is what it tells.
_TELLS = re.compile(
    r"\b(?:remov|delet|renam|drop(?:s|ped|ping)?\b|replac|mov(?:e[sd]?|ing)\b|instead of|no longer|gone\b|retire"
    r"|rip(?:ped|s)? out|got rid|revert|deprecat|split|obsolete|used to)",
    re.I,
)


def of(title: str, summary: str, text: str, facts: Sequence[str], files: Iterable[str]) -> list[tuple[NameKind, str]]:
    """Names in a memory, each once, as (kind, name); not those of sentences that tell of a removal."""
    found: dict[tuple[NameKind, str], None] = {}
    told = _told("\n".join((title, summary, text, *facts)))
    for sentence in told[0]:
        for item in _in(sentence):
            found.setdefault(item)
    for path in files:
        if path not in told[1]:
            found.setdefault(("file", path))
    return [(kind, name) for kind, name in found if len(name) >= _SHORT and name not in told[1]][:_MOST]


def _told(whole: str) -> tuple[list[str], str]:
    """(sentences that state something, all the others as one text)."""
    states: list[str] = []
    removals: list[str] = []
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", whole):
        (removals if _TELLS.search(sentence) else states).append(sentence)
    return states, "\n".join(removals)


def _in(sentence: str) -> Iterable[tuple[NameKind, str]]:
    """The names of one sentence: options and commands only where they stand in backticks, as prose has such words."""
    quoted = " ".join(_CODE.findall(sentence))
    yield from (("command", name) for name in _COMMAND.findall(quoted))
    yield from (("setting", name) for name in (*_SETTING.findall(sentence), *_OPTION.findall(quoted)))
    yield from (("file", name.strip()) for name in _PATH.findall(sentence) if _is_path(name))
    yield from (("symbol", name) for name in (*_SYMBOL.findall(sentence), *_CALL.findall(quoted)))


def _is_path(name: str) -> bool:
    """Whether this is a file's path: it has a folder or an ending; no address, no version, no option/value pair."""
    return bool(_ENDING.search(name)) and not name[0].isdigit() and "//" not in name and not name.startswith("www.")
