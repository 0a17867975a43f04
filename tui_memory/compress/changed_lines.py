"""Few words for many changed lines: prose that was written into documents, and the code that tells most."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tui_memory.compress import sentences
from tui_memory.compress.reading import Change

_DOCUMENT = re.compile(
    r"\.(?:md|mdx|markdown|rst|txt|adoc|org)$|(?:^|/)(?:README|NOTES|CONTRIBUTING|CHANGELOG|AGENTS|CLAUDE)[^/]*$", re.I
)
_INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|CONVENTIONS?|CONTRIBUTING|NOTES|STYLE(?:GUIDE)?)\.md$|"
    r"(?:^|/)copilot-instructions\.md$|"
    r"(?:^|/)\.(?:cursorrules|windsurfrules|clinerules)$|(?:^|/)\.cursor/rules/",
    re.IGNORECASE,
)
_CHANGELOG = re.compile(r"(?:^|/)(?:CHANGELOG|CHANGES|HISTORY|RELEASES?)[^/]*$", re.IGNORECASE)
_DULL = re.compile(
    r"^(?:[\s{}()\[\];,:'\"`*/#.+-]*|(?:import|from|using|use|#include|package)\b.*|(?:else|try|finally|pass|break|continue|"
    r"return|end|fi|done|begin)\W*|@\w+\W*|(?:#|//|/\*|\*).*)$"
)
_TELLS = re.compile(
    r"\b(?:def|class|func|fn|function|interface|struct|enum|type|const|CREATE|ALTER|FROM|RUN|select)\b|=|::|"
    r"\b[A-Z][A-Z0-9_]{3,}\b"
)
_TEST = re.compile(r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)test_|[._-](?:test|spec)\.\w+$", re.IGNORECASE)
_LINE = 110


def is_document(path: str) -> bool:
    """Whether a file holds prose for people."""
    return bool(_DOCUMENT.search(path)) and not re.search(r"(?:^|/)(?:requirements|robots)[\w-]*\.txt$", path)


def is_instructions(path: str) -> bool:
    """Whether a file holds rules for agents or contributors."""
    return bool(_INSTRUCTIONS.search(path))


def prose(changes: Sequence[Change]) -> list[str]:
    """The sentences that were added to documents (change logs apart), without headings."""
    found: list[str] = []
    for change in changes:
        if is_document(change.path) and not _CHANGELOG.search(change.path):
            lines = [line for line in change.added if not line.lstrip().startswith("#")]
            found += [text for text in sentences.split("\n".join(lines)) if len(sentences.words(text)) >= 4]
    return list(dict.fromkeys(found))


def code(changes: Sequence[Change], limit: int = 360) -> str:
    """The changed lines that tell most, as `path: - old + new; …` in at most `limit` characters; "" for none."""
    by_path: dict[str, list[str]] = {}
    for change in sorted(changes, key=lambda change: bool(_TEST.search(change.path))):
        if is_document(change.path):
            continue
        lines = by_path.setdefault(change.path, [])
        lines += [f"- {text}" for text in _best(change.removed, 1)]
        lines += [f"+ {text}" for text in _best(change.added, 1 if _TEST.search(change.path) else 3)]
    parts, room = [], limit
    for path, lines in by_path.items():
        head = f"{path.rsplit('/', 1)[-1]}: "
        fitting = [said for said in (" ".join(dict.fromkeys(lines)), lines[-1] if lines else "") if said]
        part = next((head + said for said in fitting if len(head + said) <= room), "")
        if part:
            parts.append(part)
            room -= len(part) + 2
    return "; ".join(parts)


def _best(lines: Sequence[str], most: int) -> list[str]:
    """The most telling lines in their own order, each on one line and cut."""
    bare = [" ".join(line.split()) for line in lines]
    kept = [line for line in dict.fromkeys(bare) if not _DULL.match(line)]
    ranked = sorted(kept, key=lambda line: (-bool(_TELLS.search(line)), kept.index(line)))[:most]
    return [line if len(line) <= _LINE else line[: _LINE - 1] + "…" for line in kept if line in ranked]
