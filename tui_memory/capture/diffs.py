"""A small unified-diff text of an edit, from whatever the agent tells of it."""

from __future__ import annotations

from tui_memory.capture.shapes import clean, items, string
from tui_memory.light import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def from_hunks(hunks: list[Any]) -> list[str]:
    """The lines of structured hunks ({oldStart, newStart, lines}): a header a hunk, then its lines."""
    lines: list[str] = []
    for hunk in hunks:
        body = [clean(line) for line in items(hunk, "lines") if isinstance(line, str)]
        if body:
            start = string(hunk, "newStart")
            lines += [f"@@ {start} @@".replace("  ", " "), *body]
    return lines


def from_texts(old: str, new: str) -> list[str]:
    """The changed lines between two texts: common beginning and end left out, the rest as - and + lines."""
    before, after = clean(old).splitlines(), clean(new).splitlines()
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    return [f"-{line}" for line in gone] + [f"+{line}" for line in come]


def counts(lines: list[str]) -> tuple[int, int]:
    """How many lines a diff adds and removes."""
    return sum(line[:1] == "+" for line in lines), sum(line[:1] == "-" for line in lines)


def described(path: str, lines: list[str]) -> str:
    """`path +4 −2` and the diff's lines below it."""
    added, removed = counts(lines)
    return "\n".join([f"{path} +{added} −{removed}", *lines])


def patch_files(patch: str) -> list[tuple[str, str, list[str]]]:
    """The files of a `*** Begin Patch` text: (what is done, path, lines). done: add, update, delete."""
    found: list[tuple[str, str, list[str]]] = []
    for line in patch.splitlines():
        for head, done in (("*** Add File: ", "add"), ("*** Update File: ", "update"), ("*** Delete File: ", "delete")):
            if line.startswith(head):
                found.append((done, line[len(head) :].strip(), []))
                break
        else:
            if found and line.startswith("*** Move to: "):
                found[-1] = (found[-1][0], line[13:].strip(), found[-1][2])
            elif found and not line.startswith("*** "):
                found[-1][2].append(line)
    return found
