"""Changing JSON as text: what is not ours keeps its bytes, the new parts take the file's own style.

Comments may stand anywhere: they are looked past, and kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.decoder import JSONDecoder
from pathlib import Path
from typing import Any, NamedTuple

from tui_memory.errors import ConfigError

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=[ \t\r\n]*[}\]])')
_NOT_SPACE = re.compile(r"[^\r\n]")
_decoder = JSONDecoder()


class Item(NamedTuple):
    """A member or element of a container: its key ('' in a list), where it begins, its value begins, and ends."""

    key: str
    start: int
    value_start: int
    end: int


def read(text: str, path: Path, *, comments: bool = False, commas: bool = False) -> Any:
    """A file's value. ConfigError where it is not JSON, with the line; `comments`, `commas` (after the last item):
    what the file's reader takes beside.
    """
    plain = loose(text) if commas else bare(text) if comments else text
    try:
        return json.loads(plain.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        where = f", line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else f": {error}"
        hint = "" if comments else " (JSON knows no comments)"
        raise ConfigError(f"{path}{where}. Nothing was changed; mend the file{hint} and try again.") from error


def bare(text: str) -> str:
    """The text with every comment as blanks: the same places, the same lines."""
    if "/*" not in text and "//" not in text:
        return text
    return _STRING_OR_COMMENT.sub(lambda found: _blank(found.group()), text)


def loose(text: str) -> str:
    """The text with every comment, and every comma before a closing bracket, as blanks."""
    return _TRAILING.sub(lambda found: found.group() if found.group()[0] == '"' else " ", bare(text))


def _blank(part: str) -> str:
    return part if part[0] == '"' else _NOT_SPACE.sub(" ", part)


def items(text: str, at: int) -> Iterator[Item]:
    """The members of the object, or elements of the list, that begins at `at`. The text is valid JSON.

    Also with comments, and with a comma after the last one.
    """
    text = loose(text)
    closing = "}" if text[at] == "{" else "]"
    place = _skip(text, at + 1)
    while text[place] != closing:
        start, key = place, ""
        if closing == "}":
            key, place = _decoder.raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)
        value_start = place
        _, end = _decoder.raw_decode(text, place)
        yield Item(key, start, value_start, end)
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)


def find(text: str, at: int, key: str) -> Item | None:
    """The member of that key (the last one: that is what readers take); None where there is none."""
    found = [item for item in items(text, at) if item.key == key]
    return found[-1] if found else None


def begin(text: str) -> int:
    """Where the outermost value begins (after a byte order mark)."""
    return _skip(bare(text), 1 if text[:1] == "\ufeff" else 0)


def append(text: str, at: int, value: Any, key: str | None = None) -> str:
    """The text with a value added at the end of the container that begins at `at`, in the neighbours' style."""
    present = list(items(text, at))
    newline = "\r\n" if "\r\n" in text else "\n"
    if present:
        last = present[-1]
        before = _before(text, at, present)
        added = "," + (before or ("" if len(present) > 1 else " ")) + _written(text, value, key, before, newline)
        return text[: last.end] + added + text[last.end :]
    unit, outer = _unit(text), _line_indent(text, at)
    closing = _skip(text, at + 1)
    if text[closing] == "/":  # nothing but a comment is in it: that stays behind ours
        closing = at + 1
    if unit is None:
        return text[: at + 1] + _written(text, value, key, "", newline) + text[closing:]
    inner = newline + outer + unit
    return text[: at + 1] + inner + _written(text, value, key, inner, newline) + newline + outer + text[closing:]


def remove(text: str, at: int, index: int) -> str:
    """The text without the container's item of that index, its comma and its white space."""
    present = list(items(text, at))
    item = present[index]
    if index < len(present) - 1:
        return text[: item.start] + text[_skip(text, bare(text).index(",", item.end) + 1) :]
    if index:
        comma, rest = bare(text).index(",", present[index - 1].end), text[item.end :]
        kept = text[comma + 1 : item.start]
        line = kept[: max(kept.rfind("\n"), 0)].removesuffix("\r")
        whole = bare(line) != line and not rest.lstrip(" \t\r").startswith("\n")  # a comment needs its line's end
        return text[:comma] + (kept if whole else line) + rest
    before = text[at + 1 : item.start]
    kept = before[: before.rfind("\n") + 1] if bare(before) != before else ""
    behind = _skip(bare(text), item.end)
    end = behind + 1 if bare(text)[behind] == "," else item.end  # a comma after the last item
    return text[: at + 1] + kept + text[_skip(text, end) :]


def without(text: str, at: int, key: str) -> str:
    """The text without the member of that key of the object that begins at `at`."""
    names = [item.key for item in items(text, at)]
    return remove(text, at, len(names) - 1 - names[::-1].index(key))  # of two, the one that readers take


def is_empty(text: str, at: int) -> bool:
    """Whether the container that begins at `at` holds nothing, not even a comment."""
    return text[_skip(text, at + 1)] in "]}"


def _before(text: str, at: int, present: list[Item]) -> str:
    """The white space that a further item has in front of it: as the last one has, without comments."""
    begin = present[-2].end if len(present) > 1 else at + 1
    space = bare(text)[begin : present[-1].start]
    if space != text[begin : present[-1].start]:
        return "".join(space.rpartition("\n")[1:])
    return space[space.find(",") + 1 :]


def _written(text: str, value: Any, key: str | None, before: str, newline: str) -> str:
    """A value as text, its lines indented to stand after `before` (the white space in front of it)."""
    unit = _unit(text)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if unit is None or "\n" not in before:
        return name + json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return name + (newline + before.rpartition("\n")[2]).join(lines)


def _unit(text: str) -> str | None:
    """One step of the file's indentation; None for a file on one line."""
    found = re.search(r"\n([ \t]+)\S", text)
    if found:
        return found.group(1)
    return None if len(text.strip()) > 2 else "  "


def _line_indent(text: str, at: int) -> str:
    """The white space at the start of the line in which `at` is."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
