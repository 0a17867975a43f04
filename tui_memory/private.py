"""What a person marked as private: cut whole, however the mark is written, nested, never closed or cut off.

It is cut out of a payload before anything is read from it: an error's line or a request's title, taken out of the
middle of a passage, would not be known as private any more.
"""

from __future__ import annotations

import json
import re

from tui_memory.light import TYPE_CHECKING, late

if TYPE_CHECKING:
    from typing import Any

    Cut = tuple[Any, int, int, bool]
    """(what is left, how many passages, how deep one is still open at the end, whether an end had no beginning)."""

OPEN = r"(?:<|&lt;|&#0{0,6}60;|&#[xX]0{0,6}3[cC];|\\{1,8}u003[cC]|\\{1,8}x3[cC]|%3[cC])"
SHUT = r"(?:>|&gt;|&#0{0,6}62;|&#[xX]0{0,6}3[eE];|\\{1,8}u003[eE]|\\{1,8}x3[eE]|%3[eE])"
_WORDS = r"[^<>&\\%]{0,300}+"
MARK = late(
    rf"{OPEN}\s{{0,8}}(/|\\{{1,8}}/)?\s{{0,8}}private(?:\s{_WORDS}(?:[&\\%]{_WORDS}){{0,4}}?|\s{{0,8}}){SHUT}",
    re.IGNORECASE,
)
CUT = "[private]"
_DEEPEST = 200
_NAMES = ("type", "role", "id")
"""Keys whose values say what a block is: they stay, also inside of a passage that goes through several."""


def private_cut(text: str) -> tuple[str, int]:
    """The text with every `<private>` region replaced by `[private]`, and how many there were.

    Nested marks belong to the outermost region. One that is never closed reaches to the end, and one whose beginning
    is not there (the text was cut) from the beginning, or from the region before it.
    """
    left, cut, _, _ = _of_plain(text, 0)
    return left, cut


def cut_everywhere(value: Any) -> tuple[Any, int]:
    """A JSON value with the regions of all its texts cut, and how many; JSON inside of a text stays JSON.

    A region may go through several items of a list, as blocks of one message or lines of one patch.
    """
    left, cut, _, _ = _of_value(value, 0, 0)
    return left, cut


def _of_plain(text: str, depth: int) -> Cut:
    if "private" not in text.lower():
        return (CUT, 1, depth, False) if depth and text else (text, 0, depth, False)
    parts: list[str] = [CUT] if depth else []
    at, cut, stray = 0, len(parts), False
    for mark in MARK.finditer(text):
        if not mark.group(1):
            if not depth:
                parts += [text[at : mark.start()], CUT]
                cut += 1
            depth += 1
            continue
        if depth:
            depth -= 1
        else:
            stray = stray or not parts
            cut += not parts
            parts = [*parts[:-1], CUT]
        at = mark.end()
    if not depth:
        parts.append(text[at:])
    return ("".join(parts), cut, depth, stray) if cut else (text, 0, depth, False)


def _of_value(value: Any, depth: int, level: int) -> Cut:
    if isinstance(value, str):
        return _of_text(value, depth, level)
    if not isinstance(value, dict | list) or not value:
        return value, 0, depth, False
    if level > _DEEPEST:
        return CUT, 1, depth, False
    return _of_list(value, depth, level) if isinstance(value, list) else _of_dict(value, depth, level)


def _of_list(value: list[Any], depth: int, level: int) -> Cut:
    made: list[Any] = []
    cut = 0
    for item in value:
        left, count, depth, stray = _of_value(item, depth, level + 1)
        if stray:
            made = [_of_value(one, 1, level + 1)[0] for one in made]
        made.append(left)
        cut += count
    return (made, cut, depth, False) if cut else (value, 0, depth, False)


def _of_dict(value: dict[Any, Any], depth: int, level: int) -> Cut:
    made: dict[Any, Any] = {}
    cut, after, stray = 0, depth, False
    for key, item in value.items():
        name, named = private_cut(key) if isinstance(key, str) else (key, 0)
        if key in _NAMES and isinstance(item, str) and len(item) < 100:
            made[name], count = private_cut(item)
        else:
            made[name], count, left_open, was_stray = _of_value(item, depth, level + 1)
            after = left_open if left_open != depth else after
            stray = stray or was_stray
        cut += named + count
    return (made, cut, after, stray) if cut else (value, 0, after, False)


def _of_text(text: str, depth: int, level: int) -> Cut:
    if not depth and text.lstrip()[:1] in ("{", "[") and level <= _DEEPEST and "private" in text.lower():
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            inner = None
        if isinstance(inner, dict | list):
            left, cut, _, _ = _of_value(inner, 0, level + 1)
            if cut:
                return json.dumps(left, ensure_ascii=False), cut, 0, False
    return _of_plain(text, depth)
