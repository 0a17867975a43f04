"""Bodies of memories: parsed from what a caller gives, changed field by field, united in a merge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tui_memory.clock import parse_iso
from tui_memory.errors import UsageError
from tui_memory.model import Body, Grounding, MadeBy, Memory, MemoryKind, NewMemory, Tier

TITLE_LENGTH = 80
KNOWN = {
    "title", "summary", "text", "facts", "kind", "tier", "labels", "files",
    "project", "branch", "session", "created", "sources",
}  # fmt: skip
TIER_OF = {
    MemoryKind.CONVENTION: Tier.SEMANTIC,
    MemoryKind.PREFERENCE: Tier.SEMANTIC,
    MemoryKind.PROCEDURE: Tier.PROCEDURAL,
}


def parse(number: int, item: Mapping[str, Any], route: str) -> NewMemory:
    """A new memory of a caller's mapping; UsageError says which item and field is wrong."""
    unknown = set(item) - KNOWN
    if unknown:
        raise UsageError(f"Item {number}: a memory has no field {min(unknown)!r}. Nothing was added.")
    title, text = str(item.get("title") or "").strip(), str(item.get("text") or "")
    if not title and not text.strip():
        raise UsageError(f"Item {number}: a memory needs a title or a text. Nothing was added.")
    kind = _one_of(MemoryKind, item.get("kind") or MemoryKind.DISCOVERY, number, "kind")
    tier = _one_of(Tier, item.get("tier") or TIER_OF.get(MemoryKind(kind), Tier.EPISODIC), number, "tier")
    body = Body(
        title=title or first_line(text),
        summary=str(item.get("summary") or ""),
        text=text,
        facts=_texts(item.get("facts"), number, "facts"),
        tier=tier,
        kind=kind,
        labels=_texts(item.get("labels"), number, "labels"),
        files=_texts(item.get("files"), number, "files"),
        made_by=MadeBy(route),
    )
    return NewMemory(
        body, branch=str(item.get("branch") or ""), created=_moment(item.get("created"), number),
        sources=[int(value) for value in item.get("sources") or []],
    )  # fmt: skip


def changed(memory: Memory, given: Mapping[str, Any]) -> Body:
    """The memory's body with the given fields replaced, written by a person."""
    body = replace(of(memory), **given, made_by=MadeBy("person"), grounding=Grounding())
    _one_of(MemoryKind, body.kind, 0, "kind")
    _one_of(Tier, body.tier, 0, "tier")
    if not body.title.strip():
        raise UsageError("A memory needs a title. Nothing was changed.")
    return body


def of(memory: Memory) -> Body:
    """The body of a memory's current version."""
    return Body(
        title=memory.title, summary=memory.summary, text=memory.text, facts=list(memory.facts),
        tier=memory.tier, kind=memory.kind, labels=list(memory.labels), files=list(memory.files),
        made_by=memory.made_by, grounding=memory.grounding,
    )  # fmt: skip


def union(memories: Sequence[Memory]) -> Body:
    """What a merge keeps: the newest title and summary, every distinct text, fact, label and file.

    An older summary is a text then, and so is the title of an older one that says nothing else.

    Pinned or not, kinds and tiers: those of the newest. The same input gives the same body.
    """
    ordered = sorted(memories, key=lambda memory: (memory.created, memory.id))
    newest = ordered[-1]
    return Body(
        title=newest.title,
        summary=newest.summary,
        text="\n\n".join(_texts_of(ordered)),
        facts=_distinct(fact for memory in ordered for fact in memory.facts),
        tier=newest.tier,
        kind=newest.kind,
        labels=_distinct(label for memory in ordered for label in memory.labels),
        files=_distinct(file for memory in ordered for file in memory.files),
        made_by=MadeBy("merge"),
        grounding=Grounding(min(memory.grounding.retained for memory in ordered)),
    )


def _texts_of(ordered: Sequence[Memory]) -> list[str]:
    """What memories (oldest first) say beside the newest's title and summary, newest first, each once."""
    *older, newest = ordered
    heads = _distinct([newest.title, newest.summary])
    told = [newest.text]
    for memory in reversed(older):
        told += [memory.summary, memory.text] if memory.summary or memory.text or memory.facts else [memory.title]
    return _distinct([*heads, *(text.strip() for text in told)])[len(heads) :]


def first_line(text: str) -> str:
    """A title where none was given: the text's first line, cut at a word to 80 characters."""
    line = " ".join(text.strip().splitlines()[0].split())
    if len(line) <= TITLE_LENGTH:
        return line
    return line[: TITLE_LENGTH - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _distinct(values: Iterable[str]) -> list[str]:
    """Each once, the first spelling kept; compared without case and white space."""
    seen: dict[str, str] = {}
    for value in values:
        if value:
            seen.setdefault(" ".join(value.lower().split()), value)
    return list(seen.values())


def _texts(value: Any, number: int, field: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError(f"Item {number}: {field} must be a list of texts. Nothing was added.")
    return [str(part) for part in value]


def _one_of(kinds: type[MemoryKind] | type[Tier], value: Any, number: int, field: str) -> str:
    try:
        return str(kinds(str(value)))
    except ValueError:
        known = ", ".join(kinds)
        raise UsageError(f"Item {number}: {value!r} is no {field}. Known: {known}. Nothing was changed.") from None


def _moment(value: Any, number: int) -> int:
    if value is None:
        return 0
    if isinstance(value, int | float):
        return int(value)
    try:
        return parse_iso(str(value))
    except ValueError:
        raise UsageError(f"Item {number}: created must be ISO 8601, not {value!r}. Nothing was added.") from None
