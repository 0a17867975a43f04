"""What a person marked as private: cut whole, however the mark is written, nested or never closed."""

from __future__ import annotations

import re

from tui_memory.light import late

OPEN = r"(?:<|&lt;|\\+u003[cC]|\\+x3[cC]|%3[cC])"
SHUT = r"(?:>|&gt;|\\+u003[eE]|\\+x3[eE]|%3[eE])"
MARK = late(rf"{OPEN}\s{{0,8}}(/|\\+/)?\s{{0,8}}private(?:\s[^<>\n]{{0,80}})?\s{{0,8}}{SHUT}", re.IGNORECASE)
CUT = "[private]"


def private_cut(text: str) -> tuple[str, int]:
    """The text with every `<private>` region replaced by `[private]`, and how many there were.

    Nested marks belong to the outermost region; one that is never closed reaches to the end.
    """
    if "private" not in text.lower():
        return text, 0
    parts: list[str] = []
    depth = at = cut = 0
    for mark in MARK.finditer(text):
        if not mark.group(1):
            if not depth:
                parts += [text[at : mark.start()], CUT]
                cut += 1
            depth += 1
        elif depth:
            depth -= 1
            at = mark.end()
    if not depth:
        parts.append(text[at:])
    return ("".join(parts), cut) if cut else (text, 0)
