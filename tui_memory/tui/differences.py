"""What only one of several memories says, marked in each: under two that look alike one sees what is at stake."""

from __future__ import annotations

import re
from collections.abc import Sequence

from textual.content import Content

from tui_memory.model import Memory
from tui_memory.safetext import clean, one_line
from tui_memory.tui import describe, formats

_WORD = re.compile(r"\S+")
_EDGES = ".,;:!?()[]{}\"'`“”‘’"
ONLY = "bold underline"
"""How a word that no other has is drawn: to be seen without colour as well."""
_MOST = 20_000


def marked(memories: Sequence[Memory]) -> list[Content]:
    """Each memory in short, the words that are in none of the others underlined."""
    words = [_words(memory) for memory in memories]
    shown = []
    for number, memory in enumerate(memories):
        others = set().union(*(found for at, found in enumerate(words) if at != number))
        shown.append(_one(memory, others))
    return shown


def _words(memory: Memory) -> set[str]:
    return {_plain(word) for word in _WORD.findall(_whole(memory))}


def _whole(memory: Memory) -> str:
    parts = (memory.title, memory.summary, memory.text, *memory.facts, *memory.files, *memory.labels)
    return "\n".join(part[:_MOST] for part in parts)


def _plain(word: str) -> str:
    return word.casefold().strip(_EDGES)


def _one(memory: Memory, others: set[str]) -> Content:
    place = one_line(memory.project or "all projects")
    about = f"#{memory.id} · {one_line(memory.kind)} · {place} · {formats.age(memory.created)} · used {memory.uses}×"
    parts = [*_spans(formats.short(memory.title, 2_000), others, "bold"), (f"\n{about}", "$tm-muted")]
    if memory.summary and memory.summary != memory.title:
        parts += [("\n", ""), *_spans(clean(memory.summary[:_MOST]), others, "$tm-muted")]
    if memory.text:
        parts += [("\n\n", ""), *_spans(clean(memory.text[:_MOST]).expandtabs(4), others)]
    for name, values in (("Facts", memory.facts), ("Files", memory.files), ("Labels", memory.labels)):
        if values:
            parts.append(describe.heading(name))
        for number, value in enumerate(values):
            parts += [("\n· " if number else "· ", ""), *_spans(one_line(value, 400), others)]
    return Content.assemble(*parts)


def _spans(text: str, others: set[str], style: str = "") -> list[describe.Part]:
    parts: list[describe.Part] = []
    at = 0
    for match in _WORD.finditer(text):
        word = _plain(match.group())
        if word and word not in others:
            parts += [(text[at : match.start()], style), (match.group(), ONLY)]
            at = match.end()
    return [*parts, (text[at:], style)]
