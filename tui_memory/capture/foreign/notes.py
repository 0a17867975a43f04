"""CLAUDE.md, AGENTS.md and their like: each section with words of its own is one memory."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tui_memory.capture.foreign.items import Contents, Item, first_line
from tui_memory.capture.shapes import clean
from tui_memory.capture.transcripts.records import opened
from tui_memory.model import MemoryKind, Tier
from tui_memory.private import private_cut

FORMAT = "notes"
LARGEST = 2_000_000
"""Bytes of a notes file; a larger one is none."""
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_IMPORT = re.compile(r"@[\w~./-]+\s*")
_BLOCKS = (
    ("comment", "<!--", "-->"),
    ("what claude-mem put in", "<claude-mem-context>", "</claude-mem-context>"),
)
# Sections that tell how something is done here, by the words of their headings.
_HOW = re.compile(
    r"\b(?:how to|set-?up|install\w*|build\w*|run|running|tests?|testing"
    r"|deploy\w*|releas\w+|commands?|steps|workflow)\b",
    re.IGNORECASE,
)


def read(path: Path, everywhere: bool) -> Contents:
    """The sections of one file. OSError where it cannot be read or is too large.

    `everywhere`: it lies in no project, so that what it says holds for all of them.
    """
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > LARGEST:
            raise OSError(f"{path} is over 2 MB: not a file of notes")
        text = clean(file.read(LARGEST).decode("utf-8-sig", "replace"))
    contents = Contents(FORMAT)
    text, private = private_cut(text)  # before it is taken apart: a passage may go through several sections
    if private:
        contents.skipped["private passage"] += private
    for what, start, end in _BLOCKS:
        text, count = _without(text, start, end)
        if count:
            contents.skipped[what] += count
    seen: dict[str, int] = {}
    for heads, body in _sections(text):
        _take(path, heads, body, everywhere, seen, contents)
    return contents


def _take(
    path: Path, heads: list[str], lines: list[str], everywhere: bool, seen: dict[str, int], contents: Contents
) -> None:
    kept = [line for line in lines if not _IMPORT.fullmatch(line)]
    if len(kept) < len(lines):
        contents.skipped["@import of another file (not followed)"] += len(lines) - len(kept)
    body = "\n".join(kept).strip()
    if not body:
        if heads:
            contents.skipped["heading without words of its own"] += 1
        return
    place = " › ".join(heads)
    seen[place] = seen.get(place, 0) + 1
    how = bool(heads) and bool(_HOW.search(heads[-1]))
    contents.items.append(
        Item(
            identity=f"{FORMAT}:{path}:{place}:{seen[place]}",
            source=f"section{'' if heads else ' before the first heading'}: {'how-to' if how else 'rule'}",
            title=first_line(heads[-1] if heads else body),
            text=body,
            summary=place if len(heads) > 1 else "",
            kind=MemoryKind.PROCEDURE if how else MemoryKind.CONVENTION,
            tier=Tier.SEMANTIC,
            labels=[path.name.lower()],
            project="" if everywhere else str(path.parent),
        )
    )


def _sections(text: str) -> list[tuple[list[str], list[str]]]:
    """(headings from the outermost in, lines) of each section; a # inside a code fence is no heading."""
    found: list[tuple[list[str], list[str]]] = [([], [])]
    levels: list[int] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark.group(1).startswith(fence) else fence
        elif mark:
            fence = mark.group(1)
        elif head := _HEADING.match(line):
            depth = len(head.group(1))
            levels = [level for level in levels if level < depth]
            found.append(([*found[-1][0][: len(levels)], line[head.end() :].rstrip(" \t#")], []))
            levels.append(depth)
            continue
        found[-1][1].append(line)
    return found


def _without(text: str, start: str, end: str) -> tuple[str, int]:
    """The text without passages between two marks, and how many there were; an unclosed one goes to the end."""
    parts: list[str] = []
    at = count = 0
    while (found := text.find(start, at)) >= 0:
        parts.append(text[at:found])
        closed = text.find(end, found + len(start))
        at = closed + len(end) if closed >= 0 else len(text)
        count += 1
    return "".join([*parts, text[at:]]), count
