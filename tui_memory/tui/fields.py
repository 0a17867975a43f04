"""A memory's fields as texts that a person edits, and back; only what was changed comes back as a change.

Outside text is cleaned before it is shown, so a field that was not touched must never be written: it would be the
cleaned text's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_memory.errors import UsageError
from tui_memory.model import Body, Memory, MemoryKind, Tier
from tui_memory.safetext import clean, one_line

Shown = dict[str, str]
"""The fields by name, as they stand in boxes and files."""
NAMES = ("title", "summary", "kind", "tier", "labels", "files", "facts", "text")
_LINES = ("title", "summary", "kind", "tier", "labels")
_END = "---"


def shown(of: Memory | Body) -> Shown:
    """The fields of a memory or of what it would be."""
    return {
        "title": one_line(of.title), "summary": one_line(of.summary), "kind": str(of.kind), "tier": str(of.tier),
        "labels": ", ".join(one_line(label) for label in of.labels),
        "files": "\n".join(one_line(file) for file in of.files),
        "facts": "\n".join(clean(fact).replace("\n", "\n  ") for fact in of.facts),
        "text": clean(of.text),
    }  # fmt: skip


def changes(before: Shown, after: Mapping[str, str]) -> dict[str, Any]:
    """What a person changed, as `Memory.edit` takes it; UsageError for a kind or tier that is none, or no title."""
    found = {name: after[name] for name in NAMES if name in after and after[name].rstrip() != before[name].rstrip()}
    for name, known in (("kind", list(MemoryKind)), ("tier", list(Tier))):
        if name in found and found[name].strip() not in known:
            raise UsageError(f"“{one_line(found[name], 40)}” is no {name}. There are {', '.join(known)}.")
    if "title" in found and not found["title"].strip():
        raise UsageError("A memory needs a title.")
    return {name: _value(name, text) for name, text in found.items()}


def _value(name: str, text: str) -> Any:
    if name == "labels":
        return [part.strip() for part in text.split(",") if part.strip()]
    if name == "files":
        return [line.strip() for line in text.split("\n") if line.strip()]
    if name == "facts":
        return facts(text)
    return text.rstrip() if name == "text" else text.strip()


def facts(text: str) -> list[str]:
    """One fact a line; a line that is indented goes on with the one before it."""
    found: list[str] = []
    for line in text.split("\n"):
        if line.startswith("  ") and found:
            found[-1] += f"\n{line[2:]}"
        elif line.strip():
            found.append(line.removeprefix("- ").rstrip())
    return found


def document(fields: Shown) -> str:
    """The fields as one text for an editor: names first, then the text to its end."""
    lines = [_END, *(f"{name}: {fields[name]}" for name in _LINES)]
    for name in ("files", "facts"):
        lines += [f"{name}:", *(f"- {line}" if line[:2] != "  " else line for line in fields[name].split("\n") if line)]
    return "\n".join([*lines, _END, fields["text"], ""])


def parsed(text: str) -> Shown:
    """The fields of such a text; UsageError where its head cannot be read."""
    lines = text.replace("\r\n", "\n").split("\n")
    if _END not in lines[1:] or lines[0].strip() != _END:
        raise UsageError("The file no longer begins with the fields between two lines of ---.")
    end = lines.index(_END, 1)
    found: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(lines[1:end], 2):
        head, colon, rest = line.partition(":")
        if colon and head in NAMES:
            name, found[head] = head, [rest.strip()] if rest.strip() else []
        elif name in ("files", "facts"):
            found[name].append(line.removeprefix("- ").rstrip())
        elif line.strip():
            raise UsageError(f"Line {number} belongs to no field: “{one_line(line, 40)}”.")
    whole = {name: "\n".join(values) for name, values in found.items()}
    return {name: whole.get(name, "") for name in NAMES} | {"text": "\n".join(lines[end + 1 :]).rstrip("\n")}
